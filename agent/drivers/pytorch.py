# SPDX-License-Identifier: MIT
"""PyTorch: DistributedDataParallel over gloo, on GPUs over NCCL. RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as torchrun sets
them. Arguments, lines and how each phase is measured: README.md beside this file."""
import inspect
import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook

import common
import parts_pytorch as parts
import ringside_records

OPTIONS = dict(parts.OPTIONS, **{
    "compile": False,
    "fused": False,  # SGD by one kernel
    "bucket_cap_mb": 0.0,  # 0, PyTorch's own: 25, and 1 for the bucket that is ready first
    "gradient_as_bucket_view": False,
    "static_graph": False,
    "broadcast_buffers": True,  # rank 0's running statistics of batch norms, before each forward pass
    "comm_hook": ("none", "fp16", "bf16", "powersgd"),
    "powersgd_rank": 1,
    "powersgd_start": 2,  # so many iterations are summed exactly before; PyTorch's own: 1,000
    "warmup": 2 ** 31 - 1,  # so many iterations do not count, where that is known
})
HOW = {"backward": "from backward() to the gradient of the first layer's weights, which is the last",
       "comm_exposed": "from there to the end of backward(), which waits for DistributedDataParallel"}


def main():
    args = common.arguments("PyTorch", OPTIONS, precisions=("fp32", "bf16", "fp16"), devices=("cpu", "cuda"))
    parts.check_precision(args)
    if (args.device, args.precision, args.options.comm_hook) == ("cpu", "bf16", "fp16"):
        common.refuse("gloo sums no fp16 of a model that computes in bf16: choose --option comm_hook=bf16, or none.")
    rank, ranks = ringside_records.rank_of(os.environ)
    if ranks > 1 and args.options.comm_hook == "powersgd":
        check_start(args, args.options.powersgd_start, args.options.warmup)
    device = parts.prepare_device(args, int(os.environ.get("LOCAL_RANK", rank)))
    model = parts.prepare_model(args, device)
    optimizer = parts.sgd(args, model, **fused(args))
    batches = parts.load(args, device, rank, ranks)
    scaler = parts.scaler(args)
    if ranks > 1:
        train_together(args, model, optimizer, batches, device, scaler, rank, ranks)
    else:
        records = parts.begin_records(args, "pytorch", torch.__version__, model, {}, rank, ranks)
        train(args, model, optimizer, batches, device, scaler, records, "backward")


def check_start(args, start, warmup):
    """The rate of iterations that sum exactly would be shown as PowerSGD's."""
    if start > warmup:
        common.refuse("Of the %d iterations before PowerSGD begins %d are warm-up: choose a warm-up of %d or more, or a smaller "
                      "--option powersgd_start, from 2 on." % (start, warmup, start))
    if 0 < args.iterations <= start:
        common.refuse("PowerSGD begins after %d iterations, and there are %d: choose more --iterations, or a smaller "
                      "--option powersgd_start, from 2 on." % (start, args.iterations))


def fused(args):
    if not args.options.fused:
        return {}
    if "fused" not in inspect.signature(torch.optim.SGD).parameters:
        common.refuse("PyTorch %s has no fused SGD, which came with 2.3: choose --option fused=off." % torch.__version__)
    return {"fused": True}


def train(args, model, optimizer, batches, device, scaler, records, end_of_backward, *agreed):
    if args.options.compile:
        model = torch.compile(model)
    for _ in common.iterations(args, *agreed):
        images, labels = parts.next_batch(args, batches, device, records)
        optimizer.zero_grad()
        loss = parts.loss_of(args, model, images, labels)
        records.mark("forward")
        scaler.scale(loss).backward()
        records.mark(end_of_backward)
        common.pause(args, "update")
        scaler.step(optimizer)
        scaler.update()
        records.mark("update")
        records.iteration(parts.readable(loss))
    records.end()


def train_together(args, model, optimizer, batches, device, scaler, rank, ranks):
    if "MASTER_ADDR" not in os.environ or "MASTER_PORT" not in os.environ:
        common.refuse("PyTorch's ranks meet at MASTER_ADDR and MASTER_PORT: start them by torchrun, or set both.")
    store, rank, ranks = next(dist.rendezvous("env://", rank, ranks))
    dist.init_process_group("nccl" if args.device == "cuda" else "gloo", store=dist.PrefixStore("training", store), rank=rank,
                            world_size=ranks)
    records = parts.begin_records(args, "pytorch", torch.__version__, model, HOW, rank, ranks, backend=dist.get_backend())
    parts.first_weight(model).register_post_accumulate_grad_hook(lambda _: records.mark("backward"))
    train(args, distributed(args, model), optimizer, batches, device, scaler, records, "comm_exposed",
          agreement(dist.PrefixStore("end", store), rank, ranks))
    dist.barrier()
    dist.destroy_process_group()


def distributed(args, model):
    options = args.options
    size = {"bucket_cap_mb": options.bucket_cap_mb} if options.bucket_cap_mb else {}
    model = torch.nn.parallel.DistributedDataParallel(
        model, gradient_as_bucket_view=options.gradient_as_bucket_view, static_graph=options.static_graph,
        broadcast_buffers=options.broadcast_buffers, **size)
    if options.comm_hook == "powersgd":
        state = powerSGD_hook.PowerSGDState(None, options.powersgd_rank, options.powersgd_start)
        model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    elif options.comm_hook != "none":
        model.register_comm_hook(None, getattr(default_hooks, options.comm_hook + "_compress_hook"))
    return model


def agreement(store, rank, ranks):
    """The number of iterations after which all ranks stop. Each that SIGTERM reached reports how many it has done. The next one ends
    nowhere before all have reported, since it needs all of them: every rank then knows, and none stops while another waits for it."""
    names = [str(other) for other in range(ranks)]
    told = []

    def agreed(done):
        if not told:
            told.append(done)
            store.set(names[rank], str(done))
        if store.check(names):
            return 1 + max(int(store.get(name)) for name in names)
        return None
    return agreed


if __name__ == "__main__":
    main()
