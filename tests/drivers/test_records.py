# SPDX-License-Identifier: MIT
"""The module of records as scripts use it. With nothing but Python 3.6.  usage: test_records.py"""
import json
import os
import re
import subprocess
import sys
import textwrap
import unittest

from scripts import BEGIN, DRIVERS, ITERATION, iterations, script
import ringside_records

MOST_NS = 100000  # of processor time for an iteration with all phases; 0.5 % of one that takes 20 ms


class Lines(unittest.TestCase):
    def test_records_are_made_once_in_a_process(self):
        ran = script("""
            import os, ringside_records
            for epoch in range(2):
                records = ringside_records.Records(items=32)
            """)
        self.assertIn("make Records once, before the first epoch", ran.stderr)
        self.assertEqual(ran.stdout.count("begin"), 1)
        ran = script("""
            import os, ringside_records
            records = ringside_records.Records(items=32)
            if os.fork() == 0:
                records = ringside_records.Records(items=32)
            """)
        self.assertEqual(ran.stdout.count("begin"), 2)

    def test_three_lines_in_a_script_give_whole_records(self):
        ran = script("""
            import ringside_records
            records = ringside_records.Records(items=32)
            for number in range(3):
                records.iteration(2.5)
            """)
        lines = ran.stdout.splitlines()
        rank, ranks, batch, pid, facts = BEGIN.fullmatch(lines[0]).groups()
        self.assertEqual((rank, ranks, batch), ("0", "1", "32"))
        self.assertTrue(json.loads(facts)["interpreter"].startswith("Python 3."))
        records = iterations(ran.stdout)
        self.assertEqual([(r[0], r[3], r[4]) for r in records], [(i, 32, {"loss": "2.5"}) for i in range(3)])
        self.assertEqual([r[1] + r[2] for r in records[:2]], [r[1] for r in records[1:]], "they follow each other without a gap")
        self.assertEqual(lines[-1], "ringside 1 end iterations=3")

    def test_a_script_of_ones_own_reports_the_version_of_its_system_that_it_has_loaded(self):
        def facts_of(told, loaded=("horovod", "torch"), **environment):
            ran = script("""
                import sys, types, ringside_records
                for name in %r:
                    sys.modules[name] = types.ModuleType(name)
                    sys.modules[name].__version__ = name + " 2"
                ringside_records.Records(items=32, facts=%r)
                """ % (loaded, told), **environment)
            return json.loads(BEGIN.fullmatch(ran.stdout.splitlines()[0]).group(5))
        both = facts_of({"note": "mine"}, RINGSIDE_MODULE="horovod.torch")
        self.assertEqual((both["horovod"], both["torch"], both["note"]), ("horovod 2", "torch 2", "mine"))
        self.assertEqual(facts_of({"torch": "3"}, RINGSIDE_MODULE="torch")["torch"], "3")
        for other in (facts_of({}), facts_of({}, loaded=(), RINGSIDE_MODULE="torch"),
                      facts_of({"framework": "pytorch"}, RINGSIDE_MODULE="torch")):
            self.assertNotIn("torch", other)

    def test_marks_of_a_phase_add_up_and_others_are_absent(self):
        (_, _, length, items, told), = iterations(script("""
            import time, ringside_records
            records = ringside_records.Records(items=32)
            for _ in range(2):
                time.sleep(0.05)
                records.mark("forward")
                time.sleep(0.01)
                records.mark("update")
            records.iteration(items=7)
            """).stdout)
        self.assertEqual((set(told), items), ({"forward_ns", "update_ns"}, 7))
        self.assertGreaterEqual(int(told["forward_ns"]), 100000000)
        self.assertGreaterEqual(int(told["update_ns"]), 20000000)
        self.assertLessEqual(int(told["forward_ns"]) + int(told["update_ns"]), length)

    def test_lines_of_several_ranks_say_whose_they_are(self):
        ran = script("""
            import ringside_records
            ringside_records.Records(items=32).iteration()
            """, RANK="1", WORLD_SIZE="2")
        self.assertEqual(iterations(ran.stdout)[0][3:], (32, {"rank": "1"}))
        self.assertEqual(ran.stdout.splitlines()[-1], "ringside 1 end iterations=1 rank=1")

    def test_one_tells_for_all(self):
        ran = script("""
            import ringside_records
            ringside_records.Records(items=64, rank=0, ranks=2, scope="all").iteration()
            """)
        self.assertTrue(ran.stdout.startswith("ringside 1 begin rank=0 ranks=2 scope=all batch=64 "))
        self.assertEqual(iterations(ran.stdout)[0][3:], (64, {}))

    def test_what_is_skipped_is_part_of_no_iteration(self):
        first, second = iterations(script("""
            import time, ringside_records
            records = ringside_records.Records(items=1)
            records.iteration()
            time.sleep(0.2)
            records.skip()
            records.iteration()
            """).stdout)
        self.assertGreaterEqual(second[1], first[1] + first[2] + 200000000)
        self.assertLess(second[2], 200000000)

    def test_a_phase_that_there_is_not_is_an_error(self):
        ran = script("import ringside_records; ringside_records.Records(items=1).mark('backwards')")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("comm_exposed", ran.stderr)

    def test_a_script_that_fails_and_a_child_say_no_end(self):
        ran = script("""
            import os, sys, ringside_records
            records = ringside_records.Records(items=1)
            records.iteration()
            if os.fork() == 0:
                sys.exit()
            os.wait()
            raise RuntimeError
            """)
        self.assertEqual((len(iterations(ran.stdout)), ran.stdout.count(" end ")), (1, 0))

    def test_what_was_printed_before_stands_before(self):
        ran = script("""
            import ringside_records
            records = ringside_records.Records(items=1)
            print("before")
            records.iteration()
            """)
        self.assertEqual(ran.stdout.splitlines()[1], "before")

    def test_a_record_waits_for_no_more_than_a_moment(self):
        ran = script("""
            import time, ringside_records
            records = ringside_records.Records(items=1)
            for seconds in (0, 0.1, 0.1):
                time.sleep(seconds)
                records.iteration()
                print("done")
            """)
        lines = ["done" if line == "done" else line.split(" ")[2] for line in ran.stdout.splitlines()[1:]]
        self.assertEqual(lines, ["done", "iteration=0", "iteration=1", "done", "iteration=2", "done", "end"])

    def test_losses_that_are_no_numbers_are_said(self):
        ran = script("import ringside_records; ringside_records.Records(items=1).iteration(float('nan'))")
        self.assertEqual(iterations(ran.stdout)[0][4], {"loss": "nan"})

    def test_a_slower_clock_is_read_an_iteration_later(self):
        ran = script("""
            import time, ringside_records
            class Clock:
                later = 1
                stamps = iter(range(0, 10000, 1000))
                now = lambda: next(Clock.stamps)
                between = lambda begin, end: end - begin
            class Loss:
                def __float__(self):
                    print("read")
                    return 1.0
            records = ringside_records.Records(items=1, clock=Clock)
            for i in range(2):
                print("iteration")
                time.sleep(0.1)
                records.mark("forward")
                records.iteration(Loss())
            """)
        lines = [line.split("=")[0] for line in ran.stdout.splitlines()[1:]]
        record = "ringside 1 iteration"
        self.assertEqual(lines, ["iteration", "iteration", "read", record, "read", record, "ringside 1 end iterations"])
        first, second = iterations(ran.stdout)
        self.assertEqual((first[2], first[4]["forward_ns"], second[1] - first[1]), (2000, "1000", 2000))


