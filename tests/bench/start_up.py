# SPDX-License-Identifier: MIT
"""Start to usable window, and the memory it then has. Each start has an empty HOME and a display of its own (Xvfb).
Prints "name value unit target".        usage: start_up.py --bin DIR [--tries N]"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SETTLE_SECONDS = 3
LIMIT_SECONDS = 30


def resident_megabytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    raise RuntimeError("no VmRSS")


def wait_for_window(pid, environment, limit):
    """xdotool's own --sync looks every half second only."""
    search = ["xdotool", "search", "--onlyvisible", "--pid", str(pid)]
    while subprocess.run(search, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        if time.monotonic() > limit:
            sys.exit(f"no window after {LIMIT_SECONDS} s")
        time.sleep(0.005)


def start_once(binaries, display):
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "DISPLAY": display, "LC_ALL": "C.UTF-8"}
        began = time.monotonic()
        program = subprocess.Popen([binaries / "ringside"], env=environment, stderr=subprocess.DEVNULL)
        try:
            wait_for_window(program.pid, environment, began + LIMIT_SECONDS)
            seconds = time.monotonic() - began
            time.sleep(SETTLE_SECONDS)
            return seconds * 1000, resident_megabytes(program.pid)
        finally:
            program.terminate()
            program.wait(timeout=20)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--tries", type=int, default=7)
    options = parser.parse_args()
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp",
                               "-noreset"],
                              pass_fds=[write], stderr=subprocess.DEVNULL)
    try:
        display = ":" + os.fdopen(read).readline().strip()
        start_once(options.bin, display)  # the first start loads the libraries from the disk
        results = [start_once(options.bin, display) for _ in range(options.tries)]
    finally:
        server.terminate()
        server.wait(timeout=20)
    times, memory = zip(*results)
    print(f"window.start {statistics.median(times):.0f} ms 500  # {min(times):.0f} to {max(times):.0f}, {options.tries} starts, "
          "libraries in the page cache, until the window is visible")
    print(f"window.memory {statistics.median(memory):.0f} MB 150  # resident, {SETTLE_SECONDS} s after")


if __name__ == "__main__":
    main()
