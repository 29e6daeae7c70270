# SPDX-License-Identifier: MIT
"""MXNet with Gluon: one process, or a parameter server (kvstore) all of whose processes run this script: DMLC_ROLE says which is a
scheduler, a server or a worker. Arguments, lines and how each phase is told: README.md beside this file."""
import os
import signal

import common

OPTIONS = {"kvstore": ("dist_sync", "dist_async", "dist_device_sync"),
           "update_on": ("server", "worker"),  # where the optimizer is
           "gradient_compression": ("none", "2bit"),
           "threshold": 0.5,  # of 2bit
           "cudnn_benchmark": True}  # whether cuDNN's algorithms are tried for each convolution
HOW = {"input_wait": "host clock around next() of the loader", "forward": "host clock until the loss is there"}
HOW_ALONE = {"backward": "host clock from there until the gradient of the first layer is there, which is the last",
             "update": "host clock from there until the first layer's weights are updated"}
HOW_TOGETHER = {"backward": HOW_ALONE["backward"],
                "comm_exposed": "host clock from there until the first layer's weights, or the sum of its gradients, are back from the "
                                "servers; the next forward pass waits for the other layers'"}
STOP_KEY = 1 << 20  # above the keys of all parameters


def main():
    args = common.arguments("MXNet", OPTIONS, precisions=("fp32", "bf16"), devices=("cpu", "cuda"))
    if args.precision == "bf16" and args.device == "cuda":
        common.refuse("MXNet trains in bf16 on CPUs alone: choose --precision fp32, or --device cpu.")
    if args.threads:
        os.environ["OMP_NUM_THREADS"] = str(args.threads)
    os.environ["MXNET_CUDNN_AUTOTUNE_DEFAULT"] = str(int(args.options.cudnn_benchmark))
    if os.environ.get("DMLC_ROLE", "worker") != "worker":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends with its workers, not before them
    import mxnet as mx  # where a scheduler and a server stay until the end
    together = "DMLC_ROLE" in os.environ
    if args.options.kvstore == "dist_async" and args.options.update_on == "worker":
        common.refuse("With dist_async the optimizer is on the servers: choose --option update_on=server.")
    train(mx, args, device(mx, args), Workers(mx, args) if together else Alone())


def device(mx, args):
    """Of this process, on its host."""
    if args.device == "cpu":
        return mx.cpu()
    gpu, gpus = common.local_rank(), mx.context.num_gpus()
    if gpu >= gpus:
        common.refuse("Rank %d of this host needs a GPU of its own, and MXNet sees %d: choose --device cpu, or fewer ranks." %
                      (gpu, gpus))
    return mx.gpu(gpu)


class Alone:
    rank, ranks, kvstore, compression, updates_here = 0, 1, None, None, True
    how = dict(HOW, **HOW_ALONE)

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
        self.kvstore = mx.kv.create(args.options.kvstore)
        self.rank, self.ranks = self.kvstore.rank, self.kvstore.num_workers
        self.updates_here = args.options.update_on == "worker"
        self.compression = {"type": "2bit", "threshold": args.options.threshold} if args.options.gradient_compression == "2bit" else None
        self.how = dict(HOW, **HOW_TOGETHER)
        if self.updates_here:
            self.how["update"] = HOW_ALONE["update"]
        self._threshold = args.options.threshold
        self._wish, self._wishes = mx.nd.zeros(1), mx.nd.zeros(1)
        self.kvstore.init(STOP_KEY, self._wishes)

    def agreed(self, done):
        self._wish[:] = max(1, self._threshold)  # or 2bit would round it down to 0

    def exchange(self):
        self.kvstore.push(STOP_KEY, self._wish)
        self.kvstore.pull(STOP_KEY, self._wishes)

    def stop(self):
        return self._wishes.asscalar() != 0


