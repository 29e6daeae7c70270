# SPDX-License-Identifier: MIT
"""TensorFlow with a training loop of one's own: one process, MultiWorkerMirroredStrategy, or ParameterServerStrategy, by TF_CONFIG.
Arguments, lines and how each phase is measured: README.md beside this file."""
import collections
import json
import os
import statistics
import time

os.environ["TF_USE_LEGACY_KERAS"] = "1"  # Keras 3 does not know these strategies
import parts_tensorflow as parts  # before TensorFlow: it says what Keras computes with
import tensorflow as tf

import common
import models_keras
import ringside_records

OPTIONS = dict(parts.OPTIONS, **{
    "strategy": ("multi_worker_mirrored", "parameter_server"),
    "communication": ("auto", "ring", "nccl"),
    "bytes_per_pack": 0,  # of gradients that are summed at once; 0: TensorFlow's choice
    "steps_ahead": 2,  # of parameter servers: so many for each worker are under way
    "phases": ("on", "off"),  # whether a graph has the stamps by which phases are measured, and the waits that these need
})
HOW = {"input_wait": "host clock around next() of the loader",
       "forward": "from there to a tf.timestamp() that follows the loss",
       "backward": "to one that follows the last gradient of this rank"}
COMMUNICATION = {"comm_exposed": "to one that follows the last sum of gradients"}
UPDATE = {"update": "host clock to the end of the step"}
LossScale = tf.keras.mixed_precision.LossScaleOptimizer  # of fp16: leaves out steps whose sums of gradients are not finite


def main():
    args = common.arguments("TensorFlow", OPTIONS, precisions=("fp32", "bf16", "fp16"), devices=("cpu", "cuda"))
    parts.check_precision(args, "TensorFlow")
    if args.device == "cpu" and args.options.communication == "nccl":
        common.refuse("NCCL is for GPUs, and TensorFlow would sum by its ring: choose --option communication=ring, or --device cuda.")
    parts.prepare_device(args)
    tf.keras.mixed_precision.set_global_policy(parts.POLICIES[args.precision])
    cluster, kind = parts.place()
    if args.options.strategy == "multi_worker_mirrored":
        train(args)
    elif args.device == "cuda":
        common.refuse("Parameter servers are for CPUs here: choose --device cpu, or --option strategy=multi_worker_mirrored.")
    elif not {"chief", "worker", "ps"} <= set(cluster):
        common.refuse("Parameter servers need a chief, workers and ps in TF_CONFIG: choose --option strategy=multi_worker_mirrored.")
    elif kind == "chief":
        coordinate(args, len(cluster["worker"]))
    else:
        serve(args, len(cluster["worker"]))


def train(args):
    rank, ranks = ringside_records.rank_of(os.environ)
    strategy = mirrored(args, ranks)
    with strategy.scope():
        model, optimizer = prepare_model(args)
    wish, clock, how = Wish(), GraphClock(), how_told(args, ranks)
    step = make_step(args, strategy, model, optimizer, ranks, is_stamped="forward" in how)
    batches = parts.batches(args, rank, ranks)
    records = begin_records(args, model, how, rank, ranks, clock)
    for _ in common.iterations(args, wish.agreed if ranks > 1 else lambda done: done):
        images, labels = next(batches)
        records.mark("input_wait")
        loss, stamps, wishes = step(images, labels, wish.value)
        if "forward" in how:
            clock.take(stamps)
        for phase in list(how)[1:]:
            records.mark(phase)
        records.iteration(loss)
        if wishes > 0:
            break
    records.end()


def how_told(args, ranks):
    """A graph's time stamps are the host's: on a GPU they would say when something was asked for."""
    if args.device == "cuda" or args.options.phases == "off":
        return {"input_wait": HOW["input_wait"]}
    return dict(HOW, **COMMUNICATION, **UPDATE) if ranks > 1 else dict(HOW, **UPDATE)


class Wish:
    """The wish to stop. Ranks sum the wishes up together with their gradients, so that all stop after the same iteration."""

    def __init__(self):
        self.value = tf.constant(0.0)

    def agreed(self, done):
        self.value = tf.constant(1.0)


class GraphClock(ringside_records.HostClock):
    """The stamps that a step has brought from its graph, then the host's time."""

    def __init__(self):
        self._stamps = collections.deque()

    def take(self, seconds):
        """Since 1970."""
        offset = ringside_records.HostClock.now() - int(time.time() * 1e9)
        self._stamps.extend(int(each * 1e9) + offset for each in seconds.numpy())

    def now(self):
        return self._stamps.popleft() if self._stamps else ringside_records.HostClock.now()


