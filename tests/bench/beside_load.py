# SPDX-License-Identifier: MIT
"""The rest of a run's images/s beside one and two busy processes on its two cores, as a share of its rate there alone: one
rank of two threads, and two ranks. Fair shares are 0.5 and 0.33. Beside it the same of an equivalent PyTorch loop, and the
cost of the bound on spinning (agent/runner/spinning.cpp) when nothing else runs, against libgomp's own. In rounds that go through all
loads; medians of ratios within a round. Only a machine that does nothing else gives figures that mean something.
Prints "name value unit target".        usage: beside_load.py --bin DIR --python PYTHON [--rounds N]"""
import argparse
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from worker_vs_pytorch import Case, ours, theirs

CASES = [Case("resnet50", 1, 2, 8), Case("resnet50", 2, 1, 4)]
TARGETS = {1: 0.45, 2: 0.3}  # by busy processes
LEAST_QUIET = 0.99
LIBGOMP_LOOKS = "300000"  # gomp's own bound where there is a core for each thread


@contextlib.contextmanager
def busy(count):
    """Processes that do nothing but compute, each in a session of its own, on the cores of this one, and end with it."""
    code = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
    processes = [subprocess.Popen([sys.executable, "-c", code], start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def environment(**variables):
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def shares(run, rounds):
    """By busy processes: of each round what was left; and the quiet rates."""
    left, quiet = {load: [] for load in TARGETS}, []
    for number in range(rounds):
        loads = [0, *TARGETS] if number % 2 == 0 else [*reversed(TARGETS), 0]
        rates = {}
        for load in loads:
            with busy(load):
                rates[load] = run()
        quiet.append(rates[0])
        for load in TARGETS:
            left[load].append(rates[load] / rates[0])
    return left, quiet


def tell(name, ratios, target, remark):
    print(f"{name} {statistics.median(ratios):.3f} 1 {target}  # {min(ratios):.3f} to {max(ratios):.3f}; {remark}", flush=True)


def measure(case, options, folder):
    runs = {"": lambda: ours(options.bin, folder, case).rate, ".pytorch": lambda: theirs(options.python, folder, case).rate}
    for who, run in runs.items():  # ours writes what theirs starts from
        left, quiet = shares(run, options.rounds)
        for load, ratios in left.items():
            tell(f"load.{case.name}.busy{load}{who}", ratios, "-" if who else TARGETS[load],
                 f"alone {statistics.median(quiet):.2f} images/s")


def measure_quiet(case, options, folder):
    ratios = []
    for number in range(options.rounds):
        rates = {}
        for looks in (None, LIBGOMP_LOOKS) if number % 2 == 0 else (LIBGOMP_LOOKS, None):
            with environment(**({"GOMP_SPINCOUNT": looks} if looks else {})):
                rates[looks] = ours(options.bin, folder, case).rate
        ratios.append(rates[None] / rates[LIBGOMP_LOOKS])
    tell(f"load.{case.name}.bound_spinning", ratios, LEAST_QUIET, "alone, over libgomp's own bound")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("Two cores are needed.")
    os.sched_setaffinity(0, cores[:2])
    for case in CASES:
        with tempfile.TemporaryDirectory() as temporary:
            measure(case, options, pathlib.Path(temporary))
            if case.ranks == 1:
                measure_quiet(case, options, pathlib.Path(temporary))


if __name__ == "__main__":
    main()