def train(mx, args, context, others):
    import models_mxnet
    if args.precision == "bf16":
        from mxnet.contrib import amp
        amp.init(target_dtype="bfloat16")
    mx.random.seed(args.small_seed)
    net = models_mxnet.build(args)
    net.initialize(mx.init.Xavier(), ctx=context)
    net.hybridize(static_alloc=True, static_shape=True)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    batches = load(mx, args, context, others)
    net(next(batches)[0].as_in_context(context)).wait_to_read()  # tells the layers their sizes
    trainer = make_trainer(mx, args, net, others)
    weights = [each for each in net.collect_params().values() if each.grad_req != "null"]
    summed = others.ranks if args.options.kvstore != "dist_async" else 1
    records = begin_records(mx, args, weights, others)
    for _ in common.iterations(args, others.agreed):
        images, labels = next_batch(args, batches, context, records)
        common.pause(args, "forward")
        with mx.autograd.record():
            losses = loss_of(net(images), labels)
        loss = losses.mean()
        loss.wait_to_read()
        records.mark("forward")
        common.pause(args, "backward")
        losses.backward()
        last = weights[0].grad()[:1].copy()
        trainer.step(args.batch_per_rank * summed)
        others.exchange()
        last.wait_to_read()
        records.mark("backward")
        if others.kvstore:
            (weights[0].grad() if others.updates_here else weights[0].data()).wait_to_read()
            records.mark("comm_exposed")
        if others.updates_here:
            common.pause(args, "update")
            weights[0].data().wait_to_read()
            records.mark("update")
        records.iteration(loss.asscalar())
        if others.stop():
            break
    records.end()


def make_trainer(mx, args, net, others):
    class PushThenPull(mx.gluon.Trainer):
        """Since 1.7 a Trainer exchanges by pushpull(), which refuses to compress."""

        def _allreduce_grads(self):
            for i, each in enumerate(self._params):
                if each.grad_req != "null":
                    self._kvstore.push(i, each.list_grad(), priority=-i)
                    self._kvstore.pull(i, each.list_grad() if others.updates_here else each.list_data(), priority=-i)

    return (PushThenPull if others.compression else mx.gluon.Trainer)(
        net.collect_params(), "sgd", {"learning_rate": args.learning_rate, "momentum": args.momentum, "wd": args.weight_decay},
        kvstore=others.kvstore, compression_params=others.compression, update_on_kvstore=not others.updates_here)


def next_batch(args, batches, context, records):
    images, labels = next(batches)
    records.mark("input_wait")
    if is_copied(args):
        images, labels = images.as_in_context(context), labels.as_in_context(context)
        images.wait_to_read()
        records.mark("h2d")
    return images, labels


def is_copied(args):
    return args.device == "cuda" and args.data != "synthetic"


def load(mx, args, context, others):
    """Batches without end: a synthetic one lies where it is computed with, others are read by Gluon."""
    if args.data != "synthetic":
        return common.delayed(args, pictures(mx, args, others))
    return common.repeated(args, tuple(mx.nd.array(each, context) for each in common.synthetic_batch(args, others.rank)))


def pictures(mx, args, others):
    """Crops of 8 to 100 % of a picture, flipped by chance, normalised."""
    import folders
    from mxnet.gluon.data import DataLoader, vision
    steps = [vision.transforms.RandomResizedCrop(args.image_size), vision.transforms.RandomFlipLeftRight(),
             vision.transforms.ToTensor(), vision.transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))]
    dataset = vision.ImageFolderDataset(args.data)
    folders.check(args, len(dataset.synsets), len(dataset), others.ranks)
    dataset = dataset.shard(others.ranks, others.rank).transform_first(vision.transforms.Compose(steps))
    on_gpu = args.device == "cuda"
    loader = DataLoader(dataset, args.batch_per_rank, shuffle=True, last_batch="discard", num_workers=args.loader_workers,
                        pin_memory=on_gpu)
    while True:
        for batch in loader:  # it lies in memory that is shared with a worker of the loader
            yield batch if on_gpu else [each.as_in_context(mx.cpu()) for each in batch]


def begin_records(mx, args, weights, others):
    how = dict(others.how)
    if is_copied(args):
        how["h2d"] = "host clock around the batch's as_in_context()"
    count = sum(each.data().size for each in weights)
    built = [feature for feature in ("CUDA", "CUDNN", "MKLDNN", "BLAS_OPEN", "BLAS_MKL", "OPENMP") if
             mx.runtime.Features().is_enabled(feature)]
    return common.records(args, "mxnet", mx.__version__, count, how, others.rank, others.ranks, built=built,
                          servers=int(os.environ.get("DMLC_NUM_SERVER", 0)), threads=os.environ.get("OMP_NUM_THREADS"))


if __name__ == "__main__":
    main()