def mirrored(args, ranks):
    if ranks == 1:
        return tf.distribute.get_strategy()
    communication = tf.distribute.experimental.CommunicationImplementation(args.options.communication.upper())
    return tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(
        bytes_per_pack=args.options.bytes_per_pack, implementation=communication))


def prepare_model(args):
    tf.keras.utils.set_random_seed(args.small_seed)
    optimizer = tf.keras.optimizers.SGD(args.learning_rate, args.momentum)
    return models_keras.build(tf.keras, args), LossScale(optimizer) if args.precision == "fp16" else optimizer


def unscaled(optimizer, gradients):
    return optimizer.get_unscaled_gradients(gradients) if isinstance(optimizer, LossScale) else gradients


def make_step(args, strategy, model, optimizer, ranks, is_stamped):
    """A step as a graph: the loss of this rank, the stamps that HOW describes, and how many ranks wish to stop."""
    weights = model.trainable_variables

    def stamps_after(tensors):
        with tf.control_dependencies(tensors):
            return [tf.timestamp()] if is_stamped else []

    def of_replica(images, labels, wish):
        with tf.GradientTape() as tape:
            loss, whole = losses(args, model, optimizer, images, labels)
        stamps = stamps_after([loss])
        with tf.control_dependencies(stamps):  # or few threads would take the stamp when they have nothing else to do
            gradients = tape.gradient(whole, weights)
        gradients[0] = parts.paused(args, "backward", gradients[0])  # of the first layer, the last to be there
        stamps += stamps_after(gradients)
        if ranks > 1:
            *gradients, wish = tf.distribute.get_replica_context().all_reduce("MEAN", gradients + [tf.identity(wish)])
            stamps += stamps_after(gradients)
        gradients = unscaled(optimizer, gradients)
        gradients[0] = parts.paused(args, "update", gradients[0])
        optimizer.apply_gradients(zip(gradients, weights), skip_gradients_aggregation=True)
        return loss, tf.stack(stamps or [0.0]), wish

    return tf.function(lambda *of: [strategy.experimental_local_results(each)[0] for each in strategy.run(of_replica, of)])


def losses(args, model, optimizer, images, labels):
    """Cross entropy, and what is differentiated: the same with weight decay, in fp16 scaled."""
    logits = model(parts.paused(args, "forward", images), training=True)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    whole = tf.add_n([loss] + model.losses)
    return loss, optimizer.get_scaled_loss(whole) if isinstance(optimizer, LossScale) else whole


def serve(args, workers):
    """Workers and ps, until the runner ends them: TensorFlow's servers never end by themselves. Operations that wait for those of
    other processes hold a thread each, so that with one all would wait for ever."""
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    config = tf.compat.v1.ConfigProto(device_count={"GPU": 0}, intra_op_parallelism_threads=args.threads or 0,
                                      inter_op_parallelism_threads=max(args.threads or 0, workers + 1))
    tf.distribute.Server(resolver.cluster_spec(), resolver.task_type, resolver.task_id, protocol="grpc", config=config).join()


def coordinate(args, workers):
    """A step is a call on any worker, and the records come from here: an iteration is as many steps as there are workers."""
    strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.TFConfigClusterResolver())
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        model, optimizer = prepare_model(args)
    step = make_remote_step(args, strategy, model, optimizer)
    batches = iter(coordinator.create_per_worker_dataset(lambda: parts.dataset(args, 0, 1, workers)))
    records, under_way = begin_records(args, model, {}, 0, workers, scope="all"), collections.deque()
    for _ in common.iterations(args):
        losses_of_steps = []
        while len(losses_of_steps) < workers:
            while len(under_way) < workers * args.options.steps_ahead:
                under_way.append(coordinator.schedule(step, (batches,)))
            losses_of_steps.append(float(under_way.popleft().fetch()))
        records.iteration(statistics.fmean(losses_of_steps))
    coordinator.join()
    records.end()


def make_remote_step(args, strategy, model, optimizer):
    def of_replica(images, labels):
        with tf.GradientTape() as tape:
            loss, whole = losses(args, model, optimizer, images, labels)
        optimizer.apply_gradients(zip(tape.gradient(whole, model.trainable_variables), model.trainable_variables))
        return loss

    return tf.function(lambda batches: strategy.run(of_replica, next(batches)))


def begin_records(args, model, how, rank, ranks, *clock, **facts):
    count = sum(tf.size(each).numpy() for each in model.trainable_variables)
    return common.records(args, "tensorflow", tf.__version__, int(count), how, rank, ranks, *clock, **facts,
                          intra_op_threads=tf.config.threading.get_intra_op_parallelism_threads(),
                          task=json.loads(os.environ.get("TF_CONFIG", "{}")).get("task"))


if __name__ == "__main__":
    main()
