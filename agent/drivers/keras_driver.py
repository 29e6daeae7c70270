# SPDX-License-Identifier: MIT
"""Keras's fit(): of tf_keras, one process or several with MultiWorkerMirroredStrategy by TF_CONFIG, or of Keras 3, one process. Arguments,
lines and how each phase is measured: README.md beside this file."""
import os

import parts_tensorflow as parts  # before TensorFlow: it says what Keras computes with
import tensorflow as tf

import common
import models_keras
import ringside_records

OPTIONS = dict(parts.OPTIONS, api=("tf_keras", "keras3"), verbose=("0", "1", "2"))
FOREVER = 1 << 30  # batches of an epoch
WISH = float("-inf")
LOSS = "cross_entropy"


def main():
    args = common.arguments("Keras", OPTIONS, precisions=("fp32", "bf16", "fp16"), devices=("cpu", "cuda"))
    parts.check_precision(args, "Keras")
    rank, ranks = ringside_records.rank_of(os.environ)
    if ranks > 1 and args.options.api == "keras3":
        common.refuse("Keras 3 fails on several processes: choose --option api=tf_keras, or one rank.")
    parts.prepare_device(args)
    strategy = tf.distribute.MultiWorkerMirroredStrategy() if ranks > 1 else tf.distribute.get_strategy()
    if args.options.api == "tf_keras":
        import tf_keras as keras
    else:
        import keras
    keras.utils.set_random_seed(args.small_seed)
    keras.mixed_precision.set_global_policy(parts.POLICIES[args.precision])  # compile() scales the loss of fp16
    with strategy.scope():
        model = models_keras.build(keras, args)
        model.compile(keras.optimizers.SGD(args.learning_rate, args.momentum),
                      keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                      metrics=[keras.metrics.SparseCategoricalCrossentropy(LOSS, from_logits=True)])  # the loss holds weight decay, too
    train(args, keras, strategy, model, rank, ranks)


def train(args, keras, strategy, model, rank, ranks):
    recorder = make_recorder(args, keras, strategy, model, rank, ranks)
    own = data_of(args, model, rank, ranks)  # of which fit() would cut each batch into a part for each rank
    data = strategy.distribute_datasets_from_function(lambda _: own) if ranks > 1 else own
    model.fit(data, steps_per_epoch=args.iterations or FOREVER, verbose=int(args.options.verbose), callbacks=[recorder])
    recorder.records.end()


def data_of(args, model, rank, ranks):
    """Of tf.data. Of a synthetic batch only its number comes from there, which fit() would copy to a GPU in each iteration; the batch lies
    where it is computed with."""
    if args.data != "synthetic":
        return parts.dataset(args, rank, ranks)
    batch, step = tuple(map(tf.constant, parts.synthetic(args, rank))), model.train_step
    model.train_step = lambda _: step(batch)
    return tf.data.Dataset.range(1).batch(1).repeat()


def make_recorder(args, keras, strategy, model, rank, ranks):
    count = sum(int(tf.size(each)) for each in model.trainable_variables)

    class Recorder(keras.callbacks.Callback):
        """A step takes its batch inside of the graph, so only the whole of it can be measured."""

        def on_train_begin(self, logs=None):
            self._iterations = common.iterations(args, self._wish if ranks > 1 else lambda done: done)
            next(self._iterations)
            self.records = common.records(args, "keras", keras.__version__, count, {}, rank, ranks, package=keras.__name__,
                                          tensorflow=tf.__version__, loss="mean of all ranks since the beginning")

        def on_train_batch_begin(self, batch, logs=None):
            for phase in common.DELAYS:
                common.pause(args, phase)

        def on_train_batch_end(self, batch, logs=None):
            wished = logs["loss"] == WISH
            self.records.iteration(None if wished else logs[LOSS])
            self.model.stop_training = next(self._iterations, None) is None or wished

        def on_train_end(self, logs=None):
            self._iterations.close()  # it has trained to its end, whatever signal comes now

        def _wish(self, done):
            """Asks to stop: in the sum of losses, which ranks share, so that all see it after the same step."""
            strategy.experimental_local_results(self.model.metrics[0].total)[0].assign(WISH)

    return Recorder()


if __name__ == "__main__":
    main()
