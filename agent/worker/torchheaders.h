// SPDX-License-Identifier: MIT
// Precompiled: the part of libtorch that most of the engine uses. ATen, not torch/torch.h, whose torch::nn would triple
// the time of a build; the models here are written on ATen's functions. Headers that few files need (autograd's nodes
// and hooks, autocast) are included there: each file instantiates pending templates of precompiled headers again, and
// with those headers that took longer than the rest of the file.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
