# SPDX-License-Identifier: MIT
"""Code that the drivers share: arguments, synthetic data, the check of parameter counts, SIGTERM, facts.

Python 3.6 or later; numpy for synthetic data alone."""
import argparse
import itertools
import os
import re
import signal
import sys
import time

import ringside_records


class Model:
    def __init__(self, parameters, classes, image_size, features):
        self.parameters, self.classes, self.image_size = parameters, classes, image_size
        self.features = features  # that the last layer makes its classes of


# The counts of core/protocol/models.cpp.
MODELS = {"lenet": Model(62006, 10, 28, 84), "alexnet": Model(61100840, 1000, 224, 4096),
          "googlenet": Model(6624904, 1000, 224, 1024), "resnet50": Model(25557032, 1000, 224, 2048)}
DELAYS = ("input_wait", "forward", "backward", "update")
# Variables that configure math libraries, OpenMP, MPI, NCCL and frameworks, without secrets: the lists of agent/rank/machinefacts.cpp,
# with which tests/drivers/test_common.py compares them.
SHOWN_PREFIXES = ("OMP_", "KMP_", "GOMP_", "MKL_", "OPENBLAS_", "BLIS_", "DNNL_", "ONEDNN_", "OMPI_", "PMIX_MCA_", "MPICH_",
                  "MPIR_CVAR_", "I_MPI_", "FI_", "UCX_", "NCCL_", "GLOO_", "CUDA_", "CUDNN_", "CUBLAS_", "NVIDIA_", "TF_", "XLA_",
                  "KERAS_", "TORCH_", "PYTORCH_", "HOROVOD_", "MXNET_", "DMLC_", "PS_", "JAX_", "CNTK_")
SECRET_WORDS = ("SECRET", "TOKEN", "KEY", "PASS", "CREDENTIAL", "COOKIE", "AUTH", "JWT", "PRECONDITION_TRANSPORTS")
# Variables that say where a launcher put the process: too long for a first line.
LAUNCHERS = re.compile(r"OMPI_(?!MCA_)|OMPI_MCA_(orte|ess|shmem|initial)|I_MPI_INFO_|MPICH_INTERFACE_")
PASSWORD = re.compile(r"://[^/@ ]*@")  # in an address, as of a mirror
LONGEST_VALUE = 1000
LIBRARIES = re.compile(r"lib[\w-]*(blas|mkl|dnnl|mpi|nccl|cudnn|gomp|iomp|gloo|cudart)[\w.-]*\.so[\w.]*$")


def refuse(sentence):
    """A choice that is not possible, and the possible ones."""
    print(sentence, file=sys.stderr)
    sys.exit(2)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        refuse("%s: %s." % (self.prog, message))


def arguments(framework, options=None, models=tuple(MODELS), precisions=("fp32",), devices=("cpu",)):
    """Arguments of this process. `options` are the engine's own, NAME: default; a tuple holds the words to choose from, the default
    first. They come back as args.options.NAME, and args.delay as pauses by phase. Models, precisions and devices are the driver's."""
    parser = standard_parser(framework, options or {})
    args = parser.parse_args()
    for name, able in (("model", models), ("precision", precisions), ("device", devices)):
        if getattr(args, name) not in able:
            refuse("%s cannot do %s %s here: choose --%s %s." %
                   (framework, name, getattr(args, name), name, " or ".join(able)))
    args.small_seed = args.seed % 2 ** 31  # some frameworks take no larger one
    if args.data == "folder":
        args.data = args.data_path
    if args.data != "synthetic" and not os.path.isdir(args.data):
        refuse("“%s” is not a folder: choose --data synthetic, or a folder that holds one of JPEG files for each class." % args.data)
    model = MODELS[args.model]
    args.image_size = args.image_size or model.image_size
    args.classes = args.classes or model.classes
    args.options = parsed_options(framework, args.option, options or {})
    args.delay = dict(parsed_delay(text) for text in args.delay)
    return args


