# SPDX-License-Identifier: MIT
"""Code that the drivers on TensorFlow share: device, place in the cluster, batches, pauses."""
import json
import os

# A user's choice for other programs would decide what Keras computes with, and in which order channels lie. TensorFlow imports Keras, which
# reads these.
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["KERAS_HOME"] = os.devnull  # in which there is no keras.json, nor can Keras write one
import tensorflow as tf

import common
import folders


OPTIONS = {"tf32": True}  # TensorFlow's own default
POLICIES = {"fp32": "float32", "bf16": "mixed_bfloat16", "fp16": "mixed_float16"}


def prepare_device(args):
    """A rank has one GPU, or none. To be called before anything else of TensorFlow."""
    if args.threads:
        tf.config.threading.set_intra_op_parallelism_threads(args.threads)
        tf.config.threading.set_inter_op_parallelism_threads(args.threads)
    gpus = tf.config.list_physical_devices("GPU")
    gpu = common.local_rank()
    if args.device == "cuda" and gpu >= len(gpus):
        common.refuse("Rank %d of this host needs a GPU of its own, and TensorFlow sees %d: choose --device cpu, or fewer ranks." %
                      (gpu, len(gpus)))
    tf.config.experimental.enable_tensor_float_32_execution(args.options.tf32)
    tf.config.set_visible_devices(gpus[gpu:gpu + 1] if args.device == "cuda" else [], "GPU")


def check_precision(args, framework):
    if args.precision == "fp16" and args.device == "cpu":
        common.refuse("%s trains in fp16 on GPUs alone: choose --precision bf16, or --device cuda." % framework)


def place():
    """The cluster of TF_CONFIG, and the type of this process in it."""
    config = json.loads(os.environ.get("TF_CONFIG", "{}"))
    return config.get("cluster", {}), config.get("task", {}).get("type", "worker")


def batches(args, rank, ranks):
    """Without end, of this rank: a synthetic one again and again, or those of tf.data."""
    if args.data != "synthetic":
        return common.delayed(args, iter(dataset(args, rank, ranks)))
    return common.repeated(args, tuple(map(tf.constant, synthetic(args, rank))))


def synthetic(args, rank):
    images, labels = common.synthetic_batch(args, rank)
    return images.transpose(0, 2, 3, 1), labels


def dataset(args, rank, ranks, shufflers=1):
    """The same as tf.data. Crops of 8 to 100 % of a picture, flipped by chance, normalised. Several `shufflers` with the same
    rank read all pictures, each in an order of its own."""
    if args.data == "synthetic":
        return tf.data.Dataset.from_tensors(synthetic(args, rank)).cache().repeat()
    files, labels = folders.of_classes(args, max(ranks, shufflers))
    seed = args.small_seed if shufflers == 1 else None
    data = tf.data.Dataset.from_tensor_slices((files, labels)).shard(ranks, rank).shuffle(len(files), seed).repeat()
    data = data.map(lambda file, label: (picture(args, file), label), num_parallel_calls=max(1, args.loader_workers))
    return data.batch(args.batch_per_rank, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def picture(args, file):
    jpeg = tf.io.read_file(file)
    whole = tf.zeros((1, 0, 4))
    begin, size, _ = tf.image.sample_distorted_bounding_box(tf.io.extract_jpeg_shape(jpeg), whole, area_range=(0.08, 1),
                                                            aspect_ratio_range=(3 / 4, 4 / 3), use_image_if_no_bounding_boxes=True)
    window = tf.concat([begin[:2], size[:2]], 0)
    image = tf.image.resize(tf.image.decode_and_crop_jpeg(jpeg, window, channels=3), (args.image_size, args.image_size)) / 255
    return (tf.image.random_flip_left_right(image) - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)


def paused(args, phase, tensor):
    """The same, after --delay; a part of the graph."""
    if phase not in args.delay:
        return tensor

    def wait(value):
        common.pause(args, phase)
        return value
    later = tf.numpy_function(wait, [tensor], tensor.dtype)
    later.set_shape(tensor.shape)
    return later
