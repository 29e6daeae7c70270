# SPDX-License-Identifier: MIT
"""Caffe of BVLC, and Caffe-MPI (NVIDIA's Caffe): writes net and solver into a folder and starts `caffe train`, whose own lines report
the iterations. This script prints the begin line. Several GPUs of a host belong to one process of Caffe; those of several hosts to as
many of Caffe-MPI. Arguments and lines: README.md beside this file."""
import ctypes
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

import common
import folders
import models_caffe
import ringside_records

OPTIONS = {"binary": "caffe",  # a path, or a name on PATH
           "gpus": 1,  # of this process, from the host's first on
           "rank": 0, "ranks": 1,  # the first of this process; in all
           "batch_of": ("gpu", "process"),  # what the batch of the net's file is that of
           "display": 1,  # a line after so many iterations
           "folder": "."}  # for net, solver and list of pictures
MOST = 2 ** 31 - 1  # iterations that a solver can be asked for
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def main():
    args = common.arguments("Caffe", OPTIONS, precisions=("fp32", "fp16"), devices=("cpu", "cuda"))
    if args.precision == "fp16" and (args.options.batch_of != "process" or args.device == "cpu"):
        common.refuse("Only NVIDIA's Caffe, and Caffe-MPI, train in fp16, on GPUs: choose --precision fp32.")
    if args.delay:
        common.refuse("Caffe reports no phases, so there is nothing to delay: leave --delay out.")
    binary, libraries = program(args)
    check_able(args, libraries)
    if args.threads:
        os.environ["OPENBLAS_NUM_THREADS"] = str(args.threads)
    os.chdir(args.options.folder)
    divided = args.options.batch_of == "process" and args.data != "synthetic"  # that of layers which read, and no other
    of_file = args.batch_per_rank * (args.options.gpus if divided else 1)
    net, parameters = models_caffe.build(args, of_file, list_of_pictures(args))
    common.check_parameters(args, parameters)
    name = "-%d.prototxt" % args.options.rank  # processes of several hosts share the folder
    write("net" + name, net)
    write("solver" + name, solver(args, "net" + name))
    begin(args, binary, parameters, libraries)
    gpus = ["--gpu=" + ",".join(map(str, range(args.options.gpus)))] if args.device == "cuda" else []
    sys.exit(run([binary, "train", "--solver=solver" + name] + gpus))


def program(args):
    """(path, libraries). For GPUs that of PATH where the named one was built without."""
    found = list(filter(None, map(shutil.which, (args.options.binary, "caffe"))))
    if not found:
        common.refuse("There is no program “%s”: name it by --option binary=PATH." % args.options.binary)
    all_libraries = list(map(libraries_of, found))
    for binary, libraries in zip(found, all_libraries):
        if args.device == "cpu" or has(libraries, "cudart"):
            return binary, libraries
    return found[0], all_libraries[0]


def has(libraries, part):
    return any(part in name for name in libraries)


def libraries_of(binary):
    """File names, as the loader would load them."""
    lines = subprocess.run([binary], env=dict(os.environ, LD_TRACE_LOADED_OBJECTS="1"), stdout=subprocess.PIPE, check=False).stdout
    return sorted({os.path.basename(os.path.realpath(path)) for path in re.findall(r"=> (/\S+)", lines.decode())})


def check_able(args, libraries):
    if args.device == "cpu" and args.options.ranks > 1:
        common.refuse("On CPUs Caffe trains as one rank alone: choose --device cuda, or one rank.")
    if args.device == "cuda" and not has(libraries, "cudart"):
        common.refuse("This caffe was built for CPUs: choose --device cpu, or put one for GPUs into PATH.")
    if args.options.gpus > 1 and not has(libraries, "nccl"):
        common.refuse("This caffe was built without NCCL: choose one GPU.")
    if args.options.ranks > args.options.gpus and not has(libraries, "libmpi"):
        common.refuse("This caffe was built without MPI: choose one node.")
    if args.options.gpus > 1 and args.options.batch_of == "gpu" and args.data == "synthetic":
        common.refuse("Caffe's GPUs would sum the synthetic batch, too, which is a parameter of its net: choose --data FOLDER, or one GPU.")
    if args.data != "synthetic" and not has(libraries, "opencv_imgcodecs"):
        common.refuse("This caffe was built without OpenCV and reads no pictures: choose --data synthetic.")


def list_of_pictures(args):
    if args.data == "synthetic":
        return None
    file = "pictures-%d.txt" % args.options.rank
    write(file, "".join("%s %d\n" % pair for pair in zip(*folders.of_classes(args, 1))))
    return os.path.abspath(file)


def solver(args, net):
    """The lines of iterations 1 to the last report how long they took; that of iteration 0 has nothing before it, and that of the end
    is of a forward pass alone. So there is one iteration more, and the first is not counted (begin). Caffe-MPI calls the last one by
    the number behind it: there it is one more again."""
    more = 2 if args.options.batch_of == "process" else 1
    return """net: "%s"
type: "SGD"
base_lr: %g
lr_policy: "fixed"
momentum: %g
weight_decay: %g
max_iter: %d
display: %d
random_seed: %d
snapshot_after_train: false
solver_mode: %s
""" % (net, args.learning_rate, args.momentum, args.weight_decay, args.iterations + more if args.iterations else MOST,
       args.options.display, args.seed, "GPU" if args.device == "cuda" else "CPU")


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def begin(args, binary, parameters, libraries):
    facts = {"framework": "caffe", "version": version(args, binary), "iterations": "lines", "first_iteration": 1,
             "parameters": parameters, "phases": [], "how": {},
             "configuration": {name: value for name, value in vars(args).items() if name not in ("option", "options", "delay")},
             "options": vars(args.options), "libraries": [name for name in libraries if common.LIBRARIES.match(name)],
             "binary": binary}
    text = "ringside 1 begin rank=%d ranks=%d scope=rank batch=%d pid=%d " % (
        args.options.rank, args.options.ranks, args.batch_per_rank * args.options.gpus, os.getpid())
    ringside_records.write([ringside_records.begin_line(text, facts)])


def version(args, binary):
    """Below mpirun it is not asked: it would be a process of MPI that ends before its time."""
    if args.options.batch_of == "process":
        return ""
    words = subprocess.run([binary, "--version"], stdout=subprocess.PIPE, check=False).stdout.decode().split()
    return words[-1] if words else ""


def run(command):
    """Its exit code. SIGTERM becomes the SIGINT after which Caffe ends in order; it dies with this process, and this process of the
    signal that ended it: what is told of an end by a signal, such as that memory ran out, is told of a process that has one."""
    child = subprocess.Popen(command, preexec_fn=lambda: ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL))
    signal.signal(signal.SIGTERM, lambda *_: child.send_signal(signal.SIGINT))
    status = child.wait()
    if status < 0:
        die_of(-status)
    return status


def die_of(number):
    """Without a core of its own, which would take the place of Caffe's."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number != signal.SIGKILL:  # which has no handler
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    main()
