# SPDX-License-Identifier: MIT
"""The cost of measured phases in drivers whose frameworks run ahead of their scripts: short runs with phases and without, in turns
(paired), one thread. A run's figure is the lower quartile of what its blocks of iterations last, since other work only ever lengthens
them. Systems that are not installed are left out. Prints "name value unit target".

usage: phases_cost.py [--pairs N]"""
import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "drivers"))
from systems import SYSTEMS  # noqa: E402

CASES = (("lenet", 32, 28, 300), ("alexnet", 8, 64, 30))  # model, batch, pixels, iterations of a run
BLOCKS = 15  # of a run, the first three of which do not count
WARM_UP = 3
TARGET = 0.5


def length_ns(system, case, phases):
    model, batch, pixels, iterations = case
    told = system.run(f"--model {model} --batch-per-rank {batch} --image-size {pixels} --iterations {iterations} --threads 1 "
                      f"--option phases={phases}")[0]
    assert told.status == 0 and ("forward" in told.facts["phases"]) == (phases == "on"), told.errors
    size = iterations // BLOCKS
    blocks = [sum(each.length for each in told.records[first:first + size]) for first in range(WARM_UP * size, iterations, size)]
    return statistics.quantiles(blocks, n=4)[0] / size


def paired(system, case, number):
    """The percentage by which an iteration with phases lasts longer; each of the two begins every second pair."""
    lengths = {phases: length_ns(system, case, phases) for phases in (("on", "off") if number % 2 else ("off", "on"))}
    return 100 * (lengths["on"] / lengths["off"] - 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=9)
    pairs = parser.parse_args().pairs
    for name in ("mxnet", "tensorflow"):
        if not SYSTEMS[name].python:
            print(f"# the cost of phases in {name} is left out: it is not installed (ringside-cli engine install {name})")
            continue
        for case in CASES:
            low, middle, high = statistics.quantiles([paired(SYSTEMS[name], case, number) for number in range(pairs)], n=4)
            print(f"driver.phases.{name}.{case[0]} {middle:.2f} % {TARGET}  # quartiles {low:.2f} to {high:.2f}, of {pairs}",
                  flush=True)


if __name__ == "__main__":
    main()
