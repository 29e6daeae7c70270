# SPDX-License-Identifier: MIT
"""The cost of records in PyTorch's driver: the same loop with and without them, in one process, in blocks of iterations that take turns
(paired); and the share of the thread's processor time that is spent inside of records, less that of empty calls
there, which a busy machine blurs less (inside). Medians. Prints "name value unit target".

usage: PYTHON driver_cost.py [--pairs N]        PYTHON: one that has torch and torchvision"""
import argparse
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "agent" / "drivers"))
import common  # noqa: E402
import parts_pytorch as parts  # noqa: E402
import pytorch  # noqa: E402

CASES = (("lenet", 32, 28, 40), ("alexnet", 8, 64, 4))  # model, batch, pixels, iterations of a block
TARGET = 0.5


class NoRecords:
    def mark(self, phase):
        pass

    def iteration(self, loss):
        pass

    def end(self):
        pass


class TimedRecords:
    """Sums up what calls of others take."""

    def __init__(self, records):
        self.inside, self.end = 0, records.end
        self.mark, self.iteration = self._timed(records.mark), self._timed(records.iteration)

    def _timed(self, call):
        def timed(argument):
            began = time.thread_time()
            call(argument)
            self.inside += time.thread_time() - began
        return timed


def train(training, records):
    """(wall, processor) seconds."""
    args, model, optimizer, batches, device, scaler = training
    wall, processor = time.monotonic(), time.thread_time()
    pytorch.train(args, model, optimizer, batches, device, scaler, records, "backward")
    return time.monotonic() - wall, time.thread_time() - processor


def real_records(training):
    return parts.begin_records(training[0], "pytorch", "", training[1], {}, 0, 1)


def paired(training, number):
    """The percentage by which a block with records lasts longer; each of the two begins every second pair."""
    took = {}
    for with_records in (True, False) if number % 2 else (False, True):
        took[with_records], _ = train(training, real_records(training) if with_records else NoRecords())
    return 100 * (took[True] / took[False] - 1)


def inside(training):
    shares = []
    for records in (TimedRecords(real_records(training)), TimedRecords(NoRecords())):
        _, processor = train(training, records)
        shares.append(100 * records.inside / processor)
    return shares[0] - shares[1]


def prepare(model, batch, pixels, iterations):
    sys.argv = ["", "--model", model, "--batch-per-rank", str(batch), "--image-size", str(pixels), "--iterations", str(iterations),
                "--threads", "1"]
    args = common.arguments("PyTorch", pytorch.OPTIONS)
    device = parts.prepare_device(args, 0)
    network = parts.prepare_model(args, device)
    return (args, network, parts.sgd(args, network), parts.load(args, device, 0, 1), device,
            pytorch.torch.amp.GradScaler("cpu", enabled=False))


def measure(case, pairs, out):
    training = prepare(*case)
    train(training, NoRecords())
    for kind, values in (("paired", [paired(training, number) for number in range(pairs)]),
                         ("inside", [inside(training) for _ in range(pairs)])):
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"driver.records.{case[0]}.{kind} {middle:.3f} % {TARGET}  # quartiles {low:.3f} to {high:.3f}, of {pairs}", file=out,
              flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=40)
    pairs = parser.parse_args().pairs
    out = os.fdopen(os.dup(1), "w")
    read, write = os.pipe()  # records go through a pipe, as they do below the runner
    os.dup2(write, 1)
    if os.fork() == 0:
        os.close(write)
        os.close(1)
        while os.read(read, 65536):
            pass
        os._exit(0)
    for case in CASES:
        measure(case, pairs, out)


if __name__ == "__main__":
    main()
