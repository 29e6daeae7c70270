# SPDX-License-Identifier: MIT
"""Starts scripts that use what needs nothing but Python 3.6, and reads the lines that they print."""
import os
import pathlib
import re
import subprocess
import sys
import textwrap

DRIVERS = pathlib.Path(__file__).resolve().parents[2] / "agent" / "drivers"
sys.path.insert(0, str(DRIVERS))
import ringside_records  # noqa: E402

BEGIN = re.compile(r"ringside 1 begin rank=(\d+) ranks=(\d+) scope=rank batch=(\d+) pid=(\d+) (\{.*\})")
ITERATION = re.compile(r"ringside 1 iteration=(\d+) start_ns=(\d+) length_ns=(\d+) items=(\d+)((?: \w+=\S+)*)")


def script(text, **environment):
    """What a script that uses the module prints."""
    known = {name for pair in ringside_records.RANK_VARIABLES for name in pair} | {"TF_CONFIG"}
    environment = dict({name: value for name, value in os.environ.items() if name not in known}, PYTHONPATH=str(DRIVERS), **environment)
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=120)


def iterations(text):
    """(number, start, length, items, the rest by name) of each."""
    found = []
    for line in text.splitlines():
        match = ITERATION.fullmatch(line)
        if match:
            rest = dict(each.split("=") for each in match.group(5).split())
            found.append((*map(int, match.groups()[:4]), rest))
    return found
