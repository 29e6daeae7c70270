# SPDX-License-Identifier: MIT
"""Starts drivers as Ringside's runner does: a process a rank, arguments and environment; and reads what they print."""
import collections
import json
import os
import pathlib
import re
import socket
import subprocess

DRIVERS = pathlib.Path(__file__).resolve().parents[2] / "agent" / "drivers"
ENGINES = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share") / "ringside"
LIMIT = 600  # seconds, for what hangs alone: a loaded machine may be ten times as slow

Record = collections.namedtuple("Record", "number start length items loss phases")
Rank = collections.namedtuple("Rank", "begin facts records end status errors")


def rank_environment(rank, ranks, port):
    return dict(os.environ, RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1")


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def start(python, driver, arguments, ranks=1, of_rank=lambda rank: "", environment_of=None):
    """`of_rank` gives one rank arguments of its own. Environments are torchrun's, unless they are given."""
    port = free_port()
    return [subprocess.Popen([python, DRIVERS / driver, *arguments.split(), *of_rank(rank).split()], text=True, start_new_session=True,
                             env=environment_of(rank) if environment_of else rank_environment(rank, ranks, port),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for rank in range(ranks)]


def await_iteration(process, number):
    """Until its record is there. What is read is kept for finish(), which would pass over what a buffer holds: so there is none."""
    seen = b""
    while f"ringside 1 iteration={number} ".encode() not in seen:
        piece = os.read(process.stdout.fileno(), 65536)
        assert piece, process.communicate()
        seen += piece
    process.seen = seen.decode(errors="replace")


def finish(processes):
    return [finished(process) for process in processes]


def finished(process):
    output, errors = process.communicate(timeout=LIMIT)
    return parsed(getattr(process, "seen", "") + output, errors, process.returncode)


def run(*arguments, **more):
    return finish(start(*arguments, **more))


def parsed(output, errors, status):
    """Every line that says “ringside” has to be a whole one."""
    begin, facts, records, end = {}, {}, [], None
    for line in output.splitlines():
        if not line.startswith("ringside"):
            continue
        assert line.startswith("ringside 1 "), line
        kind, *words = line[len("ringside 1 "):].split(" ")
        if kind == "begin":
            text = line[line.index("{"):]
            begin, facts = pairs(line[:line.index("{")].split()[3:]), json.loads(text)
        elif kind == "end":
            end = int(words[0].split("=")[1])
        else:
            records.append(record(pairs([kind] + words)))
    return Rank(begin, facts, records, end, status, errors)


def pairs(words):
    return dict(word.split("=") for word in words)


def record(fields):
    phases = {name[:-3]: int(value) for name, value in fields.items() if name.endswith("_ns") and name not in ("start_ns", "length_ns")}
    return Record(int(fields["iteration"]), int(fields["start_ns"]), int(fields["length_ns"]), int(fields["items"]),
                  float(fields["loss"]), phases)


def losses(rank):
    return [each.loss for each in rank.records]
