# SPDX-License-Identifier: MIT
"""The networks of agent/worker/models as Caffe's prototxt. Its pooling lets the last window reach over the edge everywhere, which
is the same at the usual sizes; ResNet-50's first pooling has its padding at the end alone, as its authors' own file."""
import common
import layout


# Settings that NVIDIA's Caffe 0.17 alone knows (issue 490 of NVIDIA/caffe shows them). Weights stay in fp32; the loss is scaled, and gradients are divided again.
HALF = """default_forward_type: FLOAT16
default_backward_type: FLOAT16
default_forward_math: FLOAT
default_backward_math: FLOAT
global_grad_scale: 1000"""


class Net:
    """Layers one after the other. `top` is the last of them, `size` and `channels` are those of its output."""

    def __init__(self, name):
        self.lines, self.parameters = ['name: "%s"' % name], 0
        self.top, self.channels, self.size = "data", 3, 0

    def text(self):
        return "\n".join(self.lines) + "\n"

    def layer(self, kind, settings="", bottoms=None, name=None, top=None):
        name = name or "%s%d" % (kind.lower(), len(self.lines))
        self.top = top or name
        bottoms = "".join(' bottom: "%s"' % bottom for bottom in bottoms or ())
        self.lines.append('layer { name: "%s" type: "%s"%s top: "%s" %s }' % (name, kind, bottoms, self.top, settings))
        return self.top

    def on(self, kind, settings="", in_place=False):
        bottom = self.top
        return self.layer(kind, settings, [bottom], top=bottom if in_place else None)

    def convolution(self, channels, kernel=1, stride=1, padding=0, bias=True):
        self.on("Convolution", "convolution_param { num_output: %d kernel_size: %d stride: %d pad: %d bias_term: %s weight_filler "
                '{ type: "msra" } }' % (channels, kernel, stride, padding, "true" if bias else "false"))
        self.parameters += channels * (self.channels * kernel * kernel + bias)
        self.channels, self.size = channels, (self.size + 2 * padding - kernel) // stride + 1

    def relu(self):
        self.on("ReLU", in_place=True)

    def convolved(self, *shape, **options):
        self.convolution(*shape, **options)
        self.relu()

    def normed(self, channels, kernel=1, stride=1, epsilon=1e-5):
        self.convolution(channels, kernel, stride, kernel // 2, bias=False)
        self.on("BatchNorm", "batch_norm_param { moving_average_fraction: 0.9 eps: %g }" % epsilon, in_place=True)
        self.on("Scale", "scale_param { bias_term: true }", in_place=True)
        self.parameters += 2 * channels

    def unit(self, channels, kernel=1, stride=1, epsilon=1e-3):
        self.normed(channels, kernel, stride, epsilon)
        self.relu()

    def pool(self, how, kernel, stride=1, padding=0):
        self.on("Pooling", "pooling_param { pool: %s kernel_size: %d stride: %d pad: %d }" % (how, kernel, stride, padding))
        self.size = -((kernel - self.size - 2 * padding) // stride) + 1

    def max_pool(self, kernel, stride, padding=0):
        self.pool("MAX", kernel, stride, padding)

    def average_pool(self, size):
        """To size × size."""
        if self.size % size == 0 and self.size != size:
            self.pool("AVE", self.size // size, self.size // size)
        elif self.size == 1:
            self.on("Tile", "tile_param { axis: 2 tiles: %d }" % size)
            self.on("Tile", "tile_param { axis: 3 tiles: %d }" % size)
        elif self.size == size - 1:
            self.pool_by_two(size)
        elif self.size != size:
            common.refuse("Caffe has no pooling from %d × %d to %d × %d: choose the model's own --image-size, or 64 for alexnet." %
                          (self.size, self.size, size, size))
        self.size = size

    def pool_by_two(self, size):
        """Means of two by two, at the edges of those that are inside: Caffe counts the padding, so its result is divided by that for
        ones."""
        pooling = "pooling_param { pool: AVE kernel_size: 2 stride: 1 pad: 1 }"
        sums = self.on("Pooling", pooling)
        self.layer("DummyData", "dummy_data_param { shape { dim: 1 dim: 1 dim: %d dim: %d } data_filler { value: 1 } }" %
                   (size - 1, size - 1))
        self.on("Pooling", pooling)
        self.on("Power", "power_param { power: -1 }")
        self.on("Reshape", "reshape_param { shape { dim: %d dim: %d } }" % (size, size))
        self.layer("Scale", "scale_param { axis: 2 }", [sums, self.top])

    def dense(self, width, inputs):
        self.on("InnerProduct", 'inner_product_param { num_output: %d weight_filler { type: "xavier" } }' % width)
        self.parameters += width * (inputs + 1)

    def dropout(self, share):
        self.on("Dropout", "dropout_param { dropout_ratio: %g }" % share, in_place=True)

    def concatenated(self, *branches):
        """The outputs of several functions for the same input."""
        before, tops, channels = (self.top, self.channels, self.size), [], 0
        for branch in branches:
            self.top, self.channels, self.size = before
            branch()
            tops.append(self.top)
            channels += self.channels
        self.layer("Concat", bottoms=tops)
        self.channels = channels

    def added(self, branch, shortcut):
        before, tops = (self.top, self.channels, self.size), []
        for each in (branch, shortcut):
            self.top, self.channels, self.size = before
            each()
            tops.append(self.top)
        self.layer("Eltwise", bottoms=tops)
        self.relu()


def build(args, batch, pictures=None):
    """(prototxt, parameters). `batch` is the file's. `pictures`: a file of lines “picture class”, in place of synthetic ones."""
    net = Net(args.model)
    if args.precision == "fp16":
        net.lines.append(HALF)
    if pictures:
        add_pictures(net, args, batch, pictures)
    else:
        add_synthetic(net, args, batch)
    net.size = args.image_size
    {"lenet": lenet, "alexnet": alexnet, "googlenet": googlenet, "resnet50": resnet50}[args.model](net, args)
    net.layer("SoftmaxWithLoss", bottoms=[net.top, "label"], name="loss")
    return net.text(), net.parameters


def add_synthetic(net, args, batch):
    """The same batch again and again: zeros, to which a layer that does not learn adds what it drew at the start. DummyData would draw
    in every iteration."""
    labels_end = args.classes - (0.5 if args.precision == "fp16" else 0)  # which would round what is just below the last one up to it
    for top, sizes, least, most in (("label", [], 0, labels_end), ("data", [3, args.image_size, args.image_size], -3 ** 0.5, 3 ** 0.5)):
        dims = " ".join("dim: %d" % size for size in [batch] + sizes)
        zeros = net.layer("DummyData", "dummy_data_param { shape { %s } data_filler { value: 0 } }" % dims)
        net.layer("Bias", 'param { lr_mult: 0 decay_mult: 0 } bias_param { axis: 0 num_axes: -1 filler { type: "uniform" min: %.6f max: '
                  "%.6f } }" % (least, most), [zeros], name=top)


def add_pictures(net, args, batch, file):
    net.lines.append('layer { name: "data" type: "ImageData" top: "data" top: "label" transform_param { mirror: true crop_size: %d '
                     "mean_value: 104 mean_value: 117 mean_value: 123 scale: 0.0173 } image_data_param { source: \"%s\" batch_size: %d "
                     "shuffle: true new_height: %d new_width: %d } }" %
                     (args.image_size, file, batch, args.image_size * 8 // 7, args.image_size * 8 // 7))


def lenet(net, args):
    net.convolved(6, 5)
    net.max_pool(2, 2)
    net.convolved(16, 5)
    net.max_pool(2, 2)
    net.average_pool(5)
    for width, inputs in ((120, 400), (84, 120)):
        net.dense(width, inputs)
        net.relu()
    net.dense(args.classes, 84)


def alexnet(net, args):
    net.convolved(64, 11, 4, 2)
    net.max_pool(3, 2)
    net.convolved(192, 5, 1, 2)
    net.max_pool(3, 2)
    for channels in (384, 256, 256):
        net.convolved(channels, 3, 1, 1)
    net.max_pool(3, 2)
    net.average_pool(6)
    for inputs in (9216, 4096):
        net.dropout(args.dropout)
        net.dense(4096, inputs)
        net.relu()
    net.dense(args.classes, 4096)


def inception(net, direct, reduced3, spatial3, reduced5, spatial5, pooled):
    def reduced(first, second):
        net.unit(first)
        net.unit(second, 3)

    def pool():
        net.max_pool(3, 1, 1)
        net.unit(pooled)

    net.concatenated(lambda: net.unit(direct), lambda: reduced(reduced3, spatial3), lambda: reduced(reduced5, spatial5), pool)


def googlenet(net, args):
    net.unit(64, 7, 2)
    net.max_pool(3, 2)
    net.unit(64)
    net.unit(192, 3)
    for stage, kernel in zip(layout.GOOGLENET, (3, 3, 2)):
        net.max_pool(kernel, 2)
        for widths in stage:
            inception(net, *widths)
    net.pool("AVE", net.size)
    net.dropout(args.dropout)
    net.dense(args.classes, 1024)


def resnet50(net, args):
    def body(width, stride):
        net.unit(width, epsilon=1e-5)
        net.unit(width, 3, stride, epsilon=1e-5)
        net.normed(4 * width)

    net.unit(64, 7, 2, epsilon=1e-5)
    net.max_pool(3, 2)
    for stage, blocks in enumerate(layout.RESNET50):
        for block in range(blocks):
            width, stride = 64 << stage, 2 if stage and not block else 1
            net.added(lambda: body(width, stride), lambda: block or net.normed(4 * width, 1, stride))
    net.pool("AVE", net.size)
    net.dense(args.classes, 2048)
