// SPDX-License-Identifier: MIT
// An experiment as its file says it: a question, factors with levels, and what is the same in every run. Plain values.
#pragma once

#include "core/protocol/aggregationplan.h"
#include "core/protocol/names.h"
#include "core/protocol/plan.h"
#include "core/protocol/settings.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringside::spec {

inline constexpr int kExperimentFormat = 1;
inline constexpr const char* kLocalSite = "local";
/// Site of imported runs, unless the user names one: none that Ringside knows, so they are pooled with none.
inline constexpr const char* kImportedSite = "imported";

/// Something that varies. `key` is a setting of schema.h.
struct Factor
{
    std::string key;
    std::vector<Value> levels;
    bool operator==(const Factor&) const = default;
};

/// Settings that go with a level: where all of `match` hold, `set` replaces what [fixed] says.
struct Conditional
{
    Settings match;
    Settings set;
    bool operator==(const Conditional&) const = default;
};

enum class RunOrder
{
    interleaved,
    random
};
constexpr auto namesOf(RunOrder)
{
    return std::to_array<std::string_view>({"interleaved", "random"});
}

struct Runs
{
    int repeats = 6;     ///< runs per configuration
    int iterations = 20; ///< of a run, warm-up included
    int warmup = 5;
    RunOrder order = RunOrder::interleaved;
    std::uint64_t seed = 1;                   ///< of the random order, the weights and the order of data
    int hungAfterSeconds = kHungAfterSeconds; ///< without progress; no part of a configuration
    bool operator==(const Runs&) const = default;
};

struct Experiment
{
    int format = kExperimentFormat;
    std::string name; ///< unique per store
    std::string question;
    std::string site = kLocalSite;
    std::vector<Factor> factors; ///< in the order of the file; the last one varies fastest
    Settings fixed;
    std::vector<Conditional> when;                ///< applied in the order of the file
    std::map<std::string, AggregationPlan> plans; ///< own plans, and built-in ones with other numbers
    Runs runs;
    Settings base; ///< the base case as a rule; empty: none
    std::vector<Settings> exclude;
    bool operator==(const Experiment&) const = default;

    const Factor* factor(std::string_view key) const;
};

} // namespace ringside::spec
