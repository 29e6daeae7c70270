# SPDX-License-Identifier: MIT
"""Prints a line for each iteration of a training, which Ringside reads. Three lines in a script of your own:

    import ringside_records
    records = ringside_records.Records(items=32)   # just before the loop; 32 images (of this rank) an iteration
        records.iteration(loss)                    # the last line of the loop; the loss may be left out

Python 3.6 or later, and nothing but its standard library. What else can be told, and what the lines hold: README.md beside
this file."""
import atexit
import collections
import errno
import json
import math
import os
import platform
import select
import sys
import time

PHASES = ("input_wait", "h2d", "forward", "backward", "comm_exposed", "update")
TOGETHER_NS = 50000000  # records of less time are written together: a write costs as much as the rest, more on a busy machine
DISK_FULL_S = 60  # so long an end waits for room: kDiskFullPatience of core/base/retrywhilediskfull.h
LONGEST = 4096  # bytes that a pipe takes whole, even if other processes write into it (PIPE_BUF of Linux)
# Variables with this rank's number and the number of ranks. Slurm comes last: its variables are there below mpirun, too. Below srun they
# count the tasks of the step; SLURM_NTASKS is there in a job's script, too, where it counts what the script could start.
RANK_VARIABLES = (("RANK", "WORLD_SIZE"), ("HOROVOD_RANK", "HOROVOD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                  ("PMI_RANK", "PMI_SIZE"), ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
                  ("DMLC_WORKER_ID", "DMLC_NUM_WORKER"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"))
MODULE_VARIABLE = "RINGSIDE_MODULE"  # of the system that the script stands for: "horovod.torch"


class HostClock:
    """CLOCK_MONOTONIC in nanoseconds. Another clock has the same three names, and stamps of its own kind (pytorch.py)."""
    later = 0  # so many iterations after its end a record can be read
    now = staticmethod(getattr(time, "monotonic_ns", None) or (lambda: int(time.monotonic() * 1e9)))  # new in 3.7

    @staticmethod
    def between(begin, end):
        return end - begin


class Records:
    """Begins the first iteration. `facts` describes the training, in values that JSON has. The rank comes from the
    environment of the launcher unless it is given. `scope` "all": this process reports for all ranks, and `items` are those of all."""

    _made = set()  # by (process, rank)

    def __init__(self, items, rank=None, ranks=None, facts=None, clock=HostClock, scope="rank"):
        if rank is None or ranks is None:
            rank, ranks = rank_of(os.environ)
        if (os.getpid(), rank) in self._made:  # its iterations would be counted from 0 again
            raise ValueError("There are records of this rank already: make Records once, before the first epoch.")
        self._made.add((os.getpid(), rank))
        self._items, self._clock, self._now = items, clock, clock.now
        self._count, self._marks, self._waiting = 0, [], collections.deque()
        self._process, self._ended = os.getpid(), False
        self._whose = " rank=%d" % rank if ranks > 1 and scope == "rank" else ""  # several may print into one log
        facts = dict({"interpreter": "Python " + platform.python_version()}, **(facts or {}))
        if "framework" not in facts:  # a driver reports its framework itself
            facts = dict(loaded_versions(os.environ.get(MODULE_VARIABLE, "")), **facts)
        begin = "ringside 1 begin rank=%d ranks=%d scope=%s batch=%d pid=%d " % (rank, ranks, scope, items, self._process)
        write([begin_line(begin, facts)])
        atexit.register(self._at_exit)
        self._start_ns = self._written_ns = HostClock.now()
        self._start = self._now()

    def mark(self, phase):
        """The time since the last mark, or since the iteration began, was this phase. Several marks of one add up."""
        if phase not in PHASES:
            raise ValueError("“%s” is no phase of an iteration. Choose from %s." % (phase, ", ".join(PHASES)))
        self._marks.append((phase, self._now()))

    def iteration(self, loss=None, items=None):
        """Ends an iteration and begins the next. `loss` is a number, or becomes one by float(), which waits for a framework that
        computes beside the script: within the iteration, or as late as the clock is."""
        if loss is not None and not self._clock.later:
            loss = float(loss)
        end = self._now()
        self._waiting.append((self._start, end, self._marks, loss, items or self._items))
        self._start, self._marks = end, []
        if HostClock.now() - self._written_ns >= TOGETHER_NS:
            self._print(len(self._waiting) - self._clock.later, 0)

    def skip(self):
        """The time since the last iteration, such as a validation, is part of none."""
        begin = self._now()
        self._print(len(self._waiting), 0)
        self._start_ns += self._clock.between(self._start, begin)
        self._start, self._marks = begin, []

    def end(self):
        """Prints what is left, and that no more will come; OSError: the disk stays full. Happens by itself where the script ends without an exception."""
        if not self._ended:
            self._ended = True
            self._print(len(self._waiting))
            write(["ringside 1 end iterations=%d%s\n" % (self._count, self._whose)])

    def _print(self, count, *patience):
        write([self._line(*self._waiting.popleft()) for _ in range(count)], *patience)
        self._written_ns = HostClock.now()

    def _line(self, begin, end, marks, loss, items):
        length = self._clock.between(begin, end)
        line = "ringside 1 iteration=%d start_ns=%d length_ns=%d items=%d" % (self._count, self._start_ns, length, items) + self._whose
        if loss is not None:
            line += " loss=%.9g" % float(loss)
        told = {}
        for phase, stamp in marks:
            told[phase] = told.get(phase, 0) + self._clock.between(begin, stamp)
            begin = stamp
        self._count += 1
        self._start_ns += length
        return line + "".join(" %s_ns=%d" % each for each in told.items()) + "\n"

    def _at_exit(self):
        if self._process != os.getpid() or self._ended:
            return
        try:
            if getattr(sys, "last_type", None) is None:
                self.end()
            else:  # an exception
                self._print(len(self._waiting))
        except OSError as error:  # which would change no exit code here
            sys.excepthook(OSError, error, None)
            os._exit(1)


def rank_of(environment):
    """(rank, ranks) as the launcher set them; (0, 1) where there was none."""
    for rank, ranks in RANK_VARIABLES:
        if rank in environment and ranks in environment:
            return int(environment[rank]), int(environment[ranks])
    if "TF_CONFIG" in environment:
        return rank_of_cluster(json.loads(environment["TF_CONFIG"]))
    if int(environment.get("DMLC_NUM_WORKER", 1)) > 1:
        raise ValueError("The rank of an MXNet worker is known to its kvstore. Call Records with rank=kv.rank, ranks=kv.num_workers.")
    return 0, 1


def rank_of_cluster(config):
    """TensorFlow's: the chief comes first, then the workers."""
    cluster, task = config.get("cluster", {}), config.get("task", {})
    chiefs, workers = len(cluster.get("chief", ())), len(cluster.get("worker", ()))
    kind, index = task.get("type", "worker"), int(task.get("index", 0))
    if kind not in ("chief", "worker"):
        raise ValueError("TF_CONFIG says that this process is a %s. Only a chief and workers have records." % kind)
    return (index if kind == "chief" else chiefs + index), max(chiefs + workers, 1)


def loaded_versions(module):
    """By name those of the packages in a module's name that this process has loaded: of horovod.torch Horovod's and PyTorch's. What
    is installed may be another one by the time that a run is looked at."""
    loaded = {name: getattr(sys.modules.get(name), "__version__", None) for name in module.split(".")}
    return {name: str(version) for name, version in loaded.items() if version}


def begin_line(text, facts):
    """If there are too many facts, the longest are left out."""
    facts = readable(facts)
    line = text + json.dumps(facts) + "\n"
    if len(line) <= LONGEST:
        return line
    longest = max((name for name in facts if name != "left_out"), key=lambda name: len(json.dumps(facts[name])))
    rest = {name: fact for name, fact in facts.items() if name != longest}
    return begin_line(text, dict(rest, left_out=facts.get("left_out", []) + [longest]))


def readable(fact):
    """The same in values that every reader of JSON takes: Infinity is none, nor is half a pair of surrogates, which Python makes of
    a byte that it cannot decode."""
    if isinstance(fact, float) and not math.isfinite(fact):
        return str(fact)
    if isinstance(fact, str):
        return fact.encode("utf-8", "replace").decode("utf-8")
    if isinstance(fact, dict):
        return {readable(name): readable(value) for name, value in fact.items()}
    if isinstance(fact, (list, tuple)):
        return [readable(value) for value in fact]
    return fact


held = collections.deque()  # texts that are not written yet


def write(lines, patience=None):
    """Writes whole lines, in as few writes as may be, after the script's own output. On a full disk it waits for room, for so many
    seconds (None: DISK_FULL_S), and fails. With 0 it does neither: lines stay in memory, and the next write tries again."""
    was_full = bool(held)
    hold(lines)
    until_ns = HostClock.now() + (DISK_FULL_S if patience is None else patience) * 1000000000
    while not written():
        if not was_full:
            hold(["The disk of this log was full here: records were held in memory.\n"])
            was_full = True
        if patience == 0:
            return
        if HostClock.now() >= until_ns:
            raise OSError(errno.ENOSPC, "The disk of this log stays full, and the last records are lost: free some room there, and run "
                                        "this again")
        time.sleep(0.2)


def hold(lines):
    together = ""
    for line in lines:
        if len(together) + len(line) > LONGEST:
            held.append(together.encode())
            together = ""
        together += line
    held.append(together.encode())


def written():
    """All that is held. False: the disk is full."""
    try:
        sys.stdout.flush()
        while held:
            write_whole_first()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        return False
    return True


def write_whole_first():
    while held[0]:
        try:
            held[0] = held[0][os.write(1, held[0]):]
        except BlockingIOError:  # a pipe that was made non-blocking is full
            select.select([], [1], [])
    held.popleft()
