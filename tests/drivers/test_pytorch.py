# SPDX-License-Identifier: MIT
"""PyTorch's driver, in the Python of the system that is installed here.

usage: test_pytorch.py pytorch [--bin DIR] [TEST…]        DIR: of ringside-cli and ringside-worker, for what compares losses with them"""
import argparse
import os
import pathlib
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from drivers import LIMIT, await_iteration, finish, losses, run, start
from proof import TINY
from systems import SYSTEMS, chosen

PYTHON = SYSTEMS["pytorch"].python
DRIVER = (PYTHON, "pytorch.py")
TOGETHER = {"input_wait", "forward", "backward", "comm_exposed", "update"}
ENDS_WITHIN = 60  # seconds after a signal; on an idle machine it is one
BINARIES = None

EXPERIMENT = """format = 1
name = "equal"
[factors]
ranks = [{ranks}]
[fixed]
model = "{model}"
image_size = {size}
batch_per_rank = {batch}
data = "synthetic"
dropout = 0.0
learning_rate = 0.01
weight_decay = 0.0001
[runs]
repeats = 1
iterations = 5
warmup = 1
"""


def ours(model, size, batch, ranks):
    """The first five losses of each rank, and the seed of the run, which its experiment's is not."""
    with tempfile.TemporaryDirectory() as folder:
        file, store = pathlib.Path(folder, "equal.toml"), pathlib.Path(folder, "equal.db")
        file.write_text(EXPERIMENT.format(model=model, size=size, batch=batch, ranks=ranks))
        subprocess.run([BINARIES / "ringside-cli", "run", file, "--store", store], check=True, timeout=LIMIT, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, env=dict(os.environ, XDG_DATA_HOME=folder))
        with sqlite3.connect(store) as db:
            seed, = db.execute("select seed from v_runs").fetchone()
            rows = db.execute("select rank, loss from v_samples order by rank, seq").fetchall()
    return seed, [[loss for of, loss in rows if of == rank] for rank in range(ranks)]


class Equal(unittest.TestCase):
    """From equal weights and on equal batches, which the seed alone makes equal, losses are ringside-worker's."""

    def compare(self, model, size, batch, ranks=1):
        if not BINARIES:
            self.skipTest("no --bin says where ringside-cli is")
        seed, expected = ours(model, size, batch, ranks)
        theirs = run(*DRIVER, f"--model {model} --image-size {size} --batch-per-rank {batch} --seed {seed} --iterations 5 --threads 1"
                              " --dropout 0 --weight-decay 0.0001", ranks=ranks)
        for rank in range(ranks):
            self.assertEqual(len(expected[rank]), 5)
            for a, b in zip(losses(theirs[rank]), expected[rank]):
                self.assertLess(abs(a - b) / b, 1e-3, (losses(theirs[rank]), expected[rank], theirs[rank].errors))
                print(f"{model} on {ranks}, rank {rank}: {a:.7f} and {b:.7f}")

    def test_lenet(self):
        self.compare("lenet", 28, 32)

    def test_lenet_on_two_ranks(self):
        self.compare("lenet", 28, 16, ranks=2)

    def test_alexnet(self):
        self.compare("alexnet", 64, 8)

    def test_googlenet(self):
        self.compare("googlenet", 64, 4)

    def test_resnet50(self):
        self.compare("resnet50", 64, 4)