class Pipe(unittest.TestCase):
    def test_lines_of_many_processes_are_whole(self):
        writer = """
            import ringside_records
            records = ringside_records.Records(items=1, facts={"long": "x" * 3900})
            for _ in range(500):
                for phase in ringside_records.PHASES:
                    records.mark(phase)
                records.iteration(1.25)
            """
        command = [sys.executable, "-c", textwrap.dedent(writer)]
        read, write = os.pipe()
        processes = [subprocess.Popen(command, stdout=write, env=dict(os.environ, PYTHONPATH=str(DRIVERS))) for _ in range(8)]
        os.close(write)
        with open(read) as pipe:
            lines = pipe.read().splitlines()
        self.assertEqual([process.wait() for process in processes], [0] * 8)
        self.assertEqual(sum(bool(BEGIN.fullmatch(line)) for line in lines), 8)
        self.assertEqual(sum(bool(ITERATION.fullmatch(line)) for line in lines), 4000)
        self.assertEqual(len(lines), 4016)

    def test_a_line_waits_for_a_pipe_that_is_full(self):
        writer = """
            import os, ringside_records
            os.set_blocking(1, False)
            records = ringside_records.Records(items=1)
            for _ in range(2000):
                records.iteration()
            """
        ran = script(writer)
        self.assertEqual(len(iterations(ran.stdout)), 2000)

    def test_facts_that_are_too_many_are_left_out_by_name(self):
        ran = script("""
            import ringside_records
            ringside_records.Records(items=1, facts={"short": "y", "long": "x" * 4000, "longer": "x" * 9000})
            """)
        line = ran.stdout.splitlines()[0]
        facts = json.loads(BEGIN.fullmatch(line).group(5))
        self.assertLess(len(line), 4096)
        self.assertEqual((facts["short"], facts["left_out"]), ("y", ["longer", "long"]))

    def test_facts_are_json_for_every_reader(self):
        ran = script("""
            import os, ringside_records
            facts = {"clip": float("inf"), "means": (float("nan"), 0.5), "home": os.environ["HOME_OF_DATA"],
                     "\\udce9": {"on": True, "off": None}}
            ringside_records.Records(items=1, facts=facts)
            """, HOME_OF_DATA=os.fsdecode(b"/data/\xe9t\xe9"), LC_ALL="C")
        facts = json.loads(BEGIN.fullmatch(ran.stdout.splitlines()[0]).group(5), parse_constant=self.fail)
        del facts["interpreter"]
        self.assertEqual(facts, {"clip": "inf", "means": ["nan", 0.5], "home": "/data/?t?", "?": {"on": True, "off": None}})


