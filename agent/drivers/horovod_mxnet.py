# SPDX-License-Identifier: MIT
"""Horovod for MXNet, with Gluon: mpirun or horovodrun start a process for each rank."""
import horovod
import horovod.mxnet as hvd

import parts_horovod
import parts_mxnet as parts

OPTIONS = {"compression": ("none", "fp16")}
HOW_TOGETHER = {"comm_exposed": "host clock from there until the sum of the first layer's gradients is there; the next forward pass waits "
                                "for the other layers'"}


def main():
    args = parts.arguments("Horovod for MXNet", OPTIONS)
    import mxnet as mx  # which reads its threads from the environment
    parts_horovod.check_able(hvd)
    hvd.init()
    parts.train(mx, args, "horovod", horovod.__version__, Ranks(mx, args), mxnet=mx.__version__, backend=parts_horovod.backend(args, hvd))
    hvd.shutdown()


class Ranks:
    """One that is to stop says so by a number that all sum in every iteration: were it to leave alone, the others would wait for it."""
    summed, updates_here = 1, True  # Horovod's trainer divides by the ranks

    def __init__(self, mx, args):
        self._args = args
        self.rank, self.ranks = hvd.rank(), hvd.size()
        self.how = dict(parts.HOW, **parts.HOW_UPDATE, **(HOW_TOGETHER if self.ranks > 1 else {}))
        self._wish, self._wishes = mx.nd.zeros(1), parts.Wishes(mx)

    def share_weights(self, net):
        hvd.broadcast_parameters(net.collect_params(), root_rank=0)

    def trainer(self, net):
        return hvd.DistributedTrainer(net.collect_params(), "sgd", parts.sgd(self._args),
                                      compression=getattr(hvd.Compression, self._args.options.compression))

    def agreed(self, done):
        self._wish[:] = 1

    def exchange(self):
        wishes = self._wish.copyto(self._wishes.next())
        hvd.allreduce_(wishes, average=False, name="stop %d" % self._wishes.turn)  # both may be on their way

    def stop(self):
        return self._wishes.any_before()


if __name__ == "__main__":
    main()
