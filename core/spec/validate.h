// SPDX-License-Identifier: MIT
// Finds what is wrong with an experiment before anything is started: in itself, and for the site where it shall run.
#pragma once

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/spec/check.h"
#include "core/spec/experiment.h"
#include "core/spec/toml.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ringside::spec {

/// Fewest runs that have a 95 % rank interval of the median (core/stats/STATISTICS.md).
inline constexpr int kFewestRepeatsForInterval = 6;

/// Limits of the site. 0 or nullopt: not known, so it is not checked.
struct SiteLimits
{
    std::string text = Words::tr("this computer"); ///< as messages call it
    int cores = 0;                                 ///< of one node
    int nodes = 1;
    std::uint64_t memoryBytes = 0; ///< of one node
    std::set<std::string> devices = {"cpu"};
    std::optional<std::set<std::string>> features;     ///< what `ringside-worker features` lists: "mpi", "jpeg",
                                                       ///< and of plans "grouping:buckets", … (planFeature())
    std::optional<Error> worker;                       ///< why its worker cannot be used
    std::optional<bool> mpirun;                        ///< is it in PATH?
    bool direct = false;                               ///< ranks are started, and find each other, without MPI
    std::function<bool(const std::string&)> hasFolder; ///< empty: not known
    std::function<bool(const std::string&)> hasFile;   ///< the same of a file that can be read
    std::optional<std::map<std::string, std::string>> engines; ///< besides Ringside's own, with their versions
    std::map<std::string, std::string> goneInterpreters;       ///< of engines that were installed
};

/// All findings, the gravest first. Pure; bounded by the limits of matrix.h.
std::vector<Check> validate(const Experiment& experiment, const SiteLimits& site = {}, const Positions& positions = {});

/// Reads a file's text and validates what it says; all findings in one list, the gravest first.
ParseOutcome checkExperiment(std::string_view toml, const SiteLimits& site = {});

inline constexpr std::size_t kLongestName = 120; ///< bytes
/// Fails with usage for what an experiment cannot be called: nothing, several lines, too much, or an option's name.
Result<void> checkName(const std::string& name);

/// "grouping:buckets": how SiteLimits::features says that the worker has a part of plans.
std::string planFeature(std::string_view part, std::string_view name);
/// The first part of a plan that the site's worker does not have: "fusion"; nullopt: it has all, or its plans are not
/// known.
std::optional<std::string> partLacking(const AggregationPlan& plan, const SiteLimits& site);

/// The way for a site to have a system: "Install it in Sites, card Systems, or by “ringside-cli engine install mxnet
/// --site alder”."
std::string installationHint(std::string_view system, std::string_view site);

/// Bytes that one rank with these resolved settings needs at least; a lower estimate from the model's figures.
std::uint64_t leastMemoryBytes(const Settings& resolved);

} // namespace ringside::spec
