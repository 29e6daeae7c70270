# SPDX-License-Identifier: MIT
"""JAX: a step that XLA compiles whole, on one process or on several of jax.distributed. Arguments and lines: README.md beside this file."""
import functools
import os

import common
import ringside_records

OPTIONS = {"tf32": True,  # JAX's own default on GPUs
           "donate": False}  # weights and momenta may be written over
HOW = {}  # one compiled step holds all phases


def main():
    args = common.arguments("JAX", OPTIONS, models=("lenet", "alexnet"), devices=("cpu", "cuda"))
    if args.data != "synthetic":
        common.refuse("JAX has no loader of pictures of its own: choose --data synthetic.")
    if args.delay:
        common.refuse("JAX reports no phases, so there is nothing to delay: leave --delay out.")
    rank, ranks = ringside_records.rank_of(os.environ)
    import jax
    jax.config.update("jax_platforms", args.device)
    if args.device == "cuda" and not args.options.tf32:
        jax.config.update("jax_default_matmul_precision", "float32")
    if ranks > 1:
        if args.device == "cpu":
            jax.config.update("jax_cpu_collectives_implementation", "gloo")
            bind_gloo(jax, os.environ.get("GLOO_SOCKET_IFNAME"))
        jax.distributed.initialize("%s:%s" % (os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"]), ranks, rank,
                                   local_device_ids=[common.local_rank()] if args.device == "cuda" else None)
    train(jax, args, rank, ranks)


def bind_gloo(jax, interface):
    """JAX names no interface to its gloo, which reads no variable and uses the network that the host's name stands for. No public function
    takes one, so the private one that JAX will call gets it."""
    if not interface:
        return
    try:
        from jax._src import xla_bridge
        library = xla_bridge._jax if hasattr(xla_bridge, "_jax") else xla_bridge.xla_client._xla  # up to 0.5
        library.make_gloo_tcp_collectives = functools.partial(library.make_gloo_tcp_collectives, interface=interface)
    except (ImportError, AttributeError):
        common.refuse("JAX %s cannot be bound to the network interface %s: install 0.10.2, or unset GLOO_SOCKET_IFNAME." %
                      (jax.__version__, interface))


def train(jax, args, rank, ranks):
    import numpy
    import models_jax
    mesh = jax.sharding.Mesh(numpy.array(jax.devices() if ranks > 1 else jax.local_devices()[:1]), ("ranks",))
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    apart = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("ranks"))

    def put(sharding, tree):
        return jax.tree.map(lambda array: jax.make_array_from_process_local_data(sharding, numpy.asarray(array)), tree)

    weights = models_jax.weights(args)
    count = sum(array.size for array in jax.tree.leaves(weights))
    weights, momenta = put(everywhere, weights), put(everywhere, jax.tree.map(numpy.zeros_like, weights))
    images, labels = put(apart, common.synthetic_batch(args, rank))
    wishes = [put(apart, numpy.array([wish], numpy.int32)) for wish in (0, 1)]
    number = put(everywhere, numpy.zeros((), numpy.int32))
    step = jax.jit(models_jax.step_of(args), donate_argnums=(0, 1) if args.options.donate else (), out_shardings=everywhere)
    step = step.lower(weights, momenta, images, labels, wishes[0], number).compile()  # no part of an iteration
    batches = common.repeated(args, (images, labels))
    records = common.records(args, "jax", jax.__version__, count, HOW, rank, ranks, loss="of all ranks together")
    wish = common.Wish()  # reported in the next step, which all ranks see at its end
    for _ in common.iterations(args, wish.agreed if ranks > 1 else lambda done: done):
        images, labels = next(batches)
        weights, momenta, loss, stopping, number = step(weights, momenta, images, labels, wishes[wish.told], number)
        if int(stopping):
            break
        records.iteration(loss)
    records.end()


if __name__ == "__main__":
    main()