def standard_parser(framework, options):
    parser = Parser(description="Trains one model with %s and prints a record an iteration." % framework)
    parser.add_argument("--model", choices=MODELS, required=True)
    parser.add_argument("--batch-per-rank", type=at_least(1), default=32, metavar="N")
    parser.add_argument("--iterations", type=at_least(0), default=100, metavar="N", help="0: until SIGTERM")
    parser.add_argument("--image-size", type=at_least(1), metavar="N", help="of the model, unless given")
    parser.add_argument("--classes", type=at_least(1), metavar="N", help="of the model, unless given")
    parser.add_argument("--precision", choices=("fp32", "bf16", "fp16"), default="fp32")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--data", default="synthetic", metavar="FOLDER", help="of class folders with JPEG files")
    parser.add_argument("--data-path", default="", metavar="FOLDER", help="with --data folder")
    parser.add_argument("--loader-workers", type=at_least(0), default=2, metavar="N", help="that decode pictures")
    parser.add_argument("--learning-rate", type=float, default=0.01, metavar="X")
    parser.add_argument("--momentum", type=float, default=0.9, metavar="X")
    parser.add_argument("--weight-decay", type=float, default=0.0, metavar="X")
    parser.add_argument("--dropout", type=float, default=0.5, metavar="X", help="of the models that have it; 0: none")
    parser.add_argument("--seed", type=at_least(0), default=1, metavar="N")
    parser.add_argument("--threads", type=at_least(1), metavar="N", help="of this rank; the framework's choice, unless given")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE",
                        help="; ".join(map(described, options.items())))
    parser.add_argument("--delay", action="append", default=[], metavar="PHASE=MS",
                        help="a pause in every iteration, for tests; PHASE=MS%%: in every second one")
    return parser


def at_least(least):
    def whole(text):
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError("“%s” is no whole number from %d on" % (text, least))
        return int(text)
    return whole


def described(option):
    name, default = option
    if isinstance(default, bool):
        default = ("on", "off") if default else ("off", "on")
    return name + "=" + ("|".join(default) if isinstance(default, tuple) else str(default))


def parsed_options(framework, texts, defaults):
    values = {name: default[0] if isinstance(default, tuple) else default for name, default in defaults.items()}
    for text in texts:
        name, equals, value = text.partition("=")
        if name not in defaults or not equals:
            refuse("%s has no option “%s” here: choose from %s." % (framework, text, ", ".join(defaults) or "none"))
        values[name] = parsed_value(text, value, defaults[name])
    return argparse.Namespace(**values)


def parsed_value(text, value, default):
    words = {}
    if isinstance(default, bool):
        words = {"on": True, "off": False}
    elif isinstance(default, tuple):
        words = {word: word for word in default}
    try:
        return words[value] if words else type(default)(value)
    except (KeyError, ValueError):
        refuse("“%s” does not say %s." % (text, " or ".join(words) if words else "a number"))


def local_rank():
    """The number of this process among those of its host, which share its GPUs."""
    return int(os.environ.get("LOCAL_RANK") or os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK") or 0)


class Pause:
    """Called once an iteration; sleeps each time, or every second time."""

    def __init__(self, milliseconds, every):
        self._seconds, self._every, self._calls = milliseconds / 1000, every, 0

    def __call__(self):
        self._calls += 1
        if self._calls % self._every == 0:
            time.sleep(self._seconds)


def parsed_delay(text):
    phase, _, milliseconds = text.partition("=")
    try:
        return DELAYS[DELAYS.index(phase)], Pause(float(milliseconds.rstrip("%")), 2 if milliseconds.endswith("%") else 1)
    except ValueError:
        refuse("“%s” is not a delay: write one of %s, then = and milliseconds." % (text, ", ".join(DELAYS)))


def check_parameters(args, count):
    """The last layer has a weight for each feature of each class, and a bias; all else is the same for any number of classes."""
    model = MODELS[args.model]
    expected = model.parameters + (args.classes - model.classes) * (model.features + 1)
    if count != expected:
        refuse("%s has %d parameters here, and should have %d: use the version of the framework that this driver is for." %
               (args.model, count, expected))


def random_units(seed, first, count):
    """Uniform in [0, 1): numbers first … of SplitMix64, as agent/worker/data/random.h has them."""
    import numpy
    z = (numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(first + 1)) * numpy.uint64(0x9e3779b97f4a7c15) + numpy.uint64(seed)
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xbf58476d1ce4e5b9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94d049bb133111eb)
    return ((z ^ (z >> numpy.uint64(31))) >> numpy.uint64(11)) * 2.0 ** -53


