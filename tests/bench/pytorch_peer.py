# SPDX-License-Identifier: MIT
"""The peer that the worker is measured against: the same training step in Python, by PyTorch's own means.

usage: pytorch_peer.py --model NAME --start DIR --ranks N --threads N --batch N --image N --iterations N --warmup N
                       [--layout channels_last] [--compile] [--pictures DIR --workers N]
       pytorch_peer.py --make-pictures DIR --classes N --per-class N
DIR is what ringside-worker wrote with RINGSIDE_EXPORT_START: weights.f32 (parameters in order, one after the other),
images-R.f32 (NCHW) and labels-R.i64 of rank R. Prints one JSON object: losses of rank 0, images_per_second.
With --compile by torch.compile (inductor), which takes its time before the warm-up is over.
With pictures: a folder of class folders by torchvision's ImageFolder, and weights of PyTorch's own.
More than one rank: DistributedDataParallel on gloo, on GPUs on NCCL, with its default buckets, and without its broadcast of
BatchNorm's running statistics in every iteration: ours never sends them. On a GPU batches lie in page-locked memory, nothing waits
for the GPU, TF32 and cuDNN's autotuning are on."""
import argparse
import array
import json
import itertools
import os
import pathlib
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from torch import nn


DRIVERS = pathlib.Path(__file__).resolve().parents[2] / "agent/drivers"
CLASSES = 1000  # of the model


def model_of(name):
    """The driver's, which is torchvision's. No dropout: losses must be comparable."""
    sys.path.insert(0, str(DRIVERS))
    import models_pytorch
    return models_pytorch.build(argparse.Namespace(model=name, classes=CLASSES, dropout=0.0, seed=1))


def numbers(path, kind):
    values = array.array(kind)
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return torch.tensor(values)


def load_weights(model, path):
    weights, offset = numbers(path, "f"), 0
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(weights[offset:offset + parameter.numel()].view(parameter.shape))
            offset += parameter.numel()
    assert offset == weights.numel(), f"{path}: {weights.numel()} numbers, the model has {offset}"


def exported_batches(rank, args, memory):
    """The one batch of this rank, again and again, as the worker's synthetic data."""
    images = numbers(f"{args.start}/images-{rank}.f32", "f").view(args.batch, 3, args.image, args.image)
    labels = numbers(f"{args.start}/labels-{rank}.i64", "q")
    return itertools.repeat((images.contiguous(memory_format=memory), labels))


def picture_batches(args, memory):
    """Crops of 8 to 100 % of a picture, flipped by chance, normalised: what torchvision's own recipe does."""
    from torchvision import datasets, transforms
    steps = transforms.Compose([
        transforms.RandomResizedCrop(args.image), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])
    loader = torch.utils.data.DataLoader(datasets.ImageFolder(args.pictures, steps), batch_size=args.batch, shuffle=True,
                                         num_workers=args.workers, drop_last=True, persistent_workers=True)
    while True:
        for images, labels in loader:
            yield images.contiguous(memory_format=memory), labels


def make_pictures(args):
    """Smooth shapes with grain: about 100 kB a file, as photographs."""
    from PIL import Image, ImageChops
    for kind in range(args.classes):
        folder = os.path.join(args.make_pictures, f"class{kind:03}")
        os.makedirs(folder)
        for number in range(args.per_class):
            bands = [ImageChops.add(Image.effect_noise((25, 19), 120).resize((500, 375), Image.Resampling.BICUBIC),
                                    Image.effect_noise((500, 375), 30), scale=1.5) for _ in range(3)]
            Image.merge("RGB", bands).save(os.path.join(folder, f"{number:04}.jpg"), quality=85)


def place_among_siblings(core):
    """The place of a logical processor on its physical core: 0 for the first, and where the kernel does not say."""
    try:
        siblings = pathlib.Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list").read_text()
    except OSError:
        return 0
    spans = [[int(end) for end in span.split("-")] for span in siblings.split(",")]  # "0,64" or "0-1"
    return sum(sibling < core for span in spans for sibling in range(span[0], span[-1] + 1))


def core_set(rank, threads):
    """Cores of its own, one rank after the other; they begin anew where the machine has fewer. In the worker's order
    (agent/worker/runtime/affinity.cpp): one logical processor of each physical core first, their siblings after."""
    cores = sorted(sorted(os.sched_getaffinity(0)), key=place_among_siblings)
    return {cores[(rank * threads + i) % len(cores)] for i in range(threads)}


def prepare_gpu(rank):
    torch.cuda.set_device(rank)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    return torch.device("cuda", rank)


def on(device, batches):
    """Each batch on the device; a GPU copies while it computes on the one before, and the same batch once."""
    if device.type == "cpu":
        yield from batches
    last = None
    for images, labels in batches:
        if last is None or images is not last[0]:
            last = images, *(part.pin_memory().to(device, non_blocking=True) for part in (images, labels))
        yield last[1:]


def train(rank, args, answers):
    os.sched_setaffinity(0, core_set(rank, args.threads))
    device = prepare_gpu(rank) if args.device == "cuda" else torch.device("cpu")
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    model = model_of(args.model)
    if not args.pictures:
        load_weights(model, f"{args.start}/weights.f32")
    memory = torch.channels_last if args.layout == "channels_last" else torch.contiguous_format
    model = model.to(device, memory_format=memory)
    batches = picture_batches(args, memory) if args.pictures else exported_batches(rank, args, memory)
    if args.ranks > 1:
        dist.init_process_group("nccl" if args.device == "cuda" else "gloo", init_method=f"file://{args.start}/rendezvous",
                                rank=rank, world_size=args.ranks)
        model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True, broadcast_buffers=False)
    step = torch.compile(model) if args.compile else model
    optimizer = torch.optim.SGD(model.parameters(), lr=args.rate, momentum=0.9, weight_decay=1e-4, fused=True)
    losses, batches = [], on(device, batches)
    for i in range(args.iterations):
        if i == args.warmup:
            finish(device)
            began = time.perf_counter()
        images, labels = next(batches)
        optimizer.zero_grad()
        with torch.autocast(device.type, torch.bfloat16, enabled=args.precision == "bf16"):
            loss = nn.functional.cross_entropy(step(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach() if args.device == "cuda" else loss.item())
    finish(device)
    answers.put((rank, [float(loss) for loss in losses], time.perf_counter() - began))


def finish(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--make-pictures")
    parser.add_argument("--pictures")
    parser.add_argument("--model")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--start")
    parser.add_argument("--layout", default="contiguous")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    for name, otherwise in (("ranks", 1), ("threads", 1), ("batch", 1), ("image", 224), ("iterations", 1), ("warmup", 0),
                            ("workers", 1), ("classes", 10), ("per-class", 64)):
        parser.add_argument("--" + name, type=int, default=otherwise)
    parser.add_argument("--rate", type=float, default=0.01)
    return parser.parse_args()


def main():
    args = arguments()
    if args.make_pictures:
        return make_pictures(args)
    if os.path.exists(f"{args.start}/rendezvous"):
        os.remove(f"{args.start}/rendezvous")
    answers = processes.get_context("spawn").SimpleQueue()
    processes.spawn(train, (args, answers), nprocs=args.ranks)
    results = [answers.get() for _ in range(args.ranks)]
    slowest = max(seconds for _, _, seconds in results)
    steady = args.iterations - args.warmup
    print(json.dumps({"losses": next(losses for rank, losses, _ in results if rank == 0),
                      "images_per_second": args.ranks * args.batch * steady / slowest}))


if __name__ == "__main__":
    main()
