# SPDX-License-Identifier: MIT
"""The networks of agent/worker/models in Keras, of either kind: `keras` is tf_keras or Keras 3. Pictures are rows × columns ×
channels, since TensorFlow computes nothing else on CPUs. Keras's own ResNet-50 has biases and strides elsewhere."""
import math

import tensorflow as tf

import layout


def build(keras, args, pause=lambda x: x):
    """`pause` goes around the input. Weight decay is part of the loss, as Keras has it, for all weights."""
    decay = keras.regularizers.L2(args.weight_decay / 2) if args.weight_decay else None
    pictures = keras.Input((args.image_size, args.image_size, 3))
    net = {"lenet": lenet, "alexnet": alexnet, "googlenet": googlenet, "resnet50": resnet50}[args.model]
    logits = net(Layers(keras, decay), pause(pictures), args.classes, args.dropout)
    if args.precision != "fp32":
        logits = keras.layers.Activation("linear", dtype="float32")(logits)
    return keras.Model(pictures, logits)


class Layers:
    """Layers of one Keras, with the places of padding of agent/worker/models: "same" would put it elsewhere where a stride is 2."""

    def __init__(self, keras, decay):
        self.keras, self.layers, self._decay = keras, keras.layers, decay

    def convolution(self, x, channels, kernel=1, stride=1, padding=0, activation="relu", bias=True):
        x = self.padded(x, (padding, padding))
        return self.layers.Conv2D(channels, kernel, stride, activation=activation, use_bias=bias, kernel_regularizer=self._decay,
                                  bias_regularizer=self._decay)(x)

    def normed(self, x, channels, kernel=1, stride=1, epsilon=1e-5):
        x = self.convolution(x, channels, kernel, stride, kernel // 2, activation=None, bias=False)
        return self.layers.BatchNormalization(momentum=0.9, epsilon=epsilon, gamma_regularizer=self._decay,
                                              beta_regularizer=self._decay)(x)

    def unit(self, x, channels, kernel=1, stride=1):
        return self.layers.ReLU()(self.normed(x, channels, kernel, stride, epsilon=1e-3))

    def dense(self, x, width, activation=None):
        return self.layers.Dense(width, activation, kernel_regularizer=self._decay, bias_regularizer=self._decay)(x)

    def padded(self, x, edges):
        return self.layers.ZeroPadding2D((edges, edges))(x) if any(edges) else x

    def max_pool(self, x, kernel, stride, padding=0, ceil=False):
        """After a ReLU, so that zeros change nothing. `ceil`: the last window may reach over the edge."""
        after = padding
        if ceil:
            size = x.shape[1]
            after = max(0, math.ceil((size - kernel) / stride) * stride + kernel - size)
        return self.layers.MaxPooling2D(kernel, stride)(self.padded(x, (padding, after)))

    def average_pool(self, x, size):
        """To size × size, whatever comes in."""
        if x.shape[1] == size:
            return x
        window = tf.constant(layout.means(x.shape[1], size), tf.float32)
        return self.layers.Lambda(lambda y: tf.einsum("oh,bhwc,pw->bopc", tf.cast(window, y.dtype), y, tf.cast(window, y.dtype)),
                                  output_shape=(size, size, x.shape[3]))(x)



def lenet(on, x, classes, dropout):
    x = on.max_pool(on.convolution(x, 6, 5), 2, 2)
    x = on.max_pool(on.convolution(x, 16, 5), 2, 2)
    x = on.layers.Flatten()(on.average_pool(x, 5))
    return on.dense(on.dense(on.dense(x, 120, "relu"), 84, "relu"), classes)


def alexnet(on, x, classes, dropout):
    x = on.max_pool(on.convolution(x, 64, 11, 4, 2), 3, 2)
    x = on.max_pool(on.convolution(x, 192, 5, padding=2), 3, 2)
    x = on.convolution(x, 384, 3, padding=1)
    x = on.convolution(x, 256, 3, padding=1)
    x = on.max_pool(on.convolution(x, 256, 3, padding=1), 3, 2)
    x = on.layers.Flatten()(on.average_pool(x, 6))
    for _ in range(2):
        x = on.dense(on.layers.Dropout(dropout)(x), 4096, "relu")
    return on.dense(x, classes)


def inception(on, x, direct, reduced3, spatial3, reduced5, spatial5, pooled):
    return on.layers.Concatenate()([
        on.unit(x, direct), on.unit(on.unit(x, reduced3), spatial3, 3), on.unit(on.unit(x, reduced5), spatial5, 3),
        on.unit(on.max_pool(x, 3, 1, 1), pooled)])


def googlenet(on, x, classes, dropout):
    x = on.max_pool(on.unit(x, 64, 7, 2), 3, 2, ceil=True)
    x = on.unit(on.unit(x, 64), 192, 3)
    for stage, kernel in zip(layout.GOOGLENET, (3, 3, 2)):
        x = on.max_pool(x, kernel, 2, ceil=True)
        for widths in stage:
            x = inception(on, x, *widths)
    return on.dense(on.layers.Dropout(dropout)(on.layers.GlobalAveragePooling2D()(x)), classes)


def bottleneck(on, x, width, stride, projects):
    y = on.layers.ReLU()(on.normed(x, width))
    y = on.layers.ReLU()(on.normed(y, width, 3, stride))
    y = on.normed(y, 4 * width)
    return on.layers.ReLU()(on.layers.Add()([y, on.normed(x, 4 * width, 1, stride) if projects else x]))


def resnet50(on, x, classes, dropout):
    x = on.max_pool(on.layers.ReLU()(on.normed(x, 64, 7, 2)), 3, 2, 1)
    for stage, blocks in enumerate(layout.RESNET50):
        for block in range(blocks):
            x = bottleneck(on, x, 64 << stage, 2 if stage and not block else 1, not block)
    return on.dense(on.layers.GlobalAveragePooling2D()(x), classes)
