# SPDX-License-Identifier: MIT
"""The systems that are installed here, and how their drivers are started: each as its adapter in resources/adapters says."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from drivers import DRIVERS, ENGINES, LIMIT, finish, free_port, parsed, rank_environment, start


def installed(name):
    """Its engine.json: this user's own, or that of tests/frameworks.sh. None: there is neither."""
    for folder in (ENGINES, pathlib.Path(os.environ.get("RINGSIDE_FRAMEWORKS") or ENGINES / "frameworks") / "ringside"):
        file = folder / "engines" / name / "engine.json"
        if file.exists():
            return json.loads(file.read_text())
    return None


class System:
    """One process, or several that find each other by their environment. `python` is None where it is not installed."""

    def __init__(self, name, driver):
        self.name, self.driver = name, driver
        engine = installed(name) or {}
        self.python, self.environment = engine.get("python"), dict(os.environ, **engine.get("environment", {}), OMP_NUM_THREADS="1")

    def run(self, arguments, ranks=1, of_rank=lambda rank: "", **more):
        """`of_rank` gives one rank arguments of its own. Their Ranks (drivers.py)."""
        helpers, environments = self.environments(ranks, **more)
        started = [subprocess.Popen([self.python, DRIVERS / self.driver, *arguments.split()], env=dict(self.environment, **each))
                   for each in helpers]
        try:
            told = finish(start(self.python, self.driver, arguments, ranks, of_rank,
                                lambda rank: dict(self.environment, **environments[rank])))
            for helper in started:
                helper.wait(timeout=LIMIT)
            return told
        finally:
            for helper in started:
                helper.kill()  # those that have ended are not there any more
                helper.wait()

    def prints(self, script):
        """What a script on its Python that uses the drivers prints."""
        return subprocess.run([self.python, "-c", script], env=dict(self.environment, PYTHONPATH=str(DRIVERS)), check=True, text=True,
                              stdout=subprocess.PIPE, timeout=LIMIT).stdout

    def environments(self, ranks):
        """Of processes beside the ranks, and of the ranks."""
        return [], [{}] * ranks


class Torchrun(System):
    """Its ranks read what torchrun sets, and the interface of Gloo."""

    def environments(self, ranks, interface="lo"):
        port = free_port()
        return [], [dict(rank_environment(rank, ranks, port), GLOO_SOCKET_IFNAME=interface) for rank in range(ranks)]


class MXNet(System):
    """With a scheduler and servers where there are several workers."""

    def environments(self, ranks, servers=1):
        if ranks == 1:
            return [], [{}]
        together = {"DMLC_PS_ROOT_URI": "127.0.0.1", "DMLC_PS_ROOT_PORT": str(free_port()), "DMLC_NODE_HOST": "127.0.0.1",
                    "DMLC_NUM_WORKER": str(ranks), "DMLC_NUM_SERVER": str(servers)}
        helpers = [dict(together, DMLC_ROLE=role) for role in ["scheduler"] + ["server"] * servers]
        return helpers, [dict(together, DMLC_ROLE="worker")] * ranks


class TensorFlow(System):
    def environments(self, ranks):
        if ranks == 1:
            return [], [{}]
        workers = ["127.0.0.1:%d" % free_port() for _ in range(ranks)]
        return [], [{"TF_CONFIG": json.dumps({"cluster": {"worker": workers}, "task": {"type": "worker", "index": rank}})}
                    for rank in range(ranks)]


class Horovod(System):
    """mpirun starts its ranks."""

    def run(self, arguments, ranks=1, of_rank=lambda rank: ""):
        return self.start(*[arguments + " " + of_rank(rank) for rank in range(ranks)]).finish()

    def start(self, *arguments, **variables):
        return MpiRanks((self.python, DRIVERS / self.driver), arguments, dict(self.environment, **variables))


class MpiRanks:
    """The driver by mpirun, for each text of arguments a rank, which writes into a file: mpirun would mix their lines."""

    def __init__(self, driver, arguments, environment):
        self._folder = tempfile.TemporaryDirectory()
        self._files = [pathlib.Path(self._folder.name, str(rank)) for rank in range(len(arguments))]
        command = ["mpirun", "--oversubscribe", "--bind-to", "none"]
        for each, file in zip(arguments, self._files):
            file.touch()
            command += ["-np", "1", "sh", "-c", 'exec "$@" >"$0"', file, *driver, *each.split(), ":"]
        environment = dict(environment, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
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


SYSTEMS = {system.name: system for system in (
    Torchrun("pytorch", "pytorch.py"), Torchrun("jax", "jax_driver.py"), MXNet("mxnet", "mxnet_driver.py"),
    TensorFlow("tensorflow", "tensorflow_driver.py"),
    TensorFlow("keras", "keras_driver.py"), System("singa", "singa_driver.py"), System("cntk", "cntk_driver.py"),
    Horovod("horovod", "horovod_pytorch.py"), Horovod("horovod-mxnet", "horovod_mxnet.py"))}


def chosen():
    """The one that the first argument names, which is taken off. Ends the program, with the reason, where it is not installed."""
    system = SYSTEMS[sys.argv.pop(1)]
    if not system.python:
        print(f"skipped {system.name}: no {system.name} is installed here: ringside-cli engine install {system.name}")
        sys.exit()
    return system
