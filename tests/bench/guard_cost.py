# SPDX-License-Identifier: MIT
"""The cost of reading a system's output in its rank's guard: the share of a core that "ringside-agent rank" uses, by the kernel's
count, while its program prints 1,000 lines a second, less its share while the program prints none. Records of a driver
(records), lines of a log by the patterns of a table (lines), and lines that no pattern knows (other). Medians.
Prints "name value unit target".        usage: guard_cost.py --bin DIR [--rounds N] [--seconds S]"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = 0.1
SETTLED_SECONDS = 35  # the load of the host is read ten times a second until then
KINDS = ("none", "records", "lines", "other")
TABLE = """format = 1
name = "printer"
title = "Printer"
settings = ["device", "image_size"]
[options.kind]
type = "word"
label = "Lines"
levels = ["none", "records", "lines", "other"]
default = "none"
about = "What is printed."
source = "tests/bench/guard_cost.py"
[launch]
command = ["{python}", "SCRIPT", "{drivers}", "{printer.kind}", "LINES"]
[[lines]]
pattern = "Iteration {iteration}: {seconds} s, loss {loss}"
meaning = "interval"
"""
EXPERIMENT = """format = 1
name = "NAME"
[factors]
engine = ["printer"]
[fixed]
model = "lenet"
ranks = 1
batch_per_rank = 32
image_size = 28
printer.kind = "KIND"
[runs]
repeats = 1
warmup = 1
iterations = 1000000
"""
SCRIPT = """import sys, time
sys.path.insert(0, sys.argv[1])
import ringside_records
kind, lines = sys.argv[2], int(sys.argv[3])
records = ringside_records.Records(items=32) if kind == "records" else None
if kind == "lines" or kind == "other":
    print("Iteration 0: 0.001 s, loss 2.3", flush=True)
began, i = time.monotonic(), 0
while i < lines:
    time.sleep(max(0, began + i / 1000 - time.monotonic()))
    for i in range(i + 1, i + 21):
        if records:
            records.mark("forward"); records.mark("backward"); records.mark("update"); records.iteration(2.3)
        elif kind == "lines":
            print("Iteration %d: 0.001 s, loss 2.3" % i)
        elif kind == "other":
            print("epoch 3 step %d of many: nothing that a table knows, rate 1.5e3" % i)
    sys.stdout.flush()
"""


def prepare(folder, lines):
    """An own configuration, and a printer that is installed."""
    script = folder / "printer.py"
    script.write_text(SCRIPT)
    tables, engine = folder / "config/ringside/adapters", folder / "data/ringside/engines/printer"
    tables.mkdir(parents=True)
    engine.mkdir(parents=True)
    (tables / "printer.toml").write_text(TABLE.replace("SCRIPT", str(script)).replace("LINES", str(lines)))
    (engine / "engine.json").write_text(json.dumps({"format": 1, "version": "1.0", "python": shutil.which("python3"), "packages": []}))


def guard_below(folder):
    """The number of the process that guards a rank of this folder's, once there is one."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"ringside-agent") and b"rank" in words[1:2] and os.fsencode(folder) in b" ".join(words):
                return int(process.name)
        time.sleep(0.2)
    sys.exit("no guard was started within a minute")


def cpu_seconds(pid):
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()) / 1e9


def share(binaries, folder, kind, name, seconds):
    """The share of a core, in %."""
    experiment = folder / f"{name}.toml"
    experiment.write_text(EXPERIMENT.replace("NAME", name).replace("KIND", kind))
    environment = dict(os.environ, XDG_CONFIG_HOME=str(folder / "config"), XDG_DATA_HOME=str(folder / "data"))
    program = subprocess.Popen([binaries / "ringside-cli", "run", experiment], env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        guard = guard_below(folder)
        time.sleep(SETTLED_SECONDS)
        before, began = cpu_seconds(guard), time.monotonic()
        time.sleep(seconds)
        return 100 * (cpu_seconds(guard) - before) / (time.monotonic() - began)
    finally:
        program.send_signal(signal.SIGINT)  # it detaches, and another program may write
        program.wait(timeout=60)
        subprocess.run([binaries / "ringside-cli", "cancel", name], env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60, check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    shares = {kind: [] for kind in KINDS}
    for number in range(options.rounds):
        for kind in KINDS:
            with tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary)
                prepare(folder, 1000 * (SETTLED_SECONDS + options.seconds + 60))
                shares[kind].append(share(options.bin.resolve(), folder, kind, f"{kind}{number}", options.seconds))
    idle = statistics.median(shares["none"])
    for kind in KINDS[1:]:
        print(f"guard.{kind} {statistics.median(shares[kind]) - idle:.3f} % {TARGET}  # of a core, at 1,000 lines a second; "
              f"{idle:.3f} % more without any", flush=True)


if __name__ == "__main__":
    main()
