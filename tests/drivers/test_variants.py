# SPDX-License-Identifier: MIT
"""Options, precisions and pictures of a driver, tried for a few iterations of one system, as it is installed here.

usage: test_variants.py SYSTEM [TEST…]"""
import base64
import math
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

from drivers import DRIVERS, losses
from proof import TINY
from systems import chosen

sys.path.insert(0, str(DRIVERS))
import parts_mxnet  # noqa: E402

ITERATIONS = 8
# A network, pixels of its pictures, and the sides of the maps that its poolings make of them in PyTorch. GoogLeNet's windows may reach
# over the edge, and AlexNet's may not.
POOLED = (("alexnet", 227, 27, 13, 6), ("alexnet", 224, 27, 13, 6), ("alexnet", 200, 24, 11, 5), ("alexnet", 112, 13, 6, 2),
          ("alexnet", 64, 7, 3, 1), ("googlenet", 227, 57, 28, 14, 7), ("googlenet", 112, 28, 14, 7, 4))
PICTURE = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H////6/+b9//j/"
    "2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAAeACgDASIAAhEBAxEB/8QA"
    "GAAAAgMAAAAAAAAAAAAAAAAAAwQAAgX/xAAcEAADAQEBAAMAAAAAAAAAAAAAAQMCERMhMWH/xAAYAQADAQEAAAAAAAAAAAAAAAABAwQAAv/EABkRAQADAQEA"
    "AAAAAAAAAAAAAAABAxECIf/aAAwDAQACEQMRAD8AapQX3UtVidNNCOKdHR/b9L4qZ3q+8Dz02MmjG1pToQDJkJ5p9HVq4FKS6a1JoBqSL+HDK8Pn6DTlwc8k"
    "XzJDJlg5YINzmiE8x6L/2Q==")  # 40 × 30 pixels in colour


def networks(pixels):
    """Each driver counts its parameters when it starts."""
    return tuple((f"--model {model} --image-size {pixels}", 1) for model in ("alexnet", "googlenet", "resnet50"))


NETWORKS = networks(64)
# The arguments of each system, and the number of its ranks.
VARIANTS = {
    "mxnet": (("--option kvstore=dist_async", 2), ("--option kvstore=dist_device_sync", 2),
              ("--option gradient_compression=2bit --option threshold=0.01", 2), ("--option update_on=worker", 2),
              ("--option phases=off", 2), ("--precision bf16", 1)) + NETWORKS,
    "tensorflow": (("--option bytes_per_pack=65536", 2), ("--option phases=off", 2), ("--precision bf16", 1)) + NETWORKS,
    "keras": (("--precision bf16", 1), ("--option api=keras3", 1)) + NETWORKS,
    "singa": NETWORKS,
    "cntk": (("--image-size 32 --option autotune=off", 1),) + networks(96),
    "jax": (("--option donate=on", 2), ("--model alexnet --image-size 64", 1)),
    "horovod": (("--precision bf16", 2),),
    "horovod-mxnet": (("--option phases=off", 2), ("--precision bf16", 2)),
}


# Prints the same of CNTK's networks.
SIDES = """
import sys, cntk, common, models_cntk
pool, sides = models_cntk.max_pool, []
def noted(x, *arguments, **more):
    pooled = pool(x, *arguments, **more)
    sides.extend(pooled.shape[1:2] if pooled.shape[1] < x.shape[1] else ())
    return pooled
models_cntk.max_pool = noted
for model, pixels in %r:
    sys.argv = ["driver", "--model", model, "--image-size", str(pixels)]
    models_cntk.build(common.arguments("CNTK"), cntk.input_variable((3, pixels, pixels)))
    print(model, pixels, *sides)
    sides.clear()
"""

# Prints how many numbers Keras's fit() is passed for a batch, and how many pictures a step then trains on.
PASSED = """
import sys, types, common, keras_driver
sys.argv = "driver --model lenet --batch-per-rank 4".split()
model = types.SimpleNamespace(train_step=lambda batch: batch)
passed = next(iter(keras_driver.data_of(common.arguments("Keras", keras_driver.OPTIONS), model, 0, 1)))
print(passed.numpy().size, len(model.train_step(passed)[0]))
"""

# The reasons why these read none.
WITHOUT_PICTURES = {"singa": "arrays of numpy", "cntk": "libpng12", "jax": "no loader of pictures"}


