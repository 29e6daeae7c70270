# SPDX-License-Identifier: MIT
"""Images/s of ringside-worker over those of an equivalent PyTorch loop, in pairs (A B A B …), so that a machine whose
speed drifts does not decide. Prints "name value unit target"; a ratio only if the first five losses agree to 1e-3.

usage: worker_vs_pytorch.py --bin DIR --python PYTHON [--pairs N]"""
import argparse
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# model, ranks, cores per rank, batch per rank, image size: what two cores do in about a second an iteration
CASES = [("alexnet", 1, 2, 32, 224), ("alexnet", 2, 1, 16, 224), ("resnet50", 1, 2, 8, 224), ("resnet50", 2, 1, 4, 224)]
ITERATIONS, WARMUP, RATE = 14, 4, 0.001

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
data = "synthetic"
plan = "buckets"
learning_rate = {rate}
dropout = 0.0
[runs]
repeats = 1
iterations = {iterations}
warmup = {warmup}
"""


def ours(binaries, folder, case):
    model, ranks, cores, batch, image = case
    file, store = folder / "peer.toml", folder / "peer.db"
    store.unlink(missing_ok=True)
    file.write_text(EXPERIMENT.format(model=model, ranks=ranks, cores=cores, batch=batch, image=image, rate=RATE,
                                      iterations=ITERATIONS, warmup=WARMUP))
    environment = dict(os.environ, RINGSIDE_EXPORT_START=str(folder), XDG_DATA_HOME=str(folder / "data"))
    run = subprocess.run([binaries / "ringside-cli", "run", file, "--store", store, "--json"], env=environment,
                         capture_output=True, text=True, timeout=600)
    if run.returncode:
        sys.exit(f"ringside-cli ended with {run.returncode}: {run.stderr[-2000:]}")
    rate = json.loads(run.stdout)[0]["images_per_second"]
    with sqlite3.connect(store) as db:
        losses = [row[0] for row in db.execute("select loss from v_samples where rank = 0 order by seq limit 5")]
    return rate, losses


def theirs(python, folder, case):
    model, ranks, cores, batch, image = case
    arguments = {"model": model, "start": folder, "ranks": ranks, "threads": cores, "batch": batch, "image": image,
                 "iterations": ITERATIONS, "warmup": WARMUP, "layout": "channels_last", "rate": RATE}
    command = [python, HERE / "pytorch_peer.py"] + [str(x) for k, v in arguments.items() for x in ("--" + k, v)]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout)
    return answer["images_per_second"], answer["losses"][:5]


def measure(case, options):
    name = f"worker.{case[0]}.ranks{case[1]}_vs_pytorch"
    pairs, difference = [], 0.0
    with tempfile.TemporaryDirectory() as temporary:
        for _ in range(options.pairs):
            a, our_losses = ours(options.bin, pathlib.Path(temporary), case)
            b, their_losses = theirs(options.python, pathlib.Path(temporary), case)
            difference = max([difference] + [abs(x - y) / abs(y) for x, y in zip(our_losses, their_losses)])
            pairs.append((a, b))
    if difference > 1e-3:
        print(f"{name} - 1 1.00  # not printed: the first losses differ by {difference:.1e}")
        return
    ratios = sorted(a / b for a, b in pairs)
    print(f"{name} {statistics.median(ratios):.3f} 1 1.00  # {ratios[0]:.3f} to {ratios[-1]:.3f}, {options.pairs} pairs; "
          f"medians {statistics.median(a for a, _ in pairs):.2f} and {statistics.median(b for _, b in pairs):.2f} images/s; "
          f"losses within {difference:.0e}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--case", help="only cases whose name holds this")
    options = parser.parse_args()
    for case in CASES:
        if not options.case or options.case in f"{case[0]}.ranks{case[1]}":
            measure(case, options)


if __name__ == "__main__":
    main()
