// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluation of a draft: matrix, checks, script, TOML text and cost. Computed off the GUI thread; plain values.
#pragma once

#include "app/drafts/draft.h"
#include "core/conductor/conductor.h"
#include "core/protocol/plan.h"
#include "core/spec/matrix.h"
#include "core/spec/validate.h"
#include "core/store/database.h"

#include <map>
#include <optional>

namespace ringside {

struct Evaluation
{
    spec::Experiment experiment;
    std::optional<spec::Matrix> matrix; ///< absent if nothing can be expanded
    std::vector<spec::Check> checks;    ///< the gravest first
    std::vector<std::string> notCounted;
    std::string toml;
    std::vector<RunSpec> missing;                ///< what a launch would do; empty: nothing
    std::string script;                          ///< of the missing runs; empty if there are none, or elsewhere
    std::map<std::string, double> secondsPerRun; ///< by configuration key, as far as there were runs
    std::map<std::string, double> itemsPerSecond;

    bool blocked() const { return spec::hasBlocking(checks) || !matrix || matrix->runs.empty(); }
    /// Seconds for the missing runs; nullopt while one of their configurations has never been run.
    std::optional<double> secondsMissing() const;
    /// The same times the nodes of each.
    std::optional<double> nodeSecondsMissing() const;
    /// Matrix and cost of an earlier evaluation, for one that has none.
    void keepMatrixOf(const Evaluation& earlier);
};

/// The environment in which a draft is evaluated.
struct Surroundings
{
    spec::SiteLimits site;
    ConductorOptions programs;
    std::string opened; ///< name that the database knows the draft by; empty: it does not know it
};

/// Pure, but for the questions to the store: earlier runs, and whether another experiment has this name.
Evaluation evaluate(const Draft& draft, const Surroundings& around, const store::Database* db);

} // namespace ringside