class Together(unittest.TestCase):
    def test_two_ranks_have_the_losses_of_one_with_their_batches(self):
        alone, = run(*DRIVER, "--model lenet --batch-per-rank 8 --threads 1 --iterations 10")
        ranks = run(*DRIVER, TINY + "--iterations 10", ranks=2)
        for rank, told in enumerate(ranks):
            self.assertEqual((told.status, told.begin["rank"], told.begin["ranks"], told.end), (0, str(rank), "2", 10), told.errors)
            self.assertEqual([(r.number, r.items, set(r.phases)) for r in told.records], [(i, 4, TOGETHER) for i in range(10)])
            for one, next_one in zip(told.records, told.records[1:]):
                self.assertEqual(one.start + one.length, next_one.start)
                self.assertLessEqual(sum(one.phases.values()), one.length)
        self.assertEqual(alone.facts["phases"], ["input_wait", "forward", "backward", "update"])
        for mean, loss in zip(map(statistics.mean, zip(*map(losses, ranks))), losses(alone)):
            self.assertAlmostEqual(mean, loss, delta=1e-5)
        self.assertNotEqual(losses(ranks[0]), losses(ranks[1]), "each has pictures of its own")

    def test_hooks_compress_gradients(self):
        for hook in ("fp16", "bf16", "powersgd"):
            ranks = run(*DRIVER, TINY + f"--iterations 10 --option comm_hook={hook} --option gradient_as_bucket_view=on"
                                        " --option bucket_cap_mb=1 --option static_graph=on", ranks=2)
            self.assertEqual([(told.status, told.end, told.facts["configuration"]["comm_hook"]) for told in ranks], [(0, 10, hook)] * 2,
                             ranks[0].errors)
            self.assertLess(ranks[0].records[-1].loss, ranks[0].records[0].loss)

    def test_powersgd_begins_before_the_iterations_that_count(self):
        for arguments, status, advice in (("--iterations 10 --option powersgd_start=4 --option warmup=3", 2, "a warm-up of 4 or more"),
                                          ("--iterations 4 --option powersgd_start=4", 2, "choose more --iterations"),
                                          ("--iterations 5 --option powersgd_start=4 --option warmup=4", 0, "")):
            ranks = run(*DRIVER, TINY + f"--option comm_hook=powersgd {arguments}", ranks=2)
            self.assertEqual([told.status for told in ranks], [status] * 2, ranks[0].errors)
            self.assertIn(advice, ranks[0].errors)

    def test_sigterm_ends_all_ranks_after_the_same_iteration(self):
        processes = start(*DRIVER, TINY + "--iterations 0", ranks=2)
        for process in processes:
            await_iteration(process, 3)
        for process in processes:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)  # iterations go by before the other is told
        began = time.monotonic()
        told = finish(processes)
        self.assertLess(time.monotonic() - began, ENDS_WITHIN)
        self.assertEqual([rank.status for rank in told], [0, 0], told[0].errors + told[1].errors)
        self.assertEqual(told[0].end, told[1].end)
        self.assertEqual([rank.records[-1].number + 1 for rank in told], [rank.end for rank in told])

    def test_a_killed_rank_ends_the_other(self):
        processes = start(*DRIVER, TINY + "--iterations 0", ranks=2)
        await_iteration(processes[1], 3)
        processes[1].kill()
        began = time.monotonic()
        survivor, killed = finish(processes)
        self.assertLess(time.monotonic() - began, ENDS_WITHIN)
        self.assertEqual((killed.status, survivor.status > 0, survivor.end), (-signal.SIGKILL, True, None))


class Pictures(unittest.TestCase):
    def test_a_folder_is_read_by_workers_and_sigterm_ends_in_order(self):
        with tempfile.TemporaryDirectory() as folder:
            make = f"""if True:
                import os
                from PIL import Image
                for k in range(2):
                    os.mkdir(f"{folder}/{{k}}")
                    for n in range(8):
                        Image.effect_noise((60, 40), 50).convert("RGB").save(f"{folder}/{{k}}/{{n}}.jpg")
                """
            subprocess.run([PYTHON, "-c", make], check=True, timeout=LIMIT)
            process, = start(*DRIVER, TINY + f"--iterations 0 --data {folder} --loader-workers 2")
            await_iteration(process, 10)  # several epochs
            os.killpg(process.pid, signal.SIGTERM)
            told, = finish([process])
            self.assertEqual((told.status, told.end), (0, told.records[-1].number + 1), told.errors)
            for arguments, sentence in (("--classes 1", "choose --classes 2"), ("--batch-per-rank 17", "fewer than one batch")):
                told, = run(*DRIVER, TINY + f"--data {folder} {arguments}")
                self.assertEqual((told.status, told.begin), (2, {}))
                self.assertIn(sentence, told.errors)


class Precision(unittest.TestCase):
    def test_bf16_learns(self):
        told, = run(*DRIVER, TINY + "--iterations 10 --precision bf16")
        self.assertLess(told.records[-1].loss, told.records[0].loss)
        self.assertEqual(told.facts["configuration"]["precision"], "bf16")

    def test_what_cannot_be_done_is_refused_at_once(self):
        for arguments, sentence in (("--precision fp16", "choose --precision bf16"), ("--option bucket=1", "choose from"),
                                    ("--device cuda", "choose --device cpu")):
            told, = run(*DRIVER, TINY + arguments)
            if "cuda" in arguments and told.status == 0:
                self.skipTest("this machine has a GPU")
            self.assertEqual((told.status, len(told.errors.splitlines())), (2, 1), told.errors)
            self.assertIn(sentence, told.errors)


if __name__ == "__main__":
    system = chosen()
    if subprocess.run([system.python, "-c", "import torchvision"], stderr=subprocess.DEVNULL, timeout=LIMIT).returncode:
        print(f"skipped pytorch: no torchvision is beside it, in {system.python}")
        sys.exit()
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path)
    options, rest = parser.parse_known_args()
    BINARIES = options.bin
    unittest.main(argv=sys.argv[:1] + rest)
