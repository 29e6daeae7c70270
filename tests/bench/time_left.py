# SPDX-License-Identifier: MIT
"""Carries out an experiment of short runs of unequal lengths in a home of its own, and holds what Monitor would have said of the
time left against the time that was left (timeleft.cpp).        usage: time_left.py --bin DIR --bench DIR"""
import argparse
import os
import pathlib
import subprocess
import tempfile

EXPERIMENT = """format = 1
name = "time-left"
[factors]
model = ["lenet", "alexnet", "googlenet"]
ranks = [1, 2]
[fixed]
plan = "one"
cores_per_rank = 1
batch_per_rank = 4
image_size = 96
data = "synthetic"
learning_rate = 0.001
[runs]
repeats = 8
iterations = 20
warmup = 2
[base]
ranks = 1
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--bench", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        file = pathlib.Path(home) / "time-left.toml"
        file.write_text(EXPERIMENT)
        environment = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8"}
        subprocess.run([options.bin.resolve() / "ringside-cli", "run", file], env=environment, stdout=subprocess.DEVNULL, check=True)
        subprocess.run([options.bench / "bench_timeleft", f"{home}/.local/share/ringside/ringside.db"], check=True)


if __name__ == "__main__":
    main()
