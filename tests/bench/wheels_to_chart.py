# SPDX-License-Identifier: MIT
"""From `engine install pytorch` with its wheels at hand to a figure of PyTorch beside Ringside's engine, in a home of its
own. The wheels are downloaded once, 2.5 GB.      Prints "name value unit target".
usage: wheels_to_chart.py --bin DIR --python PYTHON --wheels DIR"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

TABLE = pathlib.Path(__file__).parents[2] / "resources/adapters/pytorch.toml"
EXPERIMENT = """format = 1
name = "both"
[factors]
engine = ["ringside", "pytorch"]
ranks = [1, 2]
[fixed]
model = "lenet"
image_size = 32
batch_per_rank = 32
[runs]
repeats = 6
iterations = 200
warmup = 10
[base]
ranks = 1
"""


def packages():
    return re.findall(r'"([^"]+)"', re.search(r"^packages\s*=\s*\[(.*)\]", TABLE.read_text(), re.MULTILINE).group(1))


def fetch_wheels(python, folder):
    """Those that are there are not downloaded again."""
    subprocess.run([python, "-m", "pip", "download", "--quiet", "--no-input", "--dest", folder, "pip", "wheel", *packages()],
                   stdout=sys.stderr, check=True)


def seconds_of(command, environment):
    began = time.monotonic()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=sys.stderr, check=True)
    return time.monotonic() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True, help="that installs it")
    parser.add_argument("--wheels", type=pathlib.Path, required=True)
    options = parser.parse_args()
    fetch_wheels(options.python, options.wheels)
    program = options.bin.resolve() / "ringside-cli"
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8"}
        experiment, chart = pathlib.Path(home, "both.toml"), pathlib.Path(home, "chart.pdf")
        experiment.write_text(EXPERIMENT)
        steps = {
            "install": [program, "engine", "install", "pytorch", "--yes", "--python", options.python, "--wheels", options.wheels],
            "24 runs": [program, "run", experiment],
            "figure": [program, "figure", "--experiment", "both", "--to", chart],
        }
        times = {name: seconds_of(command, environment) for name, command in steps.items()}
        if not chart.read_bytes().startswith(b"%PDF"):
            sys.exit("there is no figure")
    remarks = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in times.items())
    print(f"wheels.to_chart {sum(times.values()):.0f} s 300  # {remarks}")


if __name__ == "__main__":
    main()
