# SPDX-License-Identifier: MIT
"""The networks of agent/worker/models in CNTK, whose padding by itself is theirs where a kernel is odd."""
import cntk as C
import numpy

import layout


def build(args, x):
    return {"lenet": lenet, "alexnet": alexnet, "googlenet": googlenet, "resnet50": resnet50}[args.model](x, args)


def convolution(x, channels, kernel=1, stride=1, pad=False, bias=True, activation=C.relu):
    return C.layers.Convolution2D((kernel, kernel), channels, activation, pad=pad, strides=stride, bias=bias)(x)


def normed(x, channels, kernel=1, stride=1, epsilon=1e-5):
    x = convolution(x, channels, kernel, stride, kernel > 1, bias=False, activation=None)
    return C.layers.BatchNormalization(map_rank=1, epsilon=epsilon, disable_regularization=False)(x)


def unit(x, channels, kernel=1, stride=1, epsilon=1e-3):
    return C.relu(normed(x, channels, kernel, stride, epsilon))


def max_pool(x, kernel, stride, pad=False, ceil=False):
    """`ceil`: the last window may reach over the edge."""
    return C.pooling(x, C.MAX_POOLING, (kernel, kernel), (stride, stride), [False, pad, pad], ceil_out_dim=ceil)


def average_pool(x, size):
    if x.shape[1] == size:
        return x
    window = C.constant(numpy.ascontiguousarray(numpy.array(layout.means(x.shape[1], size), numpy.float32).T))
    for _ in range(2):
        x = C.transpose(C.times(x, window), (0, 2, 1))
    return x


def dense(x, width, activation=None):
    return C.layers.Dense(width, activation)(x)


def lenet(x, args):
    x = max_pool(convolution(x, 6, 5), 2, 2)
    x = average_pool(max_pool(convolution(x, 16, 5), 2, 2), 5)
    return dense(dense(dense(x, 120, C.relu), 84, C.relu), args.classes)


def alexnet(x, args):
    x = max_pool(convolution(C.pad(x, [(0, 0), (2, 2), (2, 2)]), 64, 11, 4), 3, 2)
    x = max_pool(convolution(x, 192, 5, pad=True), 3, 2)
    for channels in (384, 256, 256):
        x = convolution(x, channels, 3, pad=True)
    x = average_pool(max_pool(x, 3, 2), 6)
    for _ in range(2):
        x = dense(C.dropout(x, args.dropout), 4096, C.relu)
    return dense(x, args.classes)


def inception(x, direct, reduced3, spatial3, reduced5, spatial5, pooled):
    return C.splice(unit(x, direct), unit(unit(x, reduced3), spatial3, 3), unit(unit(x, reduced5), spatial5, 3),
                    unit(max_pool(x, 3, 1, pad=True), pooled), axis=0)


def googlenet(x, args):
    x = max_pool(unit(x, 64, 7, 2), 3, 2, ceil=True)
    x = unit(unit(x, 64), 192, 3)
    for stage, kernel in zip(layout.GOOGLENET, (3, 3, 2)):
        x = max_pool(x, kernel, 2, ceil=True)
        for widths in stage:
            x = inception(x, *widths)
    return dense(C.dropout(C.layers.GlobalAveragePooling()(x), args.dropout), args.classes)


def bottleneck(x, width, stride, projects):
    y = unit(unit(x, width, epsilon=1e-5), width, 3, stride, epsilon=1e-5)
    return C.relu(normed(y, 4 * width) + (normed(x, 4 * width, 1, stride) if projects else x))


def resnet50(x, args):
    x = max_pool(unit(x, 64, 7, 2, epsilon=1e-5), 3, 2, pad=True)
    for stage, blocks in enumerate(layout.RESNET50):
        for block in range(blocks):
            x = bottleneck(x, 64 << stage, 2 if stage and not block else 1, not block)
    return dense(C.layers.GlobalAveragePooling()(x), args.classes)
