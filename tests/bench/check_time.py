# SPDX-License-Identifier: MIT
"""The time of `ringside-cli check`, in a home of its own: with the worker's answer stored, and when it is asked first.
Prints "name value unit target".        usage: check_time.py --bin DIR [--tries N]"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

EXPERIMENT = pathlib.Path(__file__).parents[2] / "resources/experiments/first-light.toml"


def check_once(binaries, home):
    environment = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8"}
    began = time.monotonic()
    subprocess.run([binaries / "ringside-cli", "check", EXPERIMENT], env=environment, stdout=subprocess.DEVNULL, check=True)
    return (time.monotonic() - began) * 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--tries", type=int, default=15)
    options = parser.parse_args()
    binaries = options.bin.resolve()
    first = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as home:
            first.append(check_once(binaries, home))
    with tempfile.TemporaryDirectory() as home:
        check_once(binaries, home)
        times = [check_once(binaries, home) for _ in range(options.tries)]
    print(f"check.time {statistics.median(times):.0f} ms 50  # {min(times):.0f} to {max(times):.0f}, {options.tries} checks, the "
          "worker's answer kept")
    print(f"check.first {statistics.median(first):.0f} ms -  # median of {len(first)}, the worker is asked; libraries in the page cache")


if __name__ == "__main__":
    main()
