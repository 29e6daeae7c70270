# SPDX-License-Identifier: MIT
"""Code that Horovod's drivers share, whichever framework it is for; `hvd` is Horovod's module for it. Horovod reads its own settings from
its environment (HOROVOD_FUSION_THRESHOLD, HOROVOD_CYCLE_TIME, HOROVOD_CACHE_CAPACITY, HOROVOD_HIERARCHICAL_ALLREDUCE, HOROVOD_TIMELINE)."""
import os

import common


def check_able(hvd):
    """Horovod ignores the variable where it was built without NCCL."""
    if os.environ.get("HOROVOD_HIERARCHICAL_ALLREDUCE", "0") not in ("", "0") and not hvd.nccl_built():
        common.refuse("This Horovod was built without NCCL, which its hierarchical all-reduce needs: set "
                      "HOROVOD_HIERARCHICAL_ALLREDUCE to 0, or choose another Horovod.")


def backend(args, hvd):
    if args.device == "cuda" and hvd.nccl_built():
        return "nccl"
    return "mpi" if hvd.mpi_enabled() else "gloo"