def synthetic_batch(args, rank):
    """The batch that ringside-worker makes of this seed for this rank (agent/worker/data/synthetic.h): images, n × 3 × size × size
    as float32 of mean 0 and deviation 1, and labels as int64."""
    import numpy
    shape = (3, args.image_size, args.image_size)
    images = numpy.empty((args.batch_per_rank,) + shape, numpy.float32)
    labels = numpy.empty(args.batch_per_rank, numpy.int64)
    for k in range(args.batch_per_rank):
        picture = rank * args.batch_per_rank + k
        units = random_units(args.seed, picture << 32, images[k].size)
        images[k] = (3 ** 0.5 * (2 * units - 1)).reshape(shape)
        labels[k] = random_units(args.seed, ((1 << 31) + picture) << 32, 1)[0] * args.classes
    return images, labels


def repeated(args, batch):
    """One batch again and again."""
    return delayed(args, itertools.repeat(batch))


def delayed(args, batches):
    """The batches of a loader, each after --delay input_wait."""
    for batch in batches:
        pause(args, "input_wait")
        yield batch


def pause(args, phase):
    if phase in args.delay:
        args.delay[phase]()


def iterations(args, agreed=lambda done: done):
    """Counts them, until there are as many as were asked for, or SIGTERM comes. After it `agreed` says at the end of each after how
    many all ranks stop; None: they have not agreed yet."""
    told = []
    signal.signal(signal.SIGTERM, lambda *_: told.append(True))
    done, last = 0, args.iterations or float("inf")
    try:
        while done < last:
            yield done
            done += 1
            stop = agreed(done) if told else None
            last = last if stop is None else min(last, stop)
    finally:  # a rank that another's wish has ended is not killed by its own signal while its interpreter ends
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


class Wish:
    """That of a rank to stop, for the `agreed` of iterations()."""
    told = False

    def agreed(self, done):
        self.told = True


def records(args, framework, version, parameters, how, rank=None, ranks=None, clock=ringside_records.HostClock, scope="rank", **facts):
    """Checks the count, and begins the records of this training. `how` says by phase how it is measured."""
    check_parameters(args, parameters)
    configuration = {name: value for name, value in vars(args).items() if name not in ("option", "options", "delay")}
    told = [phase for phase in ringside_records.PHASES if phase in how]
    facts = dict(facts, framework=framework, version=version, parameters=parameters, phases=told, how=how,
                 configuration=dict(configuration, **vars(args.options)), libraries=loaded_libraries(),
                 environment=shown_variables())
    return ringside_records.Records(args.batch_per_rank * (ranks if scope == "all" else 1), rank, ranks, facts, clock, scope)


def shown_variables():
    return {name: value[:LONGEST_VALUE] for name, value in os.environ.items() if name.startswith(SHOWN_PREFIXES) and
            not LAUNCHERS.match(name) and not any(word in name.upper() for word in SECRET_WORDS) and not PASSWORD.search(value)}


def loaded_libraries():
    """File names of the libraries that compute and communicate, as they are loaded."""
    with open("/proc/self/maps", errors="surrogateescape") as maps:  # as file names are: in the C locale Python 3.6 reads ASCII alone
        paths = {line.split(None, 5)[5].strip() for line in maps if "/" in line}
    return sorted(name for name in {os.path.basename(os.path.realpath(path)) for path in paths} if LIBRARIES.match(name))
