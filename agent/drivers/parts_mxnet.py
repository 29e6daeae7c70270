# SPDX-License-Identifier: MIT
"""Gluon's training as MXNet's drivers share it. Who exchanges gradients with whom is `others`:

    rank, ranks, summed   of this process, of how many; by so many batches a step's gradients are divided
    updates_here          where the optimizer is: else on servers
    how                   how each phase is measured
    share_weights(net)    so that all begin with equal ones
    trainer(net)          a gluon.Trainer, or one of Horovod's
    agreed(done), exchange(), stop()   to stop after the same iteration (common.iterations)"""
import os

import common

OPTIONS = {"cudnn_benchmark": True,  # whether cuDNN's algorithms are tried for each convolution
           "phases": ("on", "off")}  # whether the script waits where a phase ends, so that it can be measured
HOW = {"input_wait": "host clock around next() of the loader", "forward": "host clock until the loss is there",
       "backward": "host clock from there until the gradient of the first layer is there, which is the last"}
KINDS = {"bf16": "bfloat16", "fp16": "float16"}
HOW_UPDATE = {"update": "host clock from there until the first layer's weights are updated"}


def arguments(framework, options):
    args = common.arguments(framework, dict(OPTIONS, **options), precisions=("fp32", "bf16", "fp16"), devices=("cpu", "cuda"))
    if args.precision == "bf16" and args.device == "cuda":
        common.refuse("MXNet trains in bf16 on CPUs alone: choose --precision fp16, or --device cpu.")
    if args.precision == "bf16" and not has_avx512():
        common.refuse("MXNet trains in bf16 on processors with AVX-512 alone, which this one lacks: choose --precision fp32.")
    if args.precision == "fp16" and args.device == "cpu":
        common.refuse("MXNet trains in fp16 on GPUs alone: choose --precision bf16, or --device cuda.")
    if args.threads:
        os.environ["OMP_NUM_THREADS"] = str(args.threads)
    os.environ["MXNET_CUDNN_AUTOTUNE_DEFAULT"] = str(int(args.options.cudnn_benchmark))
    return args


def has_avx512():
    """The part of it that oneDNN needs for bf16. Where the processor does not tell, MXNet finds out."""
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        flags = ""
    return not flags or "avx512bw" in flags.split()


def device(mx, args):
    """The device of this process, on its host."""
    if args.device == "cpu":
        return mx.cpu()
    gpu, gpus = common.local_rank(), mx.context.num_gpus()
    if gpu >= gpus:
        common.refuse("Rank %d of this host needs a GPU of its own, and MXNet sees %d: choose --device cpu, or fewer ranks." %
                      (gpu, gpus))
    return mx.gpu(gpu)


def train(mx, args, framework, version, others, **facts):
    """`framework` and `version` name the measured system; `facts` are further ones."""
    import models_mxnet
    context = device(mx, args)
    if args.precision != "fp32":
        from mxnet.contrib import amp
        amp.init(target_dtype=KINDS[args.precision])
    mx.random.seed(args.small_seed)
    net = models_mxnet.build(args)
    net.initialize(mx.init.Xavier(), ctx=context)
    net.hybridize(static_alloc=True, static_shape=True)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    batches = load(mx, args, context, others)
    others.share_weights(net)  # as they are made; MKL-DNN's order, which a pass sets, others cannot read
    net(mx.nd.zeros((args.batch_per_rank, 3, args.image_size, args.image_size), context)).wait_to_read()  # sets the sizes of layers
    trainer = others.trainer(net)
    if args.precision == "fp16":
        amp.init_trainer(trainer)
    weights = [each for each in net.collect_params().values() if each.grad_req != "null"]
    how = how_told(args, others)
    records = begin_records(mx, args, framework, version, weights, others, how, facts)
    phases = Phases(records, how)
    for _ in common.iterations(args, others.agreed):
        images, labels = next_batch(args, batches, context, phases)
        common.pause(args, "forward")
        with mx.autograd.record():
            losses = loss_of(net(images), labels)
            whole = in_scale(args, trainer, losses)
        loss = losses.mean()
        phases.end("forward", loss)
        common.pause(args, "backward")
        whole.backward()
        last = weights[0].grad()[:1].copy()
        trainer.step(args.batch_per_rank * others.summed)
        others.exchange()
        phases.end("backward", last)
        phases.end("comm_exposed", weights[0].grad() if others.updates_here else weights[0].data())
        if others.updates_here:
            common.pause(args, "update")
            phases.end_all(weights[0].data())
        phases.end("update")
        records.iteration(loss.asscalar())
        if others.stop():
            break
    records.end()
    mx.nd.waitall()  # others need what is still on its way from here


class Phases:
    """Ends those that are measured. MXNet runs ahead of its script, so that each ends when an array can be read: the script waits
    for it there, and nowhere if no phase is measured."""

    def __init__(self, records, how):
        self._records, self._how = records, how

    def end(self, phase, array=None):
        if phase in self._how:
            if array is not None:
                array.wait_to_read()
            self._records.mark(phase)

    def end_all(self, array):
        """An iteration that is divided into phases holds all of its own work."""
        if self._how:
            array.wait_to_read()


class Wishes:
    """To stop, of all ranks, as arrays for their sums. Each sum is read an iteration later: to wait for it at once would be to wait
    for all that is still on its way then, at the beginning of the next iteration, as if it were its batch."""

    def __init__(self, mx):
        self._sums, self.turn = [mx.nd.zeros(1), mx.nd.zeros(1)], 0

    def next(self):
        """For the sum of this iteration; `turn` tells it from the one before."""
        self.turn = 1 - self.turn
        return self._sums[self.turn]

    def any_before(self):
        return self._sums[1 - self.turn].asscalar() != 0


def sgd(args):
    return {"learning_rate": args.learning_rate, "momentum": args.momentum, "wd": args.weight_decay}


def how_told(args, others):
    """In fp16 a step waits for all sums of gradients, to see whether they are finite: what is behind forward is one whole then."""
    if args.options.phases == "off":
        return {}
    how = dict(others.how)
    if is_copied(args):
        how["h2d"] = "host clock around the batch's as_in_context()"
    if args.precision == "fp16":
        for phase in ("backward", "comm_exposed", "update"):
            how.pop(phase, None)
    return how


def in_scale(args, trainer, losses):
    """In fp16 times what the trainer divides gradients by. It leaves out a step whose gradients, on all ranks alike, are not finite."""
    if args.precision != "fp16":
        return losses
    from mxnet.contrib import amp
    with amp.scale_loss(losses, trainer) as scaled:
        return scaled


def next_batch(args, batches, context, phases):
    images, labels = next(batches)
    phases.end("input_wait")
    if is_copied(args):
        images, labels = images.as_in_context(context), labels.as_in_context(context)
        phases.end("h2d", images)
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
    return endless(mx, loader, on_gpu)


def endless(mx, loader, on_gpu):
    while True:
        for batch in loader:  # it lies in memory that is shared with a worker of the loader
            yield batch if on_gpu else [each.as_in_context(mx.cpu()) for each in batch]


def begin_records(mx, args, framework, version, weights, others, how, facts):
    count = sum(each.data().size for each in weights)
    built = [feature for feature in ("CUDA", "CUDNN", "MKLDNN", "BLAS_OPEN", "BLAS_MKL", "OPENMP") if
             mx.runtime.Features().is_enabled(feature)]
    return common.records(args, framework, version, count, how, others.rank, others.ranks, built=built,
                          threads=os.environ.get("OMP_NUM_THREADS"), **facts)
