// SPDX-License-Identifier: MIT
// The experiment file (README.md beside this file). Reading is strict: an unknown key is an error with a suggestion.
// Input is hostile: at most kMaxExperimentBytes, bounded nesting and numbers of levels; no I/O.
#pragma once

#include "core/base/error.h"
#include "core/spec/check.h"
#include "core/spec/experiment.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

inline constexpr std::size_t kMaxExperimentBytes = 256u << 10;

/// All that reading found. Reading judges form (syntax, keys, types); validate() says whether values make sense, so
/// that an unfinished experiment can be stored in a file. The experiment is there exactly if no check is blocking.
struct ParseOutcome
{
    std::optional<Experiment> experiment;
    std::vector<Check> checks;
    Positions positions; ///< for validate(), so that its findings name lines, too
};

ParseOutcome readExperiment(std::string_view toml);

/// The experiment, or the first problem as an Error (usage) whose message names `file`, line and column.
Result<Experiment> parseExperiment(std::string_view toml, std::string_view file = "experiment");

/// Reads an experiment that was stored. Options that the tables here do not have stay as they are: another table of
/// their system may have come since, and what was measured stays readable.
Result<Experiment> parseStoredExperiment(std::string_view toml, std::string_view file);

/// The file's text: stable order, readable; readExperiment() returns the same experiment, incomplete ones too.
std::string writeExperiment(const Experiment& experiment);

} // namespace ringside::spec
