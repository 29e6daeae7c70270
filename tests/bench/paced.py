# SPDX-License-Identifier: MIT
"""Exposed communication with paced layers of ResNet-50, one rank on each of 1, 2 and 3 nodes of the demo cluster, whose
links are shaped to 1 Gbit/s: overlapped with the backward pass and not, beside what theory allows. Then, with paced layers of
GoogLeNet on two of the nodes, which share of its communication each plan leaves exposed.

Theory: not overlapped, all communication is exposed. Overlapped, at least max(0, communication - backward), for the backward
pass alone can hide it (wait-free back-propagation; Zhang et al., "Poseidon", USENIX ATC 2017); what the bucket of the first
layers takes comes on top, for nothing is left to hide it. Communication is what the run measured; beside it stands the least
that an all-reduce of S bytes among n ranks takes over links of B bytes/s in each direction: 2 (n - 1) / n * S / B (Patarasuk
and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J. Parallel Distrib. Comput. 69, 2009).

Prints "name value unit target".        usage: paced.py --bin DIR [--iterations N] [--repeats N]   (as root)"""
import argparse
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

CLUSTER = pathlib.Path(__file__).resolve().parent.parent / "cluster"
HOME = "/home/ringside-demo"
LINK, BYTES_PER_SECOND = "1gbit", 125e6
NODES = (1, 2, 3)
LAYER_MS, WARMUP = 5, 2
LIMIT_SECONDS = 900

EXPERIMENT = """format = 1
name = "paced"
[factors]
ranks = [1, 2, 3]
plan = ["buckets", "buckets-after"]
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

# Each studied system's way. What it sends after the backward pass, or in one message that waits for the last gradient, no
# backward pass can hide.
PLANS = ["caffe", "caffe-mpi", "cntk", "cntk-1bit", "mxnet", "tensorflow-ps", "tensorflow-collective", "ddp", "horovod",
         "horovod-old", "mg-wfbp", "singa-fused", "singa-half", "singa-sparse"]
AFTER_BACKWARD = {"cntk", "cntk-1bit", "tensorflow-collective"}
INTO_FORWARD = {"mxnet"}  # priority: the next forward pass waits layer by layer, and hides some, too
PLANS_EXPERIMENT = """format = 1
name = "paced plans"
[factors]
plan = {plans}
[fixed]
model = "googlenet"
nodes = 2
ranks_per_node = 1
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

# Of a configuration, means over runs of those over ranks and steady iterations.
MEASURED = """SELECT avg(comm_exposed_ns) / 1e6, avg(comm_total_ns) / 1e6, avg(backward_ns) / 1e6, avg(forward_ns) / 1e6,
avg(bytes_sent), count(DISTINCT run)
FROM v_samples WHERE NOT warmup AND run IN (SELECT number FROM v_runs WHERE state = 'done' AND ranks = ? AND plan = ?)"""


class Cluster:
    """Of its own, with its own folders; gone at the end."""

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
        for node in NODES:
            self.script("link.sh", f"n{node}", LINK)

    def bring_worker(self, binaries):
        """The one of this build, below a wrapper that finds the torch of the cluster."""
        home = self.state / "cluster" / HOME.strip("/")
        shutil.copy(binaries / "ringside-worker", home / "ringside-worker")
        wrapper = home / "paced-worker"
        wrapper.write_text("#!/bin/sh\nLD_LIBRARY_PATH=$(echo /srv/torch/*/lib)\nexport LD_LIBRARY_PATH\n"
                           f"exec {HOME}/ringside-worker \"$@\"\n")
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


def report(store, nodes, plan, name):
    exposed, total, backward, _, sent, runs = store.execute(MEASURED, (nodes, plan)).fetchone()
    if not runs:
        raise RuntimeError(f"no run on {nodes} nodes with the plan {plan} is done")
    ideal = 2 * (nodes - 1) / nodes * sent / BYTES_PER_SECOND * 1e3
    hidden = backward if name == "overlapped" else 0
    print(f"paced.exposed_{nodes}_nodes_{name} {exposed:.0f} ms -  # theory: {max(0, total - hidden):.0f} or more, on ideal "
          f"links {max(0, ideal - hidden):.0f}; communication {total:.0f} (ideal {ideal:.0f}), backward {backward:.0f}; {runs} "
          f"runs, {sent / 1e6:.0f} MB over {LINK}", flush=True)


def report_share(store, plan):
    exposed, total, backward, forward, sent, runs = store.execute(MEASURED, (2, plan)).fetchone()
    if not runs:
        raise RuntimeError(f"no run with the plan {plan} is done")
    hideable = 0 if plan in AFTER_BACKWARD else backward + (forward if plan in INTO_FORWARD else 0)
    print(f"paced.exposed_share_{plan} {exposed / total:.2f} 1 -  # theory: {max(0, total - hideable) / total:.2f} or more; exposed "
          f"{exposed:.0f} of {total:.0f} ms, forward {forward:.0f}, backward {backward:.0f}; {runs} runs, {sent / 1e6:.1f} MB a rank over {LINK}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
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
            store = run(cluster, binaries, folder, EXPERIMENT.format(layer_ms=LAYER_MS, **lengths))
            report(store, 1, "none", "alone")
            for nodes in NODES[1:]:
                report(store, nodes, "buckets", "overlapped")
                report(store, nodes, "buckets-after", "after")
            store = run(cluster, binaries, folder, PLANS_EXPERIMENT.format(plans=PLANS, **lengths))
            for plan in PLANS:
                report_share(store, plan)


if __name__ == "__main__":
    main()
