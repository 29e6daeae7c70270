# SPDX-License-Identifier: MIT
"""Images/s of ringside-worker over those of an equivalent PyTorch loop, in pairs (A B, then B A), so that a machine whose
speed drifts does not decide. Prints "name value unit target"; a ratio only if the first five losses agree to 1e-3, or the first alone where sums are added otherwise. With
pictures the peer is torchvision's ImageFolder in a DataLoader with as many workers as ours has decode threads; crops and order are
each one's own, so there are no losses to compare, and the work is not the same (PICTURE_WORK). On a GPU the losses of bf16 and
TF32 are compared to what these round. "graph" is ours with a CUDA graph against PyTorch without one.

usage: worker_vs_pytorch.py --bin DIR --python PYTHON [--pairs N]"""
import argparse
import json
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import typing

HERE = pathlib.Path(__file__).parent


class Case(typing.NamedTuple):
    model: str
    ranks: int
    cores: int  # of a rank
    batch: int  # of a rank
    image: int = 224
    workers: int = 0  # that decode pictures; 0: synthetic numbers
    device: str = "cpu"
    precision: str = "fp32"  # on a GPU with TF32
    graph: bool = False
    compiled: bool = False  # theirs, by torch.compile
    target: float = 1.05

    @property
    def name(self):
        gpu = f".gpu.{'bf16' if self.precision == 'bf16' else 'tf32'}.batch{self.batch}" if self.device == "cuda" else ""
        threads = f".threads{self.cores}" if self.ranks == 1 and self.device == "cpu" else ""
        return (f"{self.model}.ranks{self.ranks}{threads}{gpu}" + (".graph" if self.graph else "") +
                (".compiled" if self.compiled else "") + (f".jpeg{self.workers}" if self.workers else ""))

    @property
    def iterations(self):
        """Many more with pictures, for the batches read ahead before the first do not last; a GPU needs milliseconds for them."""
        return 300 if self.device == "cuda" else 40 if self.workers else 14

    @property
    def warmup(self):
        return 50 if self.device == "cuda" else WARMUP

    @property
    def compared(self):
        """So many losses: where sums are added in another order, those of batch norm drift apart from the second on."""
        return 1 if self.compiled or self.ranks > 2 else 5

    @property
    def tolerance(self):
        """Tolerance of the first losses, relative: fp32 in another order, or with 8 to 10 bits of each factor."""
        return 1e-3 if self.device == "cpu" else 2e-2

    @property
    def fixed(self):
        """Settings for GPUs only."""
        if self.device == "cpu":
            return ""
        lines = {"device": "cuda", "precision": self.precision, "tf32": "on", "cudnn_benchmark": "on",
                 "cuda_graph": "on" if self.graph else "off"}
        if self.ranks > 1:
            lines["backend"] = "nccl"
        return "\n".join(f'{key} = "{value}"' for key, value in lines.items())


