# SPDX-License-Identifier: MIT
"""The models in PyTorch: torchvision's, and LeNet, which it has not. The same seed gives ringside-worker's weights
(agent/worker/models): its order, its distributions."""
import math

import torch
from torch import nn

import common


class LeNet(nn.Module):
    """PyTorch's CIFAR-10 tutorial, with pooling before the classifier for any size from 28 pixels on."""

    def __init__(self, classes):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 6, 5), nn.Conv2d(6, 16, 5)
        self.pool, self.resize = nn.MaxPool2d(2, 2), nn.AdaptiveAvgPool2d(5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(16 * 5 * 5, 120), nn.Linear(120, 84), nn.Linear(84, classes)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        x = self.resize(x).flatten(1)
        x = torch.relu(self.fc1(x))
        return self.fc3(torch.relu(self.fc2(x)))


def build(args):
    model = LeNet(args.classes) if args.model == "lenet" else from_torchvision(args)
    initialise(args, model)
    return model


def torchvision():
    try:
        import torchvision
    except ImportError:
        common.refuse("Pictures, and models other than lenet, are torchvision's, which this Python lacks: install it, or choose "
                      "--model lenet --data synthetic.")
    return torchvision


def from_torchvision(args):
    models = torchvision().models
    if args.model == "alexnet":
        return models.alexnet(num_classes=args.classes, dropout=args.dropout)
    if args.model == "googlenet":  # without the auxiliary classifiers
        return models.googlenet(num_classes=args.classes, dropout=args.dropout, aux_logits=False, init_weights=False)
    return models.resnet50(num_classes=args.classes)


def initialise(args, model):
    torch.manual_seed(args.seed)
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            fill_weight(args, module)
            if module.bias is not None:
                nn.init.uniform_(module.bias, -bound(module), bound(module))


def fill_weight(args, module):
    if args.model == "googlenet":
        nn.init.normal_(module.weight, std=0.01)
    elif args.model == "resnet50" and isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    else:
        nn.init.uniform_(module.weight, -bound(module), bound(module))


def bound(module):
    """1/√fan_in: torch.nn's default."""
    return 1 / math.sqrt(module.weight[0].numel())
