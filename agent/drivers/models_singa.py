# SPDX-License-Identifier: MIT
"""The networks of agent/worker/models in SINGA, and their training."""
from singa import autograd, layer, model, opt, singa_wrap, tensor

import common
import layout
import parts_singa

if not hasattr(singa_wrap.Tensor, "__itruediv__"):  # the wheel's tensors divide as in Python 2
    singa_wrap.Tensor.__itruediv__ = singa_wrap.Tensor.__idiv__


def build(args):
    return {"lenet": lenet, "alexnet": alexnet, "googlenet": googlenet, "resnet50": resnet50}[args.model](args)


class Chain(layer.Layer):
    def __init__(self, *parts):
        super(Chain, self).__init__()
        self._parts = parts
        self.register_layers(*parts)

    def forward(self, x):
        for part in self._parts:
            x = part(x)
        return x


class Concatenated(Chain):
    def forward(self, x):
        parts = [part(x) for part in self._parts]
        return autograd.cat(parts, axis=1) if parts_singa.IS_WHOLE else parts_singa.Concatenation()(*parts)[0]


class Added(Chain):
    """One or two branches; the other is the input."""

    def forward(self, x):
        shortcut = self._parts[1](x) if len(self._parts) > 1 else x
        return autograd.relu(autograd.add(self._parts[0](x), shortcut))


class MaxPool(layer.Layer):
    """Where it does not pad, the last window may reach over the edge, as GoogLeNet has it; at the usual sizes none does elsewhere. SINGA
    pads one edge alone by an array of numpy: with the wheel it is the first window that reaches over the edge."""

    def __init__(self, kernel, stride, padding=0):
        super(MaxPool, self).__init__()
        self._shape = kernel, stride, padding

    def initialize(self, x):
        kernel, stride, padding = self._shape
        after = padding or -(x.shape[2] - kernel) % stride
        before = padding if parts_singa.IS_WHOLE else after
        self.pool = layer.MaxPool2d(kernel, stride, (before, after, before, after))

    def forward(self, x):
        return self.pool(x)


class AveragePool(layer.Layer):
    """To size × size, of an input as large, or 1 × 1, or to 1 × 1: rows, and then columns, times a matrix of one number. Others would
    need an array of numpy, which the wheel of SINGA does not accept."""

    def __init__(self, size):
        super(AveragePool, self).__init__()
        self._size = size

    def initialize(self, x):
        if self._size not in (x.shape[2], 1) and x.shape[2] != 1:
            common.refuse("SINGA has no pooling from %d × %d to %d × %d: choose --image-size 32 for lenet, 64 or 224 for alexnet." %
                          (x.shape[2], x.shape[2], self._size, self._size))
        self._means = tensor.Tensor((x.shape[2], self._size), x.device)
        self._means.set_value(1.0 / x.shape[2])

    def forward(self, x):
        if x.shape[2] == self._size:
            return x
        for _ in range(2):
            batch, channels, height, width = x.shape
            x = autograd.matmul(autograd.reshape(x, (batch * channels * height, width)), self._means)
            x = autograd.transpose(autograd.reshape(x, (batch, channels, height, self._size)), (0, 1, 3, 2))
        return x


class BatchNorm(layer.BatchNorm2d):
    def forward(self, x):
        if parts_singa.IS_WHOLE:
            return super(BatchNorm, self).forward(x)
        return parts_singa.Normalisation()(x, self.scale, self.bias)[0]


class BiaslessConv2d(layer.Conv2d):
    def __init__(self, channels, kernel, stride, padding):
        super(BiaslessConv2d, self).__init__(channels, kernel, stride=stride, padding=padding, bias=False)

    def initialize(self, x):
        super(BiaslessConv2d, self).initialize(x)
        self._zeros = tensor.Tensor((self.nb_kernels,), x.device)
        self._zeros.set_value(0.0)

    def forward(self, x):
        if type(self.handle) is not singa_wrap.ConvHandle:  # on a GPU
            return super(BiaslessConv2d, self).forward(x)
        return parts_singa.BiaslessConv2d(self.handle, self._zeros)(x, self.W)[0]


def convolution(channels, kernel=1, stride=1, padding=0):
    return layer.Conv2d(channels, kernel, stride=stride, padding=padding)


def convolved(*shape):
    return Chain(convolution(*shape), layer.ReLU())


def normed(channels, kernel=1, stride=1):
    return Chain(BiaslessConv2d(channels, kernel, stride, kernel // 2), BatchNorm())


def unit(channels, kernel=1, stride=1):
    return Chain(normed(channels, kernel, stride), layer.ReLU())


def dense(width):
    return Chain(layer.Linear(width), layer.ReLU())


def lenet(args):
    return Chain(convolved(6, 5), MaxPool(2, 2), convolved(16, 5), MaxPool(2, 2), AveragePool(5), layer.Flatten(),
                 dense(120), dense(84), layer.Linear(args.classes))


def alexnet(args):
    return Chain(convolved(64, 11, 4, 2), MaxPool(3, 2), convolved(192, 5, 1, 2), MaxPool(3, 2), convolved(384, 3, 1, 1),
                 convolved(256, 3, 1, 1), convolved(256, 3, 1, 1), MaxPool(3, 2), AveragePool(6), layer.Flatten(),
                 layer.Dropout(args.dropout), dense(4096), layer.Dropout(args.dropout), dense(4096), layer.Linear(args.classes))


def inception(direct, reduced3, spatial3, reduced5, spatial5, pooled):
    return Concatenated(unit(direct), Chain(unit(reduced3), unit(spatial3, 3)), Chain(unit(reduced5), unit(spatial5, 3)),
                        Chain(MaxPool(3, 1, 1), unit(pooled)))


def googlenet(args):
    stages = [Chain(MaxPool(kernel, 2), *(inception(*widths) for widths in stage))
              for stage, kernel in zip(layout.GOOGLENET, (3, 3, 2))]
    return Chain(unit(64, 7, 2), MaxPool(3, 2), unit(64), unit(192, 3), Chain(*stages), AveragePool(1), layer.Flatten(),
                 layer.Dropout(args.dropout), layer.Linear(args.classes))


def bottleneck(width, stride, projects):
    body = Chain(unit(width), unit(width, 3, stride), normed(4 * width))
    return Added(body, normed(4 * width, 1, stride)) if projects else Added(body)


def resnet50(args):
    blocks = [bottleneck(64 << stage, 2 if stage and not block else 1, not block)
              for stage, count in enumerate(layout.RESNET50) for block in range(count)]
    return Chain(unit(64, 7, 2), MaxPool(3, 2, 1), Chain(*blocks), AveragePool(1), layer.Flatten(), layer.Linear(args.classes))


class TimedSGD(opt.SGD):
    """SINGA updates a parameter as soon as its gradient is there."""

    def apply(self, *of):
        self.mark("backward")
        opt.SGD.apply(self, *of)
        self.mark("update")


class Trainee(model.Model):
    """Calls `update` with the loss, `mark` and `pause` for the records and --delay."""

    def __init__(self, net, update, mark, pause):
        super(Trainee, self).__init__()
        self.net = net
        self._update, self._mark, self._pause = update, mark, pause

    def forward(self, x):
        return self.net(x)

    def train_one_batch(self, x, y):
        self._pause("forward")
        out = self.forward(x)
        loss = autograd.softmax_cross_entropy(out, y)
        self._mark("forward")
        self._pause("backward")
        self._update(loss)
        self._pause("update")
        self._mark("update")
        return out, loss
