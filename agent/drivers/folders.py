# SPDX-License-Identifier: MIT
"""Folders of pictures, for frameworks that do not list them by themselves."""
import os

import common


def of_classes(args, ranks):
    """(files, labels) of a folder that holds one of JPEG files for each class; the classes are numbered by name."""
    classes = sorted(entry.name for entry in os.scandir(args.data) if entry.is_dir())
    pairs = [(os.path.join(args.data, name, file), label) for label, name in enumerate(classes)
             for file in sorted(os.listdir(os.path.join(args.data, name))) if file.lower().endswith((".jpg", ".jpeg"))]
    check(args, len(classes), len(pairs), ranks)
    return [file for file, _ in pairs], [label for _, label in pairs]


def check(args, classes, count, ranks):
    if classes > args.classes:
        common.refuse("“%s” has %d classes: choose --classes %d." % (args.data, classes, classes))
    if count < args.batch_per_rank * ranks:
        common.refuse("“%s” has %d pictures, fewer than one batch of all ranks: choose a smaller --batch-per-rank." %
                      (args.data, count))
