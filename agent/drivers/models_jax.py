# SPDX-License-Identifier: MIT
"""Networks of agent/worker/models in plain JAX, and a step of SGD with momentum. Images are n × channels × rows × columns."""
import jax
import jax.numpy as jnp
import numpy

import layout

# ("convolve", channels, kernel, stride, padding), ("pool", window, stride), ("mean", size), ("connect", features)
LENET = (("convolve", 6, 5, 1, 0), ("pool", 2, 2), ("convolve", 16, 5, 1, 0), ("pool", 2, 2), ("mean", 5),
         ("connect", 120), ("connect", 84), ("connect", None))
ALEXNET = (("convolve", 64, 11, 4, 2), ("pool", 3, 2), ("convolve", 192, 5, 1, 2), ("pool", 3, 2), ("convolve", 384, 3, 1, 1),
           ("convolve", 256, 3, 1, 1), ("convolve", 256, 3, 1, 1), ("pool", 3, 2), ("mean", 6),
           ("drop",), ("connect", 4096), ("drop",), ("connect", 4096), ("connect", None))
NETS = {"lenet": LENET, "alexnet": ALEXNET}


def weights(args):
    """For each layer that has some: weights and biases, drawn as PyTorch draws them; the same on every rank."""
    random, channels, size, drawn = numpy.random.default_rng(args.seed), 3, args.image_size, []
    for kind, *how in NETS[args.model]:
        if kind == "convolve":
            shape = (how[0], channels, how[1], how[1])
            channels, size = how[0], (size + 2 * how[3] - how[1]) // how[2] + 1
        elif kind == "connect":
            shape = (how[0] or args.classes, channels * size * size)
            channels, size = shape[0], 1
        else:
            size = (size - how[0]) // how[1] + 1 if kind == "pool" else how[0] if kind == "mean" else size
            continue
        bound = 1 / numpy.sqrt(numpy.prod(shape[1:]))
        drawn.append((random.uniform(-bound, bound, shape).astype(numpy.float32),
                      random.uniform(-bound, bound, shape[0]).astype(numpy.float32)))
    return drawn


def forward(args, weights, x, key):
    net, weights = NETS[args.model], iter(weights)
    for place, (kind, *how) in enumerate(net):
        if kind == "convolve":
            weight, bias = next(weights)
            x = jax.lax.conv_general_dilated(x, weight, (how[2],) * 2, [(how[3],) * 2] * 2) + bias[:, None, None]
            x = jax.nn.relu(x)
        elif kind == "pool":
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, how[0], how[0]), (1, 1, how[1], how[1]), "VALID")
        elif kind == "mean":
            rows, columns = (jnp.array(layout.means(size, how[0]), x.dtype) for size in x.shape[2:])
            x = jnp.einsum("ncij,ri,sj->ncrs", x, rows, columns)
        elif kind == "drop":
            if args.dropout > 0:
                key, own = jax.random.split(key)
                x = jnp.where(jax.random.bernoulli(own, 1 - args.dropout, x.shape), x / (1 - args.dropout), 0)
        else:
            weight, bias = next(weights)
            x = x.reshape(x.shape[0], -1) @ weight.T + bias
            x = x if place == len(net) - 1 else jax.nn.relu(x)
    return x


def step_of(args):
    def step(weights, momenta, images, labels, wishes, number):
        def loss_of(weights):
            key = jax.random.fold_in(jax.random.key(args.small_seed), number)
            scores = jax.nn.log_softmax(forward(args, weights, images, key))
            return -jnp.take_along_axis(scores, labels[:, None], axis=1).mean()

        loss, gradients = jax.value_and_grad(loss_of)(weights)
        momenta = jax.tree.map(lambda momentum, gradient, weight: args.momentum * momentum + gradient + args.weight_decay * weight,
                               momenta, gradients, weights)
        weights = jax.tree.map(lambda weight, momentum: weight - args.learning_rate * momentum, weights, momenta)
        return weights, momenta, loss, wishes.sum(), number + 1
    return step
