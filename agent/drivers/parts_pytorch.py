# SPDX-License-Identifier: MIT
"""Code that drivers on PyTorch share, however they communicate: device, model, optimizer, batches, clock, delays."""
import itertools
import re
import signal

import torch
from torch import nn

import common
import folders
import models_pytorch
import ringside_records

OPTIONS = {"layout": ("contiguous", "channels_last"), "tf32": False, "cudnn_benchmark": False,
           "flush_denormal": False}
HOW = {"input_wait": "around next() of the loader", "h2d": "around the batch's to(device)", "forward": "around model and loss",
       "backward": "around backward()", "update": "around the optimizer's step()"}


class DeviceClock:
    """Events of the GPU's stream, read an iteration later, when they are over: nothing waits for the GPU."""
    later = 1

    @staticmethod
    def now():
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    @staticmethod
    def between(begin, end):
        end.synchronize()
        return int(begin.elapsed_time(end) * 1e6)


def check_precision(args):
    if args.precision == "fp16" and args.device == "cpu":
        common.refuse("PyTorch trains in fp16 on GPUs alone: choose --precision bf16, or --device cuda.")


def scaler(args):
    """Scales the loss, in fp16. Before 2.3 it was for GPUs alone."""
    if not hasattr(torch.amp, "GradScaler"):
        return torch.cuda.amp.GradScaler(enabled=args.precision == "fp16")
    return torch.amp.GradScaler(args.device, enabled=args.precision == "fp16")


def prepare_device(args, local_rank):
    if args.threads:
        torch.set_num_threads(args.threads)
    torch.set_flush_denormal(args.options.flush_denormal)
    if args.device == "cpu":
        return torch.device("cpu")
    gpus = torch.cuda.device_count()
    if local_rank >= gpus:
        common.refuse("Rank %d of this host needs a GPU of its own, and PyTorch sees %d: choose --device cpu, or fewer ranks." %
                      (local_rank, gpus))
    torch.cuda.set_device(local_rank)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = args.options.tf32
    torch.backends.cudnn.benchmark = args.options.cudnn_benchmark
    return torch.device("cuda", local_rank)


def prepare_model(args, device):
    """With the pauses of --delay inside of its passes: the one of backward where the last gradient is."""
    model = models_pytorch.build(args).to(device, memory_format=memory_format(args))
    if "forward" in args.delay:
        model.register_forward_pre_hook(lambda *_: common.pause(args, "forward"))
    if "backward" in args.delay:
        first_weight(model).register_hook(lambda _: common.pause(args, "backward"))
    return model


def sgd(args, model, **more):
    return torch.optim.SGD(model.parameters(), lr=args.learning_rate, momentum=args.momentum, weight_decay=args.weight_decay,
                           **more)


def first_weight(model):
    """Its gradient is the last that backward computes."""
    return next(model.parameters())


def memory_format(args):
    return torch.channels_last if args.options.layout == "channels_last" else torch.contiguous_format


def load(args, device, rank, ranks):
    """Batches without end: synthetic ones lie where they are computed with, others are read by torchvision."""
    if args.data != "synthetic":
        return common.delayed(args, pictures(args, rank, ranks))
    images, labels = map(torch.from_numpy, common.synthetic_batch(args, rank))
    return common.repeated(args, (images.to(device, memory_format=memory_format(args)), labels.to(device)))


def pictures(args, rank, ranks):
    """Crops of 8 to 100 % of a picture, flipped by chance, normalised: torchvision's own recipe."""
    datasets, transforms = models_pytorch.torchvision().datasets, models_pytorch.torchvision().transforms
    steps = [transforms.RandomResizedCrop(args.image_size), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
             transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))]
    dataset = datasets.ImageFolder(args.data, transforms.Compose(steps))
    folders.check(args, len(dataset.classes), len(dataset), ranks)
    sampler = torch.utils.data.DistributedSampler(dataset, ranks, rank, seed=args.small_seed, drop_last=True)
    loader = torch.utils.data.DataLoader(dataset, args.batch_per_rank, sampler=sampler, num_workers=args.loader_workers,
                                         drop_last=True, pin_memory=args.device == "cuda",
                                         persistent_workers=args.loader_workers > 0, worker_init_fn=leave_end_to_trainer)
    return epochs(args, loader, sampler)


def epochs(args, loader, sampler):
    for epoch in itertools.count():
        sampler.set_epoch(epoch)
        for images, labels in loader:
            yield images.contiguous(memory_format=memory_format(args)), labels


def leave_end_to_trainer(_):
    """A worker that SIGTERM ended would be an error in the process that trains, which is to end in order."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def is_copied(args):
    return args.device == "cuda" and args.data != "synthetic"


def next_batch(args, batches, device, records):
    images, labels = next(batches)
    records.mark("input_wait")
    if is_copied(args):
        images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
        records.mark("h2d")
    return images, labels


def loss_of(args, model, images, labels):
    kind = torch.float16 if args.precision == "fp16" else torch.bfloat16
    with torch.autocast(args.device, kind, enabled=args.precision != "fp32"):
        return nn.functional.cross_entropy(model(images), labels)


def readable(loss):
    """The loss as records read it: a GPU's comes over by itself, and is there when the iteration is over."""
    return loss.detach().to("cpu", non_blocking=True) if loss.is_cuda else loss.item()


def begin_records(args, framework, version, model, how, rank, ranks, **facts):
    """`how` says how further phases than those in HOW are measured."""
    on_gpu = args.device == "cuda"
    clock, name = (DeviceClock, "GPU events ") if on_gpu else (ringside_records.HostClock, "host clock ")
    how = {phase: name + text for phase, text in dict(HOW, **how).items() if phase != "h2d" or is_copied(args)}
    if on_gpu:
        torch.cuda.synchronize()
    return common.records(args, framework, version, sum(p.numel() for p in model.parameters()), how, rank, ranks, clock,
                          torch=torch.__version__, threads=torch.get_num_threads(), built_with=built_with(), **facts)


def built_with():
    """Libraries that are inside of libtorch, or that it says the version of."""
    said = re.findall(r"Math Kernel Library Version \S+|MKL-DNN v\S+|BLAS_INFO=\w+|CuDNN \S+", torch.__config__.show())
    nccl = torch.cuda.is_available() and torch.distributed.is_nccl_available()
    return said + (["NCCL " + ".".join(map(str, torch.cuda.nccl.version()))] if nccl else [])
