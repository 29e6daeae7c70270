// SPDX-License-Identifier: GPL-3.0-or-later
// The error of Monitor's "about … left", at each end of a run of an experiment that was carried out:
// from three runs of each configuration on, and before.       usage: bench_timeleft DATABASE
#include "app/pages/monitor/workprogress.h"
#include "core/store/database.h"
#include "core/store/queries.h"
#include "tests/bench/support/numbers.h"

#include <algorithm>
#include <map>

using namespace ringside;
using namespace ringside::bench;

namespace {

constexpr int kFew = 3; ///< runs of each configuration

std::int64_t startOf(const store::RunRow& run)
{
    return run.since - static_cast<std::int64_t>(*run.seconds * 1e9);
}

/// As the store had it at `nowNs`.
store::RunRow asOf(store::RunRow run, std::int64_t nowNs)
{
    if (run.since <= nowNs)
        return run;
    const bool runs = startOf(run) <= nowNs;
    run.state = runs ? RunState::running : RunState::queued;
    run.since = runs ? startOf(run) : nowNs;
    return run;
}

int leastEnded(const std::vector<store::RunRow>& runs, std::int64_t nowNs)
{
    std::map<std::string, int> ended;
    for (const store::RunRow& run : runs)
        ended[run.configurationKey] += run.since <= nowNs ? 1 : 0;
    return std::ranges::min_element(ended, {}, [](const auto& each) { return each.second; })->second;
}

/// By which factor, of 1 and more.
double errorAt(const std::vector<store::RunRow>& runs, std::int64_t nowNs)
{
    std::map<RunId, store::RunRow> then;
    std::int64_t endNs = 0;
    for (const store::RunRow& run : runs) {
        then[run.id] = asOf(run, nowNs);
        endNs = std::max(endNs, run.since);
    }
    const double said = secondsLeft(then, nowNs), left = static_cast<double>(endNs - nowNs) / 1e9;
    return std::max(said / left, left / said);
}

void print(const char* name, std::vector<double> errors, const char* target)
{
    if (errors.empty())
        return;
    std::ranges::sort(errors);
    fmt::print("timeleft.{} {:.2f} ratio {}  # worst of {}, median {:.2f}\n", name, errors.back(), target,
               errors.size(), errors[errors.size() / 2]);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2)
        return 2;
    const store::Database db = must(store::Database::openForReading(argv[1]));
    store::RunFilter noTrials;
    noTrials.kind = RunKind::run;
    const std::vector<store::RunRow> runs = must(store::runs(db, noTrials));
    std::vector<double> early, late;
    const std::int64_t lastNs = std::ranges::max_element(runs, {}, &store::RunRow::since)->since;
    for (const store::RunRow& run : runs)
        if (run.since < lastNs)
            (leastEnded(runs, run.since) < kFew ? early : late).push_back(errorAt(runs, run.since));
    print("early", early, "-");
    print("late", late, "1.5");
    return 0;
}
