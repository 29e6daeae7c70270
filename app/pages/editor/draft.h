// SPDX-License-Identifier: GPL-3.0-or-later
// What is in the form: an experiment, and what was typed that is none yet. Plain values.
#pragma once

#include "core/spec/check.h"
#include "core/spec/experiment.h"
#include "core/spec/levels.h"

#include <string>
#include <vector>

namespace ringside {

/// A factor as typed.
struct DraftFactor
{
    std::string key;
    std::string text; ///< "1, 2, 4"
    bool operator==(const DraftFactor&) const = default;
};

struct Draft
{
    spec::Experiment experiment; ///< everything but the factors
    std::vector<DraftFactor> factors;
    bool operator==(const Draft&) const = default;
};

Draft draftOf(const spec::Experiment& experiment);

/// The experiment with the levels that could be read, and a blocking check for each that could not
/// (field "factors.<key>").
struct ReadDraft
{
    spec::Experiment experiment;
    std::vector<spec::Check> checks;
    std::vector<std::string> notCounted; ///< levels that the matrix leaves out: "fp8"
};
ReadDraft readDraft(const Draft& draft);

} // namespace ringside
