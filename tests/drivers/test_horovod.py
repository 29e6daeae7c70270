# SPDX-License-Identifier: MIT
"""Horovod's drivers on two ranks of Open MPI, in the Pythons that RINGSIDE_HOROVOD_PYTHON and RINGSIDE_HOROVOD_MXNET_PYTHON name.

usage: test_horovod.py [TEST…]"""
import contextlib
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from drivers import DRIVERS, LIMIT, losses, parsed

OF_PYTORCH = (os.environ.get("RINGSIDE_HOROVOD_PYTHON"), DRIVERS / "horovod_pytorch.py")
OF_MXNET = (os.environ.get("RINGSIDE_HOROVOD_MXNET_PYTHON"), DRIVERS / "horovod_mxnet.py")
TINY = "--model lenet --batch-per-rank 4 --threads 1 "
TOGETHER = {"input_wait", "forward", "backward", "comm_exposed", "update"}


class Ranks:
    """The driver by mpirun, for each text of arguments a rank, which writes into a file: mpirun would mix their lines."""

    def __init__(self, driver, *arguments, **variables):
        self._folder = tempfile.TemporaryDirectory()
        self._files = [pathlib.Path(self._folder.name, str(rank)) for rank in range(len(arguments))]
        command = ["mpirun", "--oversubscribe"]
        for each, file in zip(arguments, self._files):
            file.touch()
            command += ["-np", "1", "sh", "-c", 'exec "$@" >"$0"', file, *driver, *each.split(), ":"]
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **variables)
        self._process = subprocess.Popen(command[:-1], env=environment, text=True, stderr=subprocess.PIPE)

    def await_text(self, text):
        """Until all have printed it. What they have printed then."""
        until = time.monotonic() + LIMIT
        while not all(text in file.read_text() for file in self._files):
            if self._process.poll() is not None or time.monotonic() > until:
                raise AssertionError(self._process.communicate()[1])
            time.sleep(0.05)
        return [file.read_text() for file in self._files]

    def finish(self):
        errors = self._process.communicate(timeout=LIMIT)[1]
        with self._folder:
            return [parsed(file.read_text(), errors, self._process.returncode) for file in self._files]


class Together:
    """What both drivers do."""
    driver = None

    def setUp(self):
        if not self.driver[0]:
            self.skipTest("no Python with this Horovod is named")

    def test_two_ranks_have_the_losses_of_one_with_their_batches(self):
        alone = subprocess.run([*self.driver, *"--model lenet --batch-per-rank 8 --iterations 10".split()],
                               text=True, stdout=subprocess.PIPE, timeout=LIMIT)
        ranks = Ranks(self.driver, *[TINY + "--iterations 10"] * 2, HOROVOD_CYCLE_TIME="2").finish()
        for rank, told in enumerate(ranks):
            self.assertEqual((told.status, told.begin["rank"], told.begin["ranks"], told.end), (0, str(rank), "2", 10), told.errors)
            self.assertEqual([(r.number, r.items, set(r.phases)) for r in told.records], [(i, 4, TOGETHER) for i in range(10)])
            self.assertEqual(told.facts["environment"]["HOROVOD_CYCLE_TIME"], "2")
        for mean, loss in zip(map(statistics.mean, zip(*map(losses, ranks))), losses(parsed(alone.stdout, "", 0))):
            self.assertAlmostEqual(mean, loss, delta=1e-5)

    def test_gradients_as_fp16(self):
        ranks = Ranks(self.driver, *[TINY + "--iterations 10 --option compression=fp16"] * 2).finish()
        self.assertEqual([told.status for told in ranks], [0, 0], ranks[0].errors)
        self.assertLess(ranks[0].records[-1].loss, ranks[0].records[0].loss)

    def test_sigterm_ends_ranks_in_order(self):
        together = Ranks(self.driver, *[TINY + "--iterations 0"] * 2)
        for begun in together.await_text("iteration=3 "):
            with contextlib.suppress(ProcessLookupError):  # with MXNet the first one ends all
                os.kill(int(re.search(r" pid=(\d+)", begun).group(1)), signal.SIGTERM)
            time.sleep(0.3)  # iterations go by before the other is told
        ranks = together.finish()
        for told in ranks:
            self.assertEqual((told.status, told.end), (0, told.records[-1].number + 1), told.errors)


class PyTorch(Together, unittest.TestCase):
    driver = OF_PYTORCH


class MXNet(Together, unittest.TestCase):
    driver = OF_MXNET


if __name__ == "__main__":
    if not OF_PYTORCH[0] and not OF_MXNET[0]:
        print("skipped: there is no Horovod for Python: RINGSIDE_HOROVOD_PYTHON and RINGSIDE_HOROVOD_MXNET_PYTHON name none")
        sys.exit()
    unittest.main()
