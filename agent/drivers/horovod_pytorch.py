# SPDX-License-Identifier: MIT
"""Horovod for PyTorch: mpirun or horovodrun start a process for each rank."""
import horovod
import horovod.torch as hvd

import common
import parts_horovod
import parts_pytorch as parts

OPTIONS = dict(parts.OPTIONS, compression=("none", "fp16"))
HOW = {"backward": "around backward(), whose hooks hand gradients over to Horovod",
       "comm_exposed": "around the optimizer's synchronize()"}


def main():
    args = common.arguments("Horovod for PyTorch", OPTIONS, precisions=("fp32", "bf16", "fp16"), devices=("cpu", "cuda"))
    if args.options.layout != "contiguous":
        common.refuse("Horovod sums contiguous tensors alone: choose --option layout=contiguous.")
    parts.check_precision(args)
    parts_horovod.check_able(hvd)
    hvd.init()
    device = parts.prepare_device(args, hvd.local_rank())
    model = parts.prepare_model(args, device)
    optimizer = hvd.DistributedOptimizer(parts.sgd(args, model), named_parameters=model.named_parameters(),
                                         compression=getattr(hvd.Compression, args.options.compression))
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    # Not the optimizer's state: there is none yet, and to make some Horovod would take a step, which decays weights.
    batches = parts.load(args, device, hvd.rank(), hvd.size())
    records = parts.begin_records(args, "horovod", horovod.__version__, model, HOW if hvd.size() > 1 else {}, hvd.rank(),
                                  hvd.size(), backend=parts_horovod.backend(args, hvd))
    train(args, model, optimizer, batches, device, parts.scaler(args), records)
    hvd.join()  # one that SIGTERM has ended helps those that are still in an iteration
    hvd.shutdown()


def train(args, model, optimizer, batches, device, scaler, records):
    for _ in common.iterations(args):
        images, labels = parts.next_batch(args, batches, device, records)
        optimizer.zero_grad()
        loss = parts.loss_of(args, model, images, labels)
        records.mark("forward")
        scaler.scale(loss).backward()
        records.mark("backward")
        if hvd.size() > 1:
            optimizer.synchronize()
            records.mark("comm_exposed")
        common.pause(args, "update")
        with optimizer.skip_synchronize():
            scaler.step(optimizer)  # unscales sums, so that all ranks leave out the same iterations
        scaler.update()
        records.mark("update")
        records.iteration(parts.readable(loss))
    records.end()


if __name__ == "__main__":
    main()