class Variants(unittest.TestCase):
    system = None

    def test_options_and_precisions(self):
        for arguments, ranks in VARIANTS[self.system.name]:
            with self.subTest(arguments):
                self.check(arguments, ranks)

    def test_a_folder_of_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            make_pictures(pathlib.Path(folder))
            if self.system.name in WITHOUT_PICTURES:
                told = self.system.run(TINY + f"--data {folder}")[0]
                self.assertEqual(told.status, 2)
                self.assertIn(WITHOUT_PICTURES[self.system.name], told.errors)
            else:
                self.check(f"--data {folder} --loader-workers 1", 1)

    def test_singas_graph_trains_as_without_it(self):
        if self.system.name != "singa":
            return
        arguments = TINY + f"--model resnet50 --image-size 32 --learning-rate 0.001 --iterations {ITERATIONS} --option graph="
        kept, eager = (losses(self.system.run(arguments + graph)[0]) for graph in ("on", "off"))
        self.assertEqual(len(kept), ITERATIONS)
        for one, other in zip(kept, eager):
            self.assertAlmostEqual(one, other, delta=1e-3 * other)

    def test_a_users_choices_for_keras_are_not_the_drivers(self):
        variants = {"tensorflow": ("",), "keras": ("--option api=tf_keras", "--option api=keras3")}
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "keras.json").write_text('{"backend": "jax", "image_data_format": "channels_first", "floatx": "float16"}')
            with unittest.mock.patch.dict(self.system.environment, KERAS_BACKEND="jax", KERAS_HOME=folder):
                for arguments in variants.get(self.system.name, ()):
                    with self.subTest(arguments):
                        self.check(arguments, 1)

    def test_jaxs_gloo_uses_the_interface_that_is_chosen(self):
        if self.system.name != "jax":
            return
        for rank in self.system.run(TINY + "--iterations 2", ranks=2, interface="absent0"):
            self.assertNotEqual(rank.status, 0)
            self.assertIn("absent0", rank.errors)

    def test_keras_is_not_passed_the_synthetic_batch_in_each_iteration(self):
        if self.system.name == "keras":
            self.assertEqual(self.system.prints(PASSED).split(), ["1", "4"])

    def test_cntks_poolings_have_the_windows_of_other_systems(self):
        if self.system.name != "cntk":
            return
        printed = self.system.prints(SIDES % ([row[:2] for row in POOLED],))
        self.assertEqual(printed.splitlines(), [" ".join(map(str, row)) for row in POOLED])

    def check(self, arguments, ranks):
        """Each rank has all records with a loss that is a number, and says that it was configured so."""
        told = self.system.run(TINY + f"--iterations {ITERATIONS} {arguments}", ranks=ranks)
        if is_too_much(self.system, arguments):
            self.assertEqual([rank.status for rank in told], [2] * ranks)
            self.assertIn("processors with AVX-512 alone", told[0].errors)
            return
        self.assertEqual([(rank.status, rank.end, rank.begin.get("ranks")) for rank in told], [(0, ITERATIONS, str(ranks))] * ranks,
                         told[0].errors)
        for rank in told:
            self.assertEqual([(each.number, each.items) for each in rank.records], [(i, 4) for i in range(ITERATIONS)])
            self.assertTrue(all(math.isfinite(each.loss) and each.loss > 0 for each in rank.records), rank.records)
            if "phases=off" in arguments:
                self.assertLessEqual({*rank.facts["phases"], *rank.records[-1].phases}, {"input_wait"})
            self.assertLessEqual(asked(arguments), {name: str(value) for name, value in rank.facts["configuration"].items()}.items())
        print(f"{arguments}: losses " + " ".join("%.4f" % each.loss for each in told[0].records), flush=True)


def is_too_much(system, arguments):
    """For this computer's processor."""
    return "bf16" in arguments and "mxnet" in system.name and not parts_mxnet.has_avx512()


def asked(arguments):
    """“--option a=b --data c” as {(a, b), (data, c)}."""
    words = arguments.replace("--option ", "").replace("=", " ").replace("--", "").replace("loader-workers", "loader_workers")
    words = words.replace("image-size", "image_size").split()
    return set(zip(words[::2], words[1::2]))


def make_pictures(folder):
    """Of two classes."""
    for label in "01":
        (folder / label).mkdir()
        for number in range(8):
            (folder / label / f"{number}.jpg").write_bytes(PICTURE)


if __name__ == "__main__":
    Variants.system = chosen()
    unittest.main()
