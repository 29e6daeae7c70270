// SPDX-License-Identifier: MIT
// The words of settings that the worker chooses by, the default first. core/spec labels them and may have further ones,
// of other engines.
#pragma once

#include "core/protocol/names.h"

namespace ringside {

enum class Precision
{
    fp32,
    bf16
};
constexpr auto namesOf(Precision)
{
    return std::to_array<std::string_view>({"fp32", "bf16"});
}

/// The library that sums gradients: the launcher's, NCCL, or the faster one of MPI and TCP.
enum class Backend
{
    launcher,
    nccl,
    automatic
};
constexpr auto namesOf(Backend)
{
    return std::to_array<std::string_view>({"launcher", "nccl", "auto"});
}

using Alternatives = std::array<std::string_view, 2>;

inline constexpr auto kPrecisions = namesOf(Precision{});
inline constexpr auto kBackends = namesOf(Backend{});
inline constexpr Alternatives kComputes = {"real", "paced"};
inline constexpr Alternatives kDevices = {"cpu", "cuda"};
inline constexpr Alternatives kSwitches = {"off", "on"};
inline constexpr Alternatives kTimings = {"events", "serialised"};
inline constexpr Alternatives kLayouts = {"contiguous", "channels_last"};
inline constexpr Alternatives kStorages = {"shared", "node-local"};
inline constexpr Alternatives kPictureFiles = {"single", "packed"};
inline constexpr Alternatives kCaches = {"warmed", "cold"};

} // namespace ringside
