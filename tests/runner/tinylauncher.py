# SPDX-License-Identifier: MIT
"""A launcher as torchrun is: starts ranks, each in a session of its own, which all begin before any of them trains.
usage: tinylauncher.py FIRST OWN RANKS ITERATIONS ATTEMPT [MODE]: the number of its first rank, how many it starts, of how many
modes: dies    of a signal while its ranks train
       late    ranks but the first begin once that has trained
       uneven  ranks but the first make three iterations
       whole   each rank states the batch of two"""
import os
import signal
import subprocess
import sys
import time

import ringside_records


def train(rank, ranks, iterations, attempt, mode=None):
    if mode == "late" and rank > 0:
        await_file(os.path.join(attempt, "trained"))
    records = ringside_records.Records(items=16 if mode == "whole" else 8, rank=rank, ranks=ranks)
    with open(begun(attempt, rank), "w"):
        if mode != "late":
            await_all(attempt, ranks)
    for _ in range(3 if mode == "uneven" and rank > 0 else iterations):
        time.sleep(0.01)
        records.iteration(loss=rank + 1)
    records.end()
    with open(os.path.join(attempt, "trained"), "w"):
        pass


def begun(attempt, rank):
    return os.path.join(attempt, "begun-%d" % rank)


def await_file(path):
    while not os.path.exists(path):
        time.sleep(0.01)


def await_all(attempt, ranks):
    for rank in range(ranks):
        await_file(begun(attempt, rank))


def launch(first, own, *words):
    children = [subprocess.Popen([sys.executable, __file__, "rank", str(first + number), *words], start_new_session=True)
                for number in range(own)]
    if words[3:] == ("dies",):
        await_all(words[2], int(words[0]))
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(max(child.wait() for child in children))


if sys.argv[1] == "rank":
    train(*map(int, sys.argv[2:5]), *sys.argv[5:])
else:
    launch(*map(int, sys.argv[1:3]), *sys.argv[3:])
