# SPDX-License-Identifier: MIT
"""The parts of the networks of agent/worker/models, for any framework."""

# Table 1 of GoogLeNet's paper, a row for each inception, in the stages that poolings part: channels of the direct branch, of the branch of
# 3 × 3 (reduced, then spatial), of the one that the paper calls 5 × 5, and of the pooled one.
GOOGLENET = (
    ((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64)),
    ((192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64), (112, 144, 288, 32, 64, 64),
     (256, 160, 320, 32, 128, 128)),
    ((256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)),
)

RESNET50 = (3, 4, 6, 3)  # blocks in each stage


def means(size, pooled):
    """Average pooling to a given size where a framework has none: rows, and then columns, times this matrix of pooled × size numbers, a
    row for each mean."""
    windows = [(i * size // pooled, -(-(i + 1) * size // pooled)) for i in range(pooled)]
    return [[1 / (end - begin) if begin <= at < end else 0 for at in range(size)] for begin, end in windows]