# All ranks together have what two cores do in about a second an iteration. Four ranks share these where there are no more.
BATCHES = {"alexnet": 32, "googlenet": 16, "resnet50": 8}
CASES = [Case(model, ranks, threads, batch // ranks, compiled=compiled) for compiled in (False, True)
         for model, batch in BATCHES.items() for ranks, threads in ((1, 1), (1, 2), (2, 1), (4, 1))]
CASES += [Case("alexnet", 1, 2, 32, workers=workers, target=1.0) for workers in (1, 2)]
# With batches of 8 the host's part shows, on which a graph and an engine without Python save.
GPU_CASES = [Case(model, ranks, 2, batch, device="cuda", precision=precision, target=1.05 if batch <= 8 else 1.0)
             for model, batch in (("alexnet", 128), ("resnet50", 64), ("resnet50", 8)) for precision in ("fp32", "bf16")
             for ranks in (1, 2)]
GPU_CASES += [Case("resnet50", 1, 2, 8, device="cuda", precision="bf16", graph=True, target=1.05)]
WARMUP, RATE = 4, 0.001
CLASSES, PICTURES_PER_CLASS = 10, 64
# Where a crop is twice the image in both directions, ours decodes it at a reduced scale; 375 rows are less than that.
PICTURE_WORK = ("crops of each one's own, and not the same work: ours decodes only the crop's pixels, without smoothing colours, and "
                "resizes them bilinearly; torchvision decodes the whole picture and resizes with antialiasing")

EXPERIMENT = """format = 1
name = "peer"
[factors]
ranks = [{ranks}]
[fixed]
model = "{model}"
cores_per_rank = {cores}
batch_per_rank = {batch}
image_size = {image}
layout = "channels_last"
{data}
{more}
plan = "buckets"
learning_rate = {rate}
dropout = 0.0
[runs]
repeats = 1
iterations = {iterations}
warmup = {warmup}
"""


class Reading(typing.NamedTuple):
    rate: float  # images/s
    losses: list  # the first five of rank 0
    backend: str  # what summed gradients


def make_pictures(python, folder):
    """JPEG files of 500 x 375 in class folders, about 100 kB each, as ImageNet's are; the same for both."""
    if not folder.exists():
        subprocess.run([python, HERE / "pytorch_peer.py", "--make-pictures", folder, "--classes", str(CLASSES), "--per-class",
                        str(PICTURES_PER_CLASS)], check=True, timeout=600)


def ours(binaries, folder, case):
    file, store = folder / "peer.toml", folder / "peer.db"
    store.unlink(missing_ok=True)
    data = f'data = "folder"\ndata_path = "{folder}/pictures"\ndecode_threads = {case.workers}' if case.workers else 'data = "synthetic"'
    file.write_text(EXPERIMENT.format(model=case.model, ranks=case.ranks, cores=case.cores, batch=case.batch, image=case.image, data=data, more=case.fixed, rate=RATE, iterations=case.iterations,
                                      warmup=case.warmup))
    environment = dict(os.environ, XDG_DATA_HOME=str(folder / "data"))
    if not case.workers:
        environment["RINGSIDE_EXPORT_START"] = str(folder)
    run = subprocess.run([binaries / "ringside-cli", "run", file, "--store", store, "--json"], env=environment,
                         capture_output=True, text=True, timeout=600)
    if run.returncode:
        sys.exit(f"ringside-cli ended with {run.returncode}: {run.stderr[-2000:]}")
    rate = json.loads(run.stdout)[0]["images_per_second"]
    with sqlite3.connect(store) as db:
        losses = [row[0] for row in db.execute("select loss from v_samples where rank = 0 order by seq limit 5")]
        facts = json.loads(db.execute("select json from facts").fetchone()[0])
    return Reading(rate, losses, re.match(r"\w*", facts["transport"])[0].upper())  # "mpi: ob1 over tcp", "nccl 2.28.9 on …"


def theirs(python, folder, case):
    arguments = {"model": case.model, "start": folder, "ranks": case.ranks, "threads": case.cores, "batch": case.batch,
                 "image": case.image, "iterations": case.iterations, "warmup": case.warmup, "layout": "channels_last", "rate": RATE,
                 "device": case.device, "precision": case.precision}
    if case.workers:
        arguments |= {"pictures": folder / "pictures", "workers": case.workers}
    command = [python, HERE / "pytorch_peer.py"] + [str(x) for k, v in arguments.items() for x in ("--" + k, v)]
    command += ["--compile"] if case.compiled else []
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=1800).stdout)
    return Reading(answer["images_per_second"], answer["losses"][:5], "NCCL" if case.device == "cuda" else "gloo")


def read_pair(case, options, folder, number):
    """Readings of ours and theirs. The order alternates; ours is the very first, as it writes the start that both use."""
    if number % 2 == 0:
        return ours(options.bin, folder, case), theirs(options.python, folder, case)
    their_reading = theirs(options.python, folder, case)
    return ours(options.bin, folder, case), their_reading


def what_was_compared(case, pair, difference):
    """In words: by what both summed gradients, and how alike their work was."""
    backends = f"ours over {pair[0].backend}, theirs over {pair[1].backend}; " if case.ranks > 1 else ""
    return backends + (PICTURE_WORK if case.workers else f"losses within {difference:.0e}")


def measure(case, options):
    name = f"worker.{case.name}_vs_pytorch"
    pairs, difference = [], 0.0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if case.workers:
            make_pictures(options.python, folder / "pictures")
        for number in range(options.pairs):
            a, b = read_pair(case, options, folder, number)
            difference = max([difference] + [abs(x - y) / abs(y) for x, y in list(zip(a.losses, b.losses))[:case.compared]])
            pairs.append((a, b))
    if difference > case.tolerance and not case.workers:
        print(f"{name} - 1 {case.target:.2f}  # not printed: the first losses differ by {difference:.1e}")
        return
    ratios = sorted(a.rate / b.rate for a, b in pairs)
    print(f"{name} {statistics.median(ratios):.3f} 1 {case.target:.2f}  # {ratios[0]:.3f} to {ratios[-1]:.3f}, {options.pairs} pairs; "
          f"medians {statistics.median(a.rate for a, _ in pairs):.2f} and {statistics.median(b.rate for _, b in pairs):.2f} images/s; "
          f"{what_was_compared(case, pairs[0], difference)}", flush=True)


def gpus(binaries):
    """That the worker computes on; without one, or without a libtorch for it, 0."""
    features = subprocess.run([binaries / "ringside-worker", "features"], check=True, capture_output=True, text=True, timeout=120)
    found = json.loads(features.stdout)
    return found["gpus"] if found["cuda"] else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--case", help="only cases whose name holds this")
    options = parser.parse_args()
    there = gpus(options.bin)
    if there == 0:
        print("# no GPU that ringside-worker can use: its cases are left out", flush=True)
    for case in CASES + [case for case in GPU_CASES if case.ranks <= there]:
        if not options.case or options.case in case.name:
            measure(case, options)


if __name__ == "__main__":
    main()