class FullDisk(unittest.TestCase):
    def test_records_are_held_until_there_is_room(self):
        ran = script("""
            import os, ringside_records
            ringside_records.TOGETHER_NS = 0
            records, log = ringside_records.Records(items=32), os.dup(1)
            print("mine", flush=True)
            os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
            for number in range(3):
                records.iteration()
            os.dup2(log, 1)
            records.skip()
            records.iteration()
            """)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual([each[0] for each in iterations(ran.stdout)], [0, 1, 2, 3])
        lines = ran.stdout.splitlines()
        self.assertEqual(len([line for line in lines if "was full here" in line]), 1)
        self.assertEqual(lines[-1], "ringside 1 end iterations=4")

    def test_a_disk_that_stays_full_ends_the_script_by_a_sentence(self):
        for end in ("records.end()", "pass"):
            ran = script("""
                import os, ringside_records
                ringside_records.DISK_FULL_S = 0.1
                records = ringside_records.Records(items=32)
                os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
                records.iteration()
                %s
                """ % end)
            self.assertEqual(ran.returncode, 1, ran.stderr)
            self.assertIn("The disk of this log stays full", ran.stderr.splitlines()[-1])


class Phases(unittest.TestCase):
    def test_scripts_tell_all_but_the_rest(self):
        table = (DRIVERS.parents[1] / "core" / "protocol" / "phase.h").read_text(encoding="utf-8")
        names = re.findall(r'\{Phase::\w+,\s*"(\w+)"', table)
        self.assertEqual([*ringside_records.PHASES, "other"], names)


class Ranks(unittest.TestCase):
    def test_launchers(self):
        tasks = {"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}}
        told = [
            ({}, (0, 1)),
            ({"RANK": "3", "WORLD_SIZE": "8"}, (3, 8)),
            ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"}, (1, 2)),
            ({"PMI_RANK": "1", "PMI_SIZE": "2"}, (1, 2)),
            ({"SLURM_PROCID": "5", "SLURM_NTASKS": "6", "SLURM_STEP_NUM_TASKS": "6"}, (5, 6)),
            ({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, (0, 1)),  # in a job's script
            ({"DMLC_WORKER_ID": "1", "DMLC_NUM_WORKER": "2"}, (1, 2)),
            ({"DMLC_NUM_WORKER": "1"}, (0, 1)),
            ({"TF_CONFIG": json.dumps(dict(tasks, task={"type": "chief", "index": 0}))}, (0, 3)),
            ({"TF_CONFIG": json.dumps(dict(tasks, task={"type": "worker", "index": 1}))}, (2, 3)),
            ({"RANK": "3"}, (0, 1)),
        ]
        for environment, expected in told:
            self.assertEqual(ringside_records.rank_of(environment), expected, environment)

    def test_a_rank_that_cannot_be_known_is_not_guessed(self):
        with self.assertRaisesRegex(ValueError, "kvstore"):
            ringside_records.rank_of({"DMLC_NUM_WORKER": "2"})
        with self.assertRaisesRegex(ValueError, "a ps"):
            ringside_records.rank_of({"TF_CONFIG": '{"cluster": {"worker": ["a:1"]}, "task": {"type": "ps", "index": 0}}'})


class Cost(unittest.TestCase):
    def test_an_iteration_costs_microseconds(self):
        ran = script("""
            import sys, time, ringside_records
            records = ringside_records.Records(items=1)
            rounds, begin = 5000, time.process_time()
            for _ in range(rounds):
                for phase in ringside_records.PHASES:
                    records.mark(phase)
                records.iteration(1.25)
            print((time.process_time() - begin) / rounds * 1e9, file=sys.stderr)
            """)
        print("an iteration with %d phases: %.0f ns" % (len(ringside_records.PHASES), float(ran.stderr)))
        self.assertLess(float(ran.stderr), MOST_NS)


if __name__ == "__main__":
    unittest.main()
