# SPDX-License-Identifier: MIT
"""Concatenation and batch norm for the wheel of SINGA, whose Python cannot use those of its C++: they pass lists of tensors. Here they are
made of SINGA's operations on single tensors."""
from singa import autograd, singa_wrap, tensor

IS_WHOLE = hasattr(singa_wrap, "VecTensor")  # the wheel's Python knows neither lists of tensors nor arrays of numpy
EPSILON = 1e-5  # of SINGA's batch norm


class BiaslessConv2d(autograd._Conv2d):
    """On CPUs SINGA's own adds zeros, which its graph does not see that it reads: it computes with what is in their place. These last."""

    def __init__(self, handle, zeros):
        super(BiaslessConv2d, self).__init__(handle)
        self._zeros = zeros

    def forward(self, x, weights):
        self.inputs = x, weights
        return singa_wrap.CpuConvForward(x, weights, self._zeros.data, self.handle)


class Concatenation(autograd.Operator):
    """Of pictures' channels, one picture after the other."""

    def forward(self, *parts):
        batch, _, height, width = parts[0].shape()
        self._ends = [sum(part.shape()[1] for part in parts[:i + 1]) for i in range(len(parts))]
        whole, at = singa_wrap.Tensor([batch, self._ends[-1], height, width], parts[0].device(), parts[0].data_type()), 0
        for picture in range(batch):
            for part in parts:
                size = part.Size() // batch
                singa_wrap.CopyDataToFrom(whole, part, size, at, picture * size)
                at += size
        return whole

    def backward(self, dy):
        return tuple(singa_wrap.SliceOn(dy, begin, end, 1) for begin, end in zip([0] + self._ends, self._ends))


class Normalisation(autograd.Operator):
    """Batch norm while training; running means, which only inference reads, it leaves out. Pictures are a matrix here, with a row for
    each channel of each. Nothing is changed in place: SINGA's graph does not see that such an operation reads what it changes."""

    def forward(self, x, scale, bias):
        self._shape = x.shape()
        matrix, scale, bias = self._matrix(x), tensor.from_raw_tensor(scale), tensor.from_raw_tensor(bias)
        self._centred = matrix - self._whole(self._mean(matrix))
        self._inverse = tensor.pow(self._mean(tensor.square(self._centred)) + EPSILON, -0.5)
        self._factor = scale * self._inverse
        return tensor.reshape(self._centred * self._whole(self._factor) + self._whole(bias), self._shape).data

    def backward(self, dy):
        matrix = self._matrix(dy)
        mean_bias, mean_scale = self._mean(matrix), self._mean(matrix * self._centred) * self._inverse
        of_means = self._whole(mean_bias) + self._centred * self._whole(mean_scale * self._inverse)
        dx = (matrix - of_means) * self._whole(self._factor)
        count = float(self._shape[0] * self._shape[2] * self._shape[3])
        return tensor.reshape(dx, self._shape).data, (mean_scale * count).data, (mean_bias * count).data

    def _matrix(self, x):
        batch, channels, height, width = self._shape
        return tensor.reshape(tensor.from_raw_tensor(x), (batch * channels, height * width))

    def _mean(self, matrix):
        """Of each channel."""
        batch, channels, height, width = self._shape
        sums = tensor.sum_rows(tensor.reshape(tensor.sum_columns(matrix), (batch, channels)))
        return tensor.reshape(sums, (channels,)) * (1.0 / (batch * height * width))

    def _whole(self, of_channels):
        """A matrix of one number for each channel."""
        batch, channels, height, width = self._shape
        of_rows = tensor.mult(ones(of_channels, batch, 1), tensor.reshape(of_channels, (1, channels)))
        return tensor.mult(tensor.reshape(of_rows, (batch * channels, 1)), ones(of_channels, 1, height * width))


def ones(like, *shape):
    filled = tensor.Tensor(shape, like.data.device())
    filled.set_value(1.0)
    return filled
