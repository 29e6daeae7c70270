# SPDX-License-Identifier: MIT
"""A launcher as torchrun is: starts ranks, each in a session of its own, which all begin before any of them trains.
usage: tinylauncher.py FIRST OWN RANKS ITERATIONS ATTEMPT [dies]: the number of its first rank, how many it starts, of how many; or
it dies of a signal while they train."""
import os
import signal
import subprocess
import sys
import time

import ringside_records


def train(rank, ranks, iterations, attempt):
    records = ringside_records.Records(items=8, rank=rank, ranks=ranks)
    with open(begun(attempt, rank), "w"):
        await_all(attempt, ranks)
    for _ in range(iterations):
        time.sleep(0.01)
        records.iteration(loss=rank + 1)


def begun(attempt, rank):
    return os.path.join(attempt, "begun-%d" % rank)


def await_all(attempt, ranks):
    while not all(os.path.exists(begun(attempt, rank)) for rank in range(ranks)):
        time.sleep(0.01)


def launch(first, own, *words, dies):
    children = [subprocess.Popen([sys.executable, __file__, "rank", str(first + number), *words], start_new_session=True)
                for number in range(own)]
    if dies:
        await_all(words[2], int(words[0]))
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(max(child.wait() for child in children))


if sys.argv[1] == "rank":
    train(*map(int, sys.argv[2:5]), sys.argv[5])
else:
    launch(*map(int, sys.argv[1:3]), *sys.argv[3:6], dies=sys.argv[6:] == ["dies"])
