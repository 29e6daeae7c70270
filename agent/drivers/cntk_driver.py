# SPDX-License-Identifier: MIT
"""CNTK 2.7, of Python 3.6: one process, or several below mpirun that sum gradients up, exactly or with 1 bit for each. Arguments, lines and
how each phase is measured: README.md beside this file."""
import os

import common
import ringside_records

OPTIONS = {"quantization_bits": ("32", "1"),
           "autotune": ("on", "off")}  # off: deterministic algorithms of cuDNN in place of the fastest
HOW = {"input_wait": "host clock around next() of the loader"}


def main():
    args = common.arguments("CNTK", OPTIONS, devices=("cpu", "cuda"))
    if args.data != "synthetic":
        common.refuse("CNTK's reader of pictures needs libpng12 and libjasper1, which systems no longer have: choose --data synthetic.")
    if args.model in ("googlenet", "resnet50") and args.image_size < 65:
        common.refuse("CNTK's kernels of 3 × 3 need what is as large in the last layers: choose --image-size 65 or more.")
    if args.threads:
        os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(args.threads)
    rank, ranks = ringside_records.rank_of(os.environ)
    import cntk as C
    prepare_device(C, args)
    trainer, features, labels = prepare(C, args, ranks)
    train(C, args, trainer, features, labels, rank, ranks)


def prepare_device(C, args):
    gpu, gpus = common.local_rank(), len(C.device.all_devices()) - 1
    if args.device == "cuda" and gpu >= gpus:
        common.refuse("Rank %d of this host needs a GPU of its own, and CNTK sees %d: choose --device cpu, or fewer ranks." % (gpu, gpus))
    C.device.try_set_default_device(C.device.gpu(gpu) if args.device == "cuda" else C.device.cpu())
    C.cntk_py.set_fixed_random_seed(args.small_seed)
    if args.options.autotune == "off":
        C.cntk_py.force_deterministic_algorithms()
    C.logging.set_trace_level(C.logging.TraceLevel.Error)


def prepare(C, args, ranks):
    """A trainer, and the inputs of its network."""
    import models_cntk
    features, labels = C.input_variable((3, args.image_size, args.image_size)), C.input_variable(args.classes)
    model = models_cntk.build(args, features)
    loss = C.cross_entropy_with_softmax(model, labels)
    learner = C.momentum_sgd(model.parameters, C.learning_parameter_schedule(args.learning_rate), C.momentum_schedule(args.momentum),
                             unit_gain=False, l2_regularization_weight=args.weight_decay)
    if ranks > 1:
        learner = C.data_parallel_distributed_learner(learner, 0, int(args.options.quantization_bits))
    return C.Trainer(model, (loss, None), [learner]), features, labels


def train(C, args, trainer, features, labels, rank, ranks):
    import numpy
    images, classes = common.synthetic_batch(args, rank)
    one_hot = numpy.eye(args.classes, dtype=numpy.float32)[classes]
    batches = common.repeated(args, {features: C.Value(images), labels: C.Value(one_hot)})  # there, and not copied in each iteration
    count = sum(int(numpy.prod(each.shape)) for each in trainer.model.parameters)
    records = common.records(args, "cntk", C.__version__, count, HOW, rank, ranks, loss="of all ranks together",
                             quantization_bits=int(args.options.quantization_bits) if ranks > 1 else None)
    # A rank that wishes to stop trains on no batch, which the others see in the count of items: all stop there.
    wish, together, seen = common.Wish(), ranks * args.batch_per_rank, 0
    for _ in common.iterations(args, wish.agreed if ranks > 1 else lambda done: done):
        batch = next(batches)
        records.mark("input_wait")
        for phase in ("forward", "backward", "update"):
            common.pause(args, phase)
        trainer.train_minibatch({} if wish.told else batch)
        seen += together
        if trainer.total_number_of_samples_seen < seen:
            break
        records.iteration(trainer.previous_minibatch_loss_average)
    records.end()
    if ranks > 1:
        C.train.distributed.Communicator.finalize()


if __name__ == "__main__":
    main()
