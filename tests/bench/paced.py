# SPDX-License-Identifier: MIT
"""Exposed communication with paced layers of ResNet-50, one rank on each of 2 and 3 nodes of the demo cluster, whose links
are shaped to 1 Gbit/s: overlapped with the backward pass and not, over Open MPI and by the backend auto, beside what theory
leaves. Then, with paced layers of GoogLeNet on two of the nodes, the same of each plan.

Theory: a sum of S bytes among n ranks takes at least 2 (n - 1) / n * S / B over links of B bytes/s in each direction (Patarasuk
and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J. Parallel Distrib. Comput. 69, 2009). Each
message of the plan begins when the last of its gradients is there and the message before it is over, and takes that long; what
is not over when backward ends is exposed (wait-free back-propagation; Zhang et al., "Poseidon", USENIX ATC 2017). When gradients
are there was recorded, in one iteration of each run. Of plans whose messages are no sums of parts of the gradients (servers,
codes) and of those that the next forward pass hides, too, the time in which communication can be hidden is taken off the
measured communication. Heads of Ethernet, IP and TCP, 5 % of what travels, are not in it.

What is exposed is, in each iteration, that of the rank which waits least: it is ready last, and the others wait for it, too, since
three nodes share this machine's cores. Each takes one, in turn. Beside other load it is read at a real-time priority, which
everything that is started inherits: else ranks wait for their turn, not for links. Not with Open MPI, whose ranks spin.

Prints "name value unit target".   usage: [chrt --fifo 1] paced.py --bin DIR [--backends launcher auto] [--iterations N] [--repeats N]
(as root)"""
import argparse
import itertools
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import tempfile

CLUSTER = pathlib.Path(__file__).resolve().parent.parent / "cluster"
HOME = "/home/ringside-demo"
LINK, BYTES_PER_SECOND = "1gbit", 125e6
NODES = (2, 3)
LAYER_MS, WARMUP = 5, 2
LIMIT_SECONDS = 1800
OVERLAPS = (("buckets", "overlapped"), ("buckets-after", "after"))
BACKENDS = ("launcher", "auto")

EXPERIMENT = """format = 1
name = "paced"
[factors]
ranks = [2, 3]
plan = ["buckets", "buckets-after"]
backend = {backends}
[fixed]
model = "resnet50"
image_size = 32
batch_per_rank = 1
data = "synthetic"
cores_per_rank = 1
compute = "paced"
layer_ms = {layer_ms}
[[when]]
match = {{ ranks = 2 }}
set = {{ nodes = 2 }}
[[when]]
match = {{ ranks = 3 }}
set = {{ nodes = 3 }}
[runs]
repeats = {repeats}
iterations = {iterations}
warmup = {warmup}
"""

# Each studied system's way. Those after the backward pass no backward pass can hide; of NOT_SUMS the messages are no sums.
PLANS = ["caffe", "caffe-mpi", "cntk", "cntk-1bit", "mxnet", "tensorflow-ps", "tensorflow-collective", "ddp", "horovod",
         "horovod-old", "mg-wfbp", "singa-fused", "singa-half", "singa-sparse"]
AFTER_BACKWARD = {"buckets-after", "cntk", "cntk-1bit", "tensorflow-collective"}
INTO_FORWARD = {"mxnet"}  # priority: the next forward pass waits layer by layer, and hides some, too
NOT_SUMS = {"cntk-1bit", "mxnet", "singa-sparse", "tensorflow-ps"}
TARGET = 1.2
PLANS_EXPERIMENT = """format = 1
name = "paced plans"
[factors]
plan = {plans}
[fixed]
model = "googlenet"
nodes = 2
ranks_per_node = 1
backend = "auto"
batch_per_rank = 16
data = "synthetic"
cores_per_rank = 1
compute = "paced"
layer_ms = 1.0
[runs]
repeats = {repeats}
iterations = {iterations}
warmup = {warmup}
"""

RUNS = """SELECT number, a.id, json_extract(f.json, '$.layers'), coalesce(json_extract(f.json, '$.model.plan_transport'),
json_extract(f.json, '$.transport')) FROM v_runs r JOIN attempts a ON a.run = r.number AND a.attempt = r.attempt
JOIN facts f ON f.attempt = a.id WHERE r.state = 'done' AND ranks = ? AND plan = ? AND json_extract(settings, '$.backend') = ?"""
SAMPLES = """SELECT comm_exposed_ns / 1e6, comm_total_ns / 1e6, backward_ns / 1e6, forward_ns / 1e6, min(comm_exposed_ns) OVER
(PARTITION BY seq) / 1e6 FROM v_samples WHERE run = ? AND NOT warmup"""
READY = "SELECT ready_ns / 1e6 FROM layers WHERE attempt = ? AND rank = 0 ORDER BY seq, layer LIMIT ?"
MESSAGES = "SELECT seq, bytes FROM buckets WHERE attempt = ? AND rank = 0 ORDER BY seq, start_ns"


