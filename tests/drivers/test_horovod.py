# SPDX-License-Identifier: MIT
"""Horovod's driver on two ranks of Open MPI, in the Python that RINGSIDE_HOROVOD_PYTHON names.

usage: test_horovod.py [TEST…]"""
import os
import re
import signal
import statistics
import subprocess
import sys
import time
import unittest

from drivers import DRIVERS, LIMIT, losses, parsed

PYTHON = os.environ.get("RINGSIDE_HOROVOD_PYTHON")
TINY = "--model lenet --batch-per-rank 4 --threads 1 "
TOGETHER = {"input_wait", "forward", "backward", "comm_exposed", "update"}


def mpirun(*arguments, **variables):
    """A driver for each text of arguments, a rank each. A rank's lines begin with its tag."""
    command = ["mpirun", "--oversubscribe", "--tag-output"]
    for each in arguments:
        command += ["-np", "1", PYTHON, DRIVERS / "horovod_pytorch.py", *each.split(), ":"]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **variables)
    return subprocess.Popen(command[:-1], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process, seen=""):
    output, errors = process.communicate(timeout=LIMIT)
    tags = [f"[1,{rank}]<stdout>:" for rank in range(2)]
    lines = (seen + output).splitlines()
    return [parsed("\n".join(line[len(tag):] for line in lines if line.startswith(tag)), errors, process.returncode) for tag in tags]


class Together(unittest.TestCase):
    def test_two_ranks_have_the_losses_of_one_with_their_batches(self):
        alone = subprocess.run([PYTHON, DRIVERS / "horovod_pytorch.py", *"--model lenet --batch-per-rank 8 --iterations 10".split()],
                               text=True, stdout=subprocess.PIPE, timeout=LIMIT)
        ranks = finish(mpirun(*[TINY + "--iterations 10"] * 2, HOROVOD_CYCLE_TIME="2"))
        for rank, told in enumerate(ranks):
            self.assertEqual((told.status, told.begin["rank"], told.begin["ranks"], told.end), (0, str(rank), "2", 10), told.errors)
            self.assertEqual([(r.number, r.items, set(r.phases)) for r in told.records], [(i, 4, TOGETHER) for i in range(10)])
            self.assertEqual(told.facts["environment"]["HOROVOD_CYCLE_TIME"], "2")
        for mean, loss in zip(map(statistics.mean, zip(*map(losses, ranks))), losses(parsed(alone.stdout, "", 0))):
            self.assertAlmostEqual(mean, loss, delta=1e-5)

    def test_gradients_as_fp16(self):
        ranks = finish(mpirun(*[TINY + "--iterations 10 --option compression=fp16"] * 2))
        self.assertEqual([told.status for told in ranks], [0, 0], ranks[0].errors)
        self.assertLess(ranks[0].records[-1].loss, ranks[0].records[0].loss)

    def test_sigterm_ends_ranks_in_order(self):
        process, seen, of_ranks = mpirun(*[TINY + "--iterations 0"] * 2), "", {}
        while len(of_ranks) < 2 or "iteration=3 " not in seen:
            line = process.stdout.readline()
            self.assertTrue(line)
            seen += line
            if " begin " in line:
                of_ranks[line[3]] = int(re.search(r" pid=(\d+)", line).group(1))
        for pid in of_ranks.values():
            os.kill(pid, signal.SIGTERM)
            time.sleep(0.3)  # iterations go by before the other is told
        ranks = finish(process, seen)
        for told in ranks:
            self.assertEqual((told.status, told.end), (0, told.records[-1].number + 1), told.errors)


if __name__ == "__main__":
    if not PYTHON:
        print("skipped: there is no Horovod for Python: RINGSIDE_HOROVOD_PYTHON names none")
        sys.exit()
    unittest.main()
