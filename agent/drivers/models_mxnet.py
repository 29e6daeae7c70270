# SPDX-License-Identifier: MIT
"""The networks of agent/worker/models in Gluon. Gluon's own differ: its ResNet-50 has biases and strides elsewhere, its AlexNet
has fewer weights for smaller pictures, and a GoogLeNet or LeNet it has not."""
from mxnet.gluon import nn
from mxnet.gluon.contrib.nn import HybridConcurrent

import layout


class AdaptivePool(nn.HybridBlock):
    """Average pooling to size × size, whatever comes in."""

    def __init__(self, size):
        super().__init__()
        self._size = size

    def hybrid_forward(self, F, x):
        return F.contrib.AdaptiveAvgPooling2D(x, output_size=self._size)


def chain(*layers):
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def lenet(classes, dropout):
    return chain(nn.Conv2D(6, 5, activation="relu"), nn.MaxPool2D(2, 2),
                 nn.Conv2D(16, 5, activation="relu"), nn.MaxPool2D(2, 2), AdaptivePool(5),
                 nn.Dense(120, "relu"), nn.Dense(84, "relu"), nn.Dense(classes))


def alexnet(classes, dropout):
    return chain(nn.Conv2D(64, 11, 4, 2, activation="relu"), nn.MaxPool2D(3, 2),
                 nn.Conv2D(192, 5, padding=2, activation="relu"), nn.MaxPool2D(3, 2),
                 nn.Conv2D(384, 3, padding=1, activation="relu"),
                 nn.Conv2D(256, 3, padding=1, activation="relu"),
                 nn.Conv2D(256, 3, padding=1, activation="relu"), nn.MaxPool2D(3, 2), AdaptivePool(6), nn.Flatten(),
                 nn.Dropout(dropout), nn.Dense(4096, "relu"), nn.Dropout(dropout), nn.Dense(4096, "relu"), nn.Dense(classes))


def normed(channels, kernel=1, stride=1, epsilon=1e-5):
    return chain(nn.Conv2D(channels, kernel, stride, kernel // 2, use_bias=False), nn.BatchNorm(epsilon=epsilon))


def unit(channels, kernel=1, stride=1):
    return chain(normed(channels, kernel, stride, epsilon=1e-3), nn.Activation("relu"))


def inception(direct, reduced3, spatial3, reduced5, spatial5, pooled):
    branches = HybridConcurrent(axis=1)
    branches.add(unit(direct), chain(unit(reduced3), unit(spatial3, 3)), chain(unit(reduced5), unit(spatial5, 3)),
                 chain(nn.MaxPool2D(3, 1, 1), unit(pooled)))
    return branches


def googlenet(classes, dropout):
    stages = [chain(nn.MaxPool2D(kernel, 2, ceil_mode=True), *(inception(*widths) for widths in stage))
              for stage, kernel in zip(layout.GOOGLENET, (3, 3, 2))]
    return chain(unit(64, 7, 2), nn.MaxPool2D(3, 2, ceil_mode=True), unit(64), unit(192, 3), *stages, nn.GlobalAvgPool2D(), nn.Flatten(),
                 nn.Dropout(dropout), nn.Dense(classes))


class Bottleneck(nn.HybridBlock):
    def __init__(self, width, stride, projects):
        super().__init__()
        self.body = chain(normed(width), nn.Activation("relu"), normed(width, 3, stride), nn.Activation("relu"), normed(4 * width))
        self.project = normed(4 * width, 1, stride) if projects else None

    def hybrid_forward(self, F, x):
        return F.relu(self.body(x) + (self.project(x) if self.project else x))


def resnet50(classes, dropout):
    blocks = [Bottleneck(64 << stage, 2 if stage and not block else 1, not block)
              for stage, count in enumerate(layout.RESNET50) for block in range(count)]
    return chain(normed(64, 7, 2), nn.Activation("relu"), nn.MaxPool2D(3, 2, 1), *blocks, nn.GlobalAvgPool2D(), nn.Flatten(),
                 nn.Dense(classes))


def build(args):
    return {"lenet": lenet, "alexnet": alexnet, "googlenet": googlenet, "resnet50": resnet50}[args.model](args.classes, args.dropout)
