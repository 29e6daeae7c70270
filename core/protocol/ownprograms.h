// SPDX-License-Identifier: MIT
// The programs of Ringside's own that a run may be of, in one table: each is a subcommand of ringside-worker. A system
// that is not Ringside's is a table of core/adapters.
#pragma once

#include "core/base/words.h"
#include "core/protocol/calibration.h"

#include <array>
#include <string_view>

namespace ringside {

struct OwnProgram
{
    std::string_view name;  ///< the level of the setting `engine`
    std::string_view title; ///< marked for translation
    std::string_view subcommand;
    /// False: it measures its site. Its runs have neither a plan nor a throughput that could be compared.
    bool trains = true;
    bool isOffered = true; ///< as a choice; else only a command writes it
};

/// The first is meant where no engine is named.
inline constexpr auto kOwnPrograms = std::to_array<OwnProgram>({
    {"ringside", "Ringside", "train"},
    {kCalibrationEngine, Words::noop("Calibration"), "calibrate", false, false},
});

} // namespace ringside
