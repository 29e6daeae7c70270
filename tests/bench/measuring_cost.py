# SPDX-License-Identifier: MIT
"""What measuring costs: the stamps of an iteration times what one costs, over the iteration; and, beside it, the same run
with and without stamps, samples and telemetry, in pairs (A B, then B A), with the rank interval of the median difference.
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
import uuid

ITERATIONS = 60
# lenet in small batches: iterations of some milliseconds, where stamps weigh most
SETTINGS = {"model": "lenet", "ranks": 1, "cores_per_rank": 1, "batch_per_rank": 32, "image_size": 28, "data": "synthetic"}
PLAN = {"name": "none", "collective": "none", "grouping": "one", "schedule": "after_backward",
        "first_bucket_bytes": 1048576, "bucket_cap_bytes": 26214400}
# of the median of n pairs, from the smallest and largest but so many: at least 95 % (binomial, p = 1/2)
LEFT_OUT = {6: 0, 9: 1, 12: 2, 15: 3, 20: 5}


def write_plan(folder, binaries, run_id):
    plan = {"format": 1, "campaign": str(uuid.uuid4()), "store": str(uuid.uuid4()), "site": "local", "experiment": "cost",
            "launcher": "fork", "worker": str(binaries / "ringside-worker"), "data_folder": str(folder / "data"),
            "time_limit_s": 600,
            "runs": [{"id": run_id, "number": 1, "repeat": 1, "kind": "run", "configuration": "0" * 16, "seed": 1,
                      "iterations": ITERATIONS, "warmup": 3, "settings": SETTINGS, "plan": PLAN}]}
    (folder / "plan.json").write_text(json.dumps(plan))


def train(binaries, measure):
    """Seconds for all iterations, and the counted microseconds of stamps in one of them."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, run_id = pathlib.Path(temporary), str(uuid.uuid4())
        write_plan(folder, binaries, run_id)
        attempt = folder / "attempt-1"
        attempt.mkdir()
        run = subprocess.run([binaries / "ringside-worker", "train", "--plan", folder / "plan.json", "--run", run_id,
                              "--attempt", attempt], env=dict(os.environ, RINGSIDE_MEASURE=measure),
                             capture_output=True, text=True, timeout=300)
        if run.returncode:
            sys.exit(f"ringside-worker ended with {run.returncode}: {run.stderr[-2000:]}")
    return float(re.search(r"iterations in ([\d.]+) s", run.stdout)[1]), float(re.search(r"each, ([\d.]+) µs", run.stdout)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--pairs", type=int, default=20, choices=LEFT_OUT)
    options = parser.parse_args()
    binaries = options.bin.resolve()
    differences, shares = [], []
    for pair in range(options.pairs):
        modes = ("all", "none") if pair % 2 == 0 else ("none", "all")
        seconds = {mode: train(binaries, mode) for mode in modes}
        with_stamps, counted = seconds["all"]
        differences.append(100 * (with_stamps / seconds["none"][0] - 1))
        shares.append(100 * counted / (with_stamps / ITERATIONS * 1e6))
    differences.sort()
    left_out = LEFT_OUT[options.pairs]
    print(f"measuring.cost {statistics.median(shares):.4f} % 0.5  # stamps counted times their cost, lenet on one rank; "
          f"paired {statistics.median(differences):+.2f} % "
          f"[{differences[left_out]:+.2f}, {differences[-1 - left_out]:+.2f}], {options.pairs} pairs", flush=True)


if __name__ == "__main__":
    main()
