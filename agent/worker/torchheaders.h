// SPDX-License-Identifier: MIT
// Precompiled: the parts of libtorch that the engine uses. ATen with autograd, not torch/torch.h, whose torch::nn would
// triple the time of a build; the models here are written on ATen's functions.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
