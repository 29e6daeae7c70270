# SPDX-License-Identifier: MIT
"""The cost of measuring: the stamps of an iteration times the cost of one, over the iteration; that of the threads that read
the host's load and write records, by the kernel's count; and, beside it, the same run with and without stamps, samples and
telemetry, in pairs (A B, then B A), with the rank interval of the median difference.
On a GPU that difference is the figure: events are recorded there, which the count of the host's stamps does not include.
Prints "name value unit target".        usage: measuring_cost.py --bin DIR [--pairs N]"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import typing
import uuid

# lenet in small batches: iterations of some milliseconds, on a GPU of less than one, where stamps weigh most
SETTINGS = {"model": "lenet", "ranks": 1, "cores_per_rank": 1, "batch_per_rank": 32, "image_size": 28, "data": "synthetic"}
PLAN = {"name": "none", "collective": "none", "grouping": "one", "schedule": "after_backward",
        "first_bucket_bytes": 1048576, "bucket_cap_bytes": 26214400}
# of the median of n pairs, from the smallest and largest but so many: at least 95 % (binomial, p = 1/2)
LEFT_OUT = {6: 0, 9: 1, 12: 2, 15: 3, 20: 5}


class Case(typing.NamedTuple):
    device: str
    iterations: int


CPU, GPU = Case("cpu", 60), Case("cuda", 3_000)
ENDLESS = Case("cpu", 1_000_000)
STARTED_SECONDS, FIRST_SECONDS = 1, 30  # until it trains; of the measured part, with more than one reading of the load a second
THREADS = ("telemetry", "recorder")


def write_plan(folder, binaries, run_id, case):
    plan = {"format": 1, "campaign": str(uuid.uuid4()), "store": str(uuid.uuid4()), "site": "local", "experiment": "cost",
            "launcher": "fork", "worker": str(binaries / "ringside-worker"), "data_folder": str(folder / "data"),
            "time_limit_s": 600,
            "runs": [{"id": run_id, "number": 1, "repeat": 1, "kind": "run", "configuration": "0" * 16, "seed": 1,
                      "iterations": case.iterations, "warmup": 3, "settings": SETTINGS | {"device": case.device},
                      "plan": PLAN}]}
    (folder / "plan.json").write_text(json.dumps(plan))


def command(folder, binaries, case):
    run_id, attempt = str(uuid.uuid4()), folder / "attempt-1"
    write_plan(folder, binaries, run_id, case)
    attempt.mkdir()
    return [binaries / "ringside-worker", "train", "--plan", folder / "plan.json", "--run", run_id, "--attempt", attempt]


def train(binaries, case, measure):
    """Seconds for all iterations, and the counted microseconds of stamps in one of them."""
    with tempfile.TemporaryDirectory() as temporary:
        run = subprocess.run(command(pathlib.Path(temporary), binaries, case), env=dict(os.environ, RINGSIDE_MEASURE=measure),
                             capture_output=True, text=True, timeout=300)
        if run.returncode:
            sys.exit(f"ringside-worker ended with {run.returncode}: {run.stderr[-2000:]}")
    return float(re.search(r"iterations in ([\d.]+) s", run.stdout)[1]), float(re.search(r"each, ([\d.]+) µs", run.stdout)[1])


def seconds_of_threads(process):
    """On a core, by name."""
    seconds = {}
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        seconds[(task / "comm").read_text().strip()] = int((task / "schedstat").read_text().split()[0]) / 1e9
    return sum(seconds[name] for name in THREADS)


def share_of_threads(binaries):
    """The share of a core, in %, in the first half minute, in which the load is read most often."""
    with tempfile.TemporaryDirectory() as temporary:
        process = subprocess.Popen(command(pathlib.Path(temporary), binaries, ENDLESS), stdout=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            time.sleep(STARTED_SECONDS + FIRST_SECONDS)
            return 100 * seconds_of_threads(process) / FIRST_SECONDS
        finally:
            process.terminate()
            process.wait(timeout=60)


def compare(binaries, case, pairs):
    """Median share of the counted stamps, median difference of the pairs, and its interval; all in %."""
    differences, shares = [], []
    for pair in range(pairs):
        modes = ("all", "none") if pair % 2 == 0 else ("none", "all")
        seconds = {mode: train(binaries, case, mode) for mode in modes}
        with_stamps, counted = seconds["all"]
        differences.append(100 * (with_stamps / seconds["none"][0] - 1))
        shares.append(100 * counted / (with_stamps / case.iterations * 1e6))
    differences.sort()
    left_out = LEFT_OUT[pairs]
    interval = f"[{differences[left_out]:+.2f}, {differences[-1 - left_out]:+.2f}]"
    return statistics.median(shares), statistics.median(differences), interval


def has_gpu(binaries):
    """One that the worker computes on."""
    features = subprocess.run([binaries / "ringside-worker", "features"], check=True, capture_output=True, text=True, timeout=120)
    found = json.loads(features.stdout)
    return found["cuda"] and found["gpus"] > 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--pairs", type=int, default=20, choices=LEFT_OUT)
    options = parser.parse_args()
    binaries = options.bin.resolve()
    share, difference, interval = compare(binaries, CPU, options.pairs)
    print(f"measuring.cost {share:.4f} % 0.1  # stamps counted times their cost, lenet on one rank; "
          f"paired {difference:+.2f} % {interval}, {options.pairs} pairs", flush=True)
    print(f"measuring.threads {share_of_threads(binaries):.3f} % 0.1  # of a core, for {' and '.join(THREADS)}, in the first "
          "half minute", flush=True)
    if not has_gpu(binaries):
        print("# no GPU that ringside-worker can use: what measuring costs on one is left out", flush=True)
        return
    share, difference, interval = compare(binaries, GPU, options.pairs)
    print(f"measuring.cost.gpu {difference:.2f} % 0.1  # {interval}, {options.pairs} pairs with and without, lenet on one "
          f"GPU; stamps of the host counted {share:.4f} %", flush=True)


if __name__ == "__main__":
    main()
