# SPDX-License-Identifier: MIT
"""SINGA 3.0, of Python 3.6: one process, or several below mpirun with DistOpt, a GPU each. Arguments, lines and how each phase is
measured: README.md beside this file."""
import os

import common
import ringside_records

OPTIONS = {"graph": False,  # operations are kept as a graph and run together
           "dist": ("plain", "unfused", "half", "partial", "sparse"),  # of DistOpt; plain ones are fused where they are small
           "sparsity": 0.05,  # of sparse: the size from which a gradient is sent, or the share of the largest ones
           "topk": False}  # of sparse: whether it is that share
HOW = {"input_wait": "host clock around next() of the loader"}
HOW_EAGER = dict(HOW, forward="host clock around the model and its loss", backward="host clock between the updates of two parameters",
                 update="host clock around the update of each")


def main():
    args = common.arguments("SINGA", OPTIONS, devices=("cpu", "cuda"))
    rank, ranks = ringside_records.rank_of(os.environ)
    if args.threads:
        os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(args.threads)
    from singa import singa_wrap
    if args.data != "synthetic":
        common.refuse("SINGA's loader of pictures makes arrays of numpy, which its wheel does not accept: choose --data synthetic.")
    if args.model == "googlenet" and args.options.graph and not hasattr(singa_wrap, "VecTensor"):
        common.refuse("SINGA's graph goes on with a concatenation before all of its parts are there: choose --option graph=off, or --model "
                      "resnet50.")
    if args.device == "cuda" and not hasattr(singa_wrap, "CudaGPU"):
        common.refuse("This SINGA was built for CPUs: choose --device cpu.")
    if ranks > 1 and (args.device == "cpu" or not hasattr(singa_wrap, "Communicator")):
        common.refuse("SINGA's DistOpt needs a GPU for each rank, and a SINGA built with CUDA and NCCL: choose one rank.")
    train(args, rank, ranks)


def train(args, rank, ranks):
    import singa
    import models_singa
    import parts_singa
    place = place_of(args)
    place.SetRandSeed(args.small_seed + rank)
    batch = synthetic_batch(args, place)
    place.SetRandSeed(args.small_seed)  # DistOpt sends no rank's weights to the others
    eager = args.device == "cpu" and not args.options.graph  # only then a call returns when its work is done
    optimizer = (models_singa.TimedSGD if eager else singa.opt.SGD)(args.learning_rate, args.momentum, weight_decay=args.weight_decay)
    clock = Clock()
    optimizer.mark = clock.mark
    model = models_singa.Trainee(models_singa.build(args), updates(args, ranks, optimizer), clock.mark,
                                 lambda phase: common.pause(args, phase))
    model.compile([batch[0]], is_train=True, use_graph=args.options.graph, sequential=False)
    count = sum(each.size() for each in model.get_params().values())
    records = common.records(args, "singa", singa.__version__, count, HOW_EAGER if eager else HOW, rank, ranks,
                             batch_norm="SINGA's own" if parts_singa.IS_WHOLE else "of single operations")
    if eager:
        clock.mark_by = records.mark
    batches = common.repeated(args, batch)
    for _ in common.iterations(args):
        batch = next(batches)
        records.mark("input_wait")
        loss = model(*batch)[1]
        records.iteration(singa.singa_wrap.SumAsFloat(loss.data))
    records.end()


def synthetic_batch(args, place):
    """Drawn by SINGA: its wheel does not accept arrays of numpy."""
    from singa import tensor
    images = tensor.Tensor((args.batch_per_rank, 3, args.image_size, args.image_size), place)
    images.uniform(-3 ** 0.5, 3 ** 0.5)
    labels = tensor.Tensor((args.batch_per_rank,), place)
    labels.uniform(0, args.classes)
    return images, labels.as_type(tensor.int32)


def place_of(args):
    from singa import device
    if args.device == "cuda":
        place = device.create_cuda_gpu_on(common.local_rank())
    else:
        place = device.get_default_device()
    return place


def updates(args, ranks, optimizer):
    """The function of a loss."""
    if ranks == 1:
        return optimizer
    from singa import opt
    together = opt.DistOpt(optimizer)
    return {"plain": together, "unfused": lambda loss: together.backward_and_update(loss, threshold=0),
            "half": together.backward_and_update_half, "partial": together.backward_and_partial_update,
            "sparse": lambda loss: together.backward_and_sparse_update(loss, spars=args.options.sparsity,
                                                                       topK=args.options.topk)}[args.options.dist]


class Clock:
    """Marks have no effect before the records have begun, or if there are none."""

    @staticmethod
    def mark_by(phase):
        pass

    def mark(self, phase):
        self.mark_by(phase)


if __name__ == "__main__":
    main()
