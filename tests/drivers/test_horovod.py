# SPDX-License-Identifier: MIT
"""A driver of Horovod's on two ranks of Open MPI, as it is installed here.

usage: test_horovod.py horovod|horovod-mxnet [TEST…]"""
import contextlib
import os
import re
import signal
import statistics
import subprocess
import time
import unittest

from drivers import DRIVERS, LIMIT, losses, parsed
from proof import TINY
from systems import chosen

TOGETHER = {"input_wait", "forward", "backward", "comm_exposed", "update"}


class Together(unittest.TestCase):
    system = None

    def test_two_ranks_have_the_losses_of_one_with_their_batches(self):
        driver, arguments = (self.system.python, DRIVERS / self.system.driver), "--model lenet --batch-per-rank 8 --iterations 10"
        alone = subprocess.run([*driver, *arguments.split()], env=self.system.environment, text=True, stdout=subprocess.PIPE, timeout=LIMIT)
        ranks = self.system.start(*[TINY + "--iterations 10"] * 2, HOROVOD_CYCLE_TIME="2").finish()
        for rank, told in enumerate(ranks):
            self.assertEqual((told.status, told.begin.get("rank"), told.begin.get("ranks"), told.end), (0, str(rank), "2", 10), told.errors)
            self.assertEqual([(r.number, r.items, set(r.phases)) for r in told.records], [(i, 4, TOGETHER) for i in range(10)])
            self.assertEqual(told.facts["environment"]["HOROVOD_CYCLE_TIME"], "2")
        for mean, loss in zip(map(statistics.mean, zip(*map(losses, ranks))), losses(parsed(alone.stdout, "", 0))):
            self.assertAlmostEqual(mean, loss, delta=1e-5)

    def test_gradients_as_fp16(self):
        ranks = self.system.start(*[TINY + "--iterations 10 --option compression=fp16"] * 2).finish()
        self.assertEqual([told.status for told in ranks], [0, 0], ranks[0].errors)
        self.assertLess(ranks[0].records[-1].loss, ranks[0].records[0].loss)

    def test_sigterm_ends_ranks_in_order(self):
        together = self.system.start(*[TINY + "--iterations 0"] * 2)
        for begun in together.await_text("iteration=3 "):
            with contextlib.suppress(ProcessLookupError):  # with MXNet the first one ends all
                os.kill(int(re.search(r" pid=(\d+)", begun).group(1)), signal.SIGTERM)
            time.sleep(0.3)  # iterations go by before the other is told
        ranks = together.finish()
        for told in ranks:
            self.assertEqual((told.status, told.end), (0, told.records[-1].number + 1), told.errors)


if __name__ == "__main__":
    Together.system = chosen()
    unittest.main()
