# SPDX-License-Identifier: MIT
"""MXNet with Gluon: one process, or a parameter server (kvstore) all of whose processes run this script: DMLC_ROLE says which is a
scheduler, a server or a worker. Arguments, lines and how each phase is measured: README.md beside this file."""
import os
import signal

import common
import parts_mxnet as parts

OPTIONS = {"kvstore": ("dist_sync", "dist_async", "dist_device_sync"),
           "update_on": ("server", "worker"),  # where the optimizer is
           "gradient_compression": ("none", "2bit"),
           "threshold": 0.5}  # of 2bit
HOW_TOGETHER = {"comm_exposed": "host clock from there until the first layer's weights, or the sum of its gradients, are back from the "
                                "servers; the next forward pass waits for the other layers'"}
STOP_KEY = 1 << 20  # above the keys of all parameters


def main():
    args = parts.arguments("MXNet", OPTIONS)
    if os.environ.get("DMLC_ROLE", "worker") != "worker":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends with its workers, not before them
    import mxnet as mx  # where a scheduler and a server stay until the end
    if args.options.kvstore == "dist_async" and args.options.update_on == "worker":
        common.refuse("With dist_async the optimizer is on the servers: choose --option update_on=server.")
    if args.precision == "fp16" and args.options.update_on == "server" and "DMLC_ROLE" in os.environ:
        common.refuse("Servers do not know the scale of fp16's loss: choose --option update_on=worker.")
    others = Workers(mx, args) if "DMLC_ROLE" in os.environ else Alone(mx, args)
    parts.train(mx, args, "mxnet", mx.__version__, others, servers=int(os.environ.get("DMLC_NUM_SERVER", 0)))


class Alone:
    rank, ranks, summed, updates_here = 0, 1, 1, True
    how = dict(parts.HOW, **parts.HOW_UPDATE)

    def __init__(self, mx, args):
        self._mx, self._args = mx, args

    def share_weights(self, net):
        pass

    def trainer(self, net):
        return self._mx.gluon.Trainer(net.collect_params(), "sgd", parts.sgd(self._args), kvstore=None, update_on_kvstore=False)

    def agreed(self, done):
        return done

    def exchange(self):
        pass

    def stop(self):
        return False


class Workers:
    """Those of a parameter server. One that is to stop says so by a key of its own, which all push and pull in every iteration: were it
    to leave alone, the others would wait for its gradients."""

    def __init__(self, mx, args):
        self._mx, self._args = mx, args
        self._kvstore = mx.kv.create(args.options.kvstore)
        self.rank, self.ranks = self._kvstore.rank, self._kvstore.num_workers
        self.summed = self.ranks if args.options.kvstore != "dist_async" else 1
        self.updates_here = args.options.update_on == "worker"
        self.how = dict(parts.HOW, **HOW_TOGETHER)
        if self.updates_here:
            self.how.update(parts.HOW_UPDATE)
        self._wish, self._wishes = mx.nd.zeros(1), parts.Wishes(mx)
        self._kvstore.init(STOP_KEY, self._wish)

    def share_weights(self, net):
        """The servers have those of rank 0."""

    def trainer(self, net):
        kind, compression = self._mx.gluon.Trainer, None
        if self._args.options.gradient_compression == "2bit":
            kind, compression = push_then_pull(self._mx), {"type": "2bit", "threshold": self._args.options.threshold}
        return kind(net.collect_params(), "sgd", parts.sgd(self._args), kvstore=self._kvstore, compression_params=compression,
                    update_on_kvstore=not self.updates_here)

    def agreed(self, done):
        self._wish[:] = max(1, self._args.options.threshold)  # or 2bit would round it down to 0

    def exchange(self):
        self._kvstore.push(STOP_KEY, self._wish)
        self._kvstore.pull(STOP_KEY, self._wishes.next())

    def stop(self):
        return self._wishes.any_before()


def push_then_pull(mx):
    class PushThenPull(mx.gluon.Trainer):
        """Since 1.7 a Trainer exchanges by pushpull(), which refuses to compress."""

        def _allreduce_grads(self):
            for i, each in enumerate(self._params):
                if each.grad_req != "null":
                    self._kvstore.push(i, each.list_grad(), priority=-i)
                    self._kvstore.pull(i, each.list_data() if self._update_on_kvstore else each.list_grad(), priority=-i)
    return PushThenPull


if __name__ == "__main__":
    main()
