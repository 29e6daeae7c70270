# SPDX-License-Identifier: MIT
"""The code that drivers share. With nothing but Python 3.6.  usage: test_common.py"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from scripts import BEGIN, DRIVERS, script
import common
import parts_horovod


class Arguments(unittest.TestCase):
    """Refused by one sentence, and exit code 2."""

    def refused(self, arguments, sentence):
        ran = script("""
            import sys, common
            sys.argv = ["driver"] + %r.split()
            args = common.arguments("MXNet", {"kvstore": ("local", "dist_sync"), "big": False, "cap": 25.0}, models=("lenet", "alexnet"))
            common.records(args, "mxnet", "1", int(62006), {})
            """ % arguments)
        self.assertEqual((ran.returncode, len(ran.stderr.splitlines())), (2, 1), ran.stderr)
        self.assertIn(sentence, ran.stderr)

    def test_what_a_driver_cannot_do(self):
        self.refused("--model resnet50", "choose --model lenet or alexnet")
        self.refused("--model lenet --precision bf16", "choose --precision fp32")
        self.refused("--model lenet --device cuda", "choose --device cpu")

    def test_what_is_wrong(self):
        self.refused("--model vgg", "choose from")
        self.refused("--model lenet --batch-per-rank 0", "whole number from 1 on")
        self.refused("--model lenet --data /nowhere", "not a folder")
        self.refused("--model lenet --option ps=1", "choose from kvstore, big, cap")
        self.refused("--model lenet --option big=1", "on or off")
        self.refused("--model lenet --option kvstore=device", "local or dist_sync")
        self.refused("--model lenet --option cap=many", "a number")
        self.refused("--model lenet --delay comm=20", "input_wait, forward, backward, update")

    def test_another_count_of_parameters(self):
        self.refused("--model alexnet", "61100840")
        self.refused("--model lenet --classes 11", "62091")

    def test_what_is_right_is_parsed(self):
        ran = script("""
            import sys, common
            sys.argv = "driver --model lenet --option big=on --option cap=3 --delay update=20 --classes 11".split()
            args = common.arguments("MXNet", {"kvstore": ("local", "dist_sync"), "big": False, "cap": 25.0})
            print(args.options.kvstore, args.options.big, args.options.cap, sorted(args.delay), args.image_size, args.classes)
            common.records(args, "mxnet", "1", 62091, {"update": "host clock"}, threads=3)
            """)
        told, begin = ran.stdout.splitlines()[:2]
        self.assertEqual(told, "local True 3.0 ['update'] 28 11")
        facts = json.loads(BEGIN.fullmatch(begin).group(5))
        self.assertEqual((facts["phases"], facts["threads"], facts["configuration"]["cap"]), (["update"], 3, 3.0))


class Horovod(unittest.TestCase):
    def test_its_hierarchical_sum_is_refused_where_it_would_be_ignored(self):
        for value, built, is_refused in (("1", False, True), ("1", True, False), ("0", False, False)):
            with unittest.mock.patch.dict(os.environ, HOROVOD_HIERARCHICAL_ALLREDUCE=value), self.subTest(value, built=built):
                hvd = unittest.mock.Mock(**{"nccl_built.return_value": built})
                if is_refused:
                    self.assertRaises(SystemExit, parts_horovod.check_able, hvd)
                else:
                    parts_horovod.check_able(hvd)


class Environment(unittest.TestCase):
    def test_what_steers_a_framework_is_told_and_no_secret(self):
        ran = script("""
            import sys, common
            sys.argv = "driver --model lenet".split()
            common.records(common.arguments("MXNet"), "mxnet", "1", 62006, {})
            """, MXNET_ENGINE_TYPE="NaiveEngine", XLA_FLAGS="x" * 2000, HOROVOD_SECRET_KEY="hidden", OTHER="1",
                     MXNET_GLUON_REPO="https://name:word@mirror.example/mxnet")
        told = json.loads(BEGIN.fullmatch(ran.stdout.splitlines()[0]).group(5))["environment"]
        self.assertEqual((told["MXNET_ENGINE_TYPE"], told["XLA_FLAGS"]), ("NaiveEngine", "x" * 1000))
        self.assertFalse({"HOROVOD_SECRET_KEY", "OTHER", "MXNET_GLUON_REPO"} & set(told), told)

    def test_the_guard_of_a_process_shows_the_same_variables(self):
        source = (DRIVERS.parent / "rank" / "machinefacts.cpp").read_text(encoding="utf-8")

        def words(name):
            return tuple(re.findall(r'"(\w+)"', re.search(name + r" = \{(.*?)\};", source, re.DOTALL).group(1)))
        self.assertEqual(words("kShownPrefixes"), common.SHOWN_PREFIXES)
        self.assertEqual(words("kSecretWords"), common.SECRET_WORDS)


class Caffe(unittest.TestCase):
    def test_the_net_in_fp16_says_so_and_draws_no_label_that_is_rounded_up(self):
        nets = {}
        for precision in ("fp32", "fp16"):
            ran = script("""
                import sys, common, models_caffe
                sys.argv = "driver --model alexnet --precision %s".split()
                print(models_caffe.build(common.arguments("Caffe", precisions=("fp32", "fp16")), 32)[0])
                """ % precision)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            nets[precision] = ran.stdout
        self.assertIn("default_forward_type: FLOAT16", nets["fp16"])
        self.assertNotIn("FLOAT16", nets["fp32"])
        self.assertIn("max: 999.500000", nets["fp16"])
        self.assertIn("max: 1000.000000", nets["fp32"])

    def test_only_nvidias_trains_in_fp16(self):
        ran = subprocess.run([sys.executable, DRIVERS / "caffe.py", "--model", "lenet", "--precision", "fp16"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
        self.assertEqual((ran.returncode, "choose --precision fp32" in ran.stderr), (2, True), ran.stderr)


class End(unittest.TestCase):
    def test_a_program_that_a_driver_starts_ends_it_by_the_same_signal(self):
        for command, code in (("exit 3", 3), ("kill -KILL $$", -9), ("ulimit -c 0; kill -SEGV $$", -11), ("kill -TERM $$", -15)):
            ran = script("import sys, caffe; sys.exit(caffe.run(['sh', '-c', %r]))" % command)
            self.assertEqual(ran.returncode, code, ran.stderr)

    def test_sigterm_ends_after_the_iteration_that_all_agreed_on(self):
        ran = script("""
            import os, signal, common
            class Args:
                iterations = 0
            asked = []
            def agreed(done):
                asked.append(done)
                return None if len(asked) < 2 else done + 2
            for number in common.iterations(Args, agreed):
                if number == 3:
                    os.kill(os.getpid(), signal.SIGTERM)
            print(asked, number)
            """)
        self.assertEqual(ran.stdout.strip(), "[4, 5, 6, 7] 6")


class Libraries(unittest.TestCase):
    def test_a_library_below_a_folder_of_other_letters_is_named_without_utf8(self):
        with tempfile.TemporaryDirectory(suffix="-müller") as folder:
            library = pathlib.Path(folder) / "libtinyblas.so.3"
            library.write_bytes(b"x")
            ran = script("""
                import mmap, os, pathlib, common
                file = next(pathlib.Path(os.environ["FOLDER"]).iterdir()).open("rb")
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                print("libtinyblas.so.3" in common.loaded_libraries())
                """, FOLDER=folder, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        self.assertEqual(ran.stdout, "True\n", ran.stderr)


if __name__ == "__main__":
    unittest.main()