class Cluster:
    """A cluster of its own, with its own folders; gone at the end."""

    def __init__(self, folder):
        self.state = folder / "cluster"
        self.environment = dict(os.environ, XDG_CONFIG_HOME=str(folder / "config"))
        self.site = folder / "config/ringside/sites/demo.toml"

    def script(self, name, *words):
        done = subprocess.run([CLUSTER / name, "--state", self.state, *words], env=self.environment, timeout=LIMIT_SECONDS,
                              capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{name} {' '.join(words)}: {(done.stdout + done.stderr)[-2000:]}")

    def __enter__(self):
        try:
            self.script("up.sh", "--nodes", str(max(NODES)))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.script("down.sh")

    def shape(self):
        for node in range(1, max(NODES) + 1):
            self.script("link.sh", f"n{node}", LINK)

    def bring_worker(self, binaries):
        """The one of this build, below a wrapper that finds the torch of the cluster, and a core for each node."""
        home = self.state / "cluster" / HOME.strip("/")
        shutil.copy(binaries / "ringside-worker", home / "ringside-worker")
        wrapper = home / "paced-worker"
        wrapper.write_text("#!/bin/sh\nLD_LIBRARY_PATH=$(echo /srv/torch/*/lib)\nexport LD_LIBRARY_PATH\n"
                           "node=$(uname -n | tr -cd 0-9)\n"
                           f"exec taskset -c $((node % $(nproc))) {HOME}/ringside-worker \"$@\"\n")
        wrapper.chmod(0o755)
        text = self.site.read_text()
        self.site.write_text(text.replace("[slurm]", f"worker = \"{HOME}/paced-worker\"\n[slurm]"))


def run(cluster, binaries, folder, text):
    experiment, store = folder / "paced.toml", folder / "paced.db"
    experiment.write_text(text)
    done = subprocess.run([binaries / "ringside-cli", "run", experiment, "--site", "demo", "--store", store],
                          env=cluster.environment, timeout=LIMIT_SECONDS, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ringside-cli ended with {done.returncode}: {(done.stdout + done.stderr)[-3000:]}")
    return sqlite3.connect(store)


def left_by_theory(layers, ready, messages, nodes, after):
    """ms that stay exposed. `layers`: bytes, the front first; `ready`: ms; `messages`: bytes, in their order."""
    share = sum(messages) / sum(layers)  # 16 bits are half
    end = max(ready)
    now, sent, reached, layer = 0, 0, 0, len(layers)
    for message in messages:
        sent += message
        while layer > 0 and reached < sent - 1:
            layer -= 1
            reached += layers[layer] * share
        now = max(now, end if after else max(ready[layer:]))
        now += 2 * (nodes - 1) / nodes * message / BYTES_PER_SECOND * 1e3
    return max(0, now - end)


def of_one_iteration(rows):
    return [size for seq, size in rows if seq == rows[0][0]]


class Reading:
    """Reading of a configuration: medians over steady iterations of all runs; theory of one iteration of each run."""

    def __init__(self, store, nodes, plan, backend):
        runs = store.execute(RUNS, (nodes, plan, backend)).fetchall()
        if not runs:
            raise RuntimeError(f"no run on {nodes} nodes with the plan {plan} and the backend {backend} is done")
        samples = [sample for run, *_ in runs for sample in store.execute(SAMPLES, (run,))]
        self.of_all, self.total, backward, forward, self.exposed = (statistics.median(column) for column in zip(*samples))
        self.runs, self.transport = len(runs), runs[0][3]
        if plan in NOT_SUMS:
            hideable = 0 if plan in AFTER_BACKWARD else backward + (forward if plan in INTO_FORWARD else 0)
            self.theory = max(0, self.total - hideable)
        else:
            self.theory = statistics.median(self.of_run(store, nodes, plan, *run[1:3]) for run in runs)

    @staticmethod
    def of_run(store, nodes, plan, attempt, facts):
        layers = [layer["gradient_bytes"] for layer in json.loads(facts)]
        ready = [ms for ms, in store.execute(READY, (attempt, len(layers)))]
        messages = of_one_iteration(store.execute(MESSAGES, (attempt,)).fetchall())
        return left_by_theory(layers, ready, messages, nodes, plan in AFTER_BACKWARD)

    def print(self, name, target):
        ratio = f"{self.exposed / self.theory:.2f}" if self.theory >= 1 else "-"
        print(f"paced.{name} {ratio} times {target}  # exposed {self.exposed:.0f} ms, theory {self.theory:.0f}; of all ranks "
              f"{self.of_all:.0f}; communication {self.total:.0f}, share {self.exposed / self.total:.2f} (theory {self.theory / self.total:.2f}); {self.runs} runs "
              f"over {LINK}; {self.transport}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    binaries = options.bin.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        folder.chmod(0o755)
        with Cluster(folder) as cluster:
            cluster.bring_worker(binaries)
            cluster.shape()
            lengths = {"warmup": WARMUP, "repeats": options.repeats, "iterations": options.iterations}
            store = run(cluster, binaries, folder, EXPERIMENT.format(layer_ms=LAYER_MS, backends=json.dumps(list(options.backends)), **lengths))
            for nodes, (plan, name), backend in itertools.product(NODES, OVERLAPS, options.backends):
                target = f"<={TARGET}" if backend == "auto" else "-"
                Reading(store, nodes, plan, backend).print(f"exposed_{nodes}_nodes_{name}_{backend}", target)
            store = run(cluster, binaries, folder, PLANS_EXPERIMENT.format(plans=PLANS, **lengths))
            for plan in PLANS:
                Reading(store, 2, plan, "auto").print(f"exposed_{plan}", "-")


if __name__ == "__main__":
    main()
