// SPDX-License-Identifier: MIT
#include "tests/report/support/lab.h"

#include "core/report/standing.h"
#include "core/report/tableforms.h"
#include "core/spec/matrix.h"

#include <cmath>
#include <stdexcept>

namespace ringside::test {
namespace {

constexpr std::uint32_t kIterations = 50;

std::vector<Value> values(const std::vector<std::int64_t>& numbers)
{
    return {numbers.begin(), numbers.end()};
}
std::vector<Value> values(const std::vector<std::string>& words)
{
    return {words.begin(), words.end()};
}

PhaseTimes splitInPhases(double lengthNs, double exposedShare)
{
    const double compute = lengthNs * (1 - exposedShare);
    const auto part = [](double ns) { return static_cast<std::int64_t>(ns); };
    PhaseTimes phases = {part(compute * 0.02),
                         part(compute * 0.01),
                         part(compute * 0.29),
                         part(compute * 0.61),
                         part(lengthNs * exposedShare),
                         part(compute * 0.05),
                         0};
    std::int64_t sum = 0;
    for (const std::int64_t ns : phases)
        sum += ns;
    phases[static_cast<std::size_t>(Phase::other)] = static_cast<std::int64_t>(lengthNs) - sum;
    return phases;
}

store::RankSummary summaryOf(int rank, const Settings& settings, const Measured& measured)
{
    const double ranks = numberOf(settings, "ranks").value_or(1);
    const double batch = numberOf(settings, "batch_per_rank").value_or(1);
    store::RankSummary summary;
    summary.rank = rank;
    summary.iterations = kIterations;
    summary.items = static_cast<std::uint64_t>(batch * kIterations);
    summary.lengthNs = std::llround(batch * kIterations * ranks / measured.rate * 1e9);
    const double all = static_cast<double>(summary.lengthNs);
    summary.phaseSums = splitInPhases(all, measured.exposedShare);
    summary.told = measured.told;
    keepTold(summary.phaseSums, summary.told);
    summary.commTotalSum = static_cast<std::int64_t>(all * (measured.exposedShare + measured.hiddenShare));
    summary.readSum = std::llround(measured.readMs * 1e6 * kIterations);
    summary.ownCoresShare = measured.cpuUtilisation;
    summary.gpuBusyShare = measured.gpuUtilisation;
    summary.decodeSum = std::llround(measured.decodeMs * 1e6 * kIterations);
    return summary;
}

store::MeasuredRun runOf(const spec::Configuration& configuration, int repeat, int number, const Model& model)
{
    store::MeasuredRun run;
    run.row.id = RunId::random();
    run.row.number = number;
    run.row.site = "local";
    run.row.configurationKey = configuration.key;
    run.row.settings = configuration.settings;
    run.row.repeat = repeat;
    run.row.attempt = 1;
    run.row.state = RunState::done;
    const Measured measured = model(configuration.settings, repeat);
    for (int rank = 0; rank < static_cast<int>(numberOf(configuration.settings, "ranks").value_or(1)); ++rank)
        run.ranks.push_back(summaryOf(rank, configuration.settings, measured));
    run.row.itemsPerSecond = measured.rate;
    return run;
}

} // namespace

spec::Experiment plansExperiment(std::vector<std::int64_t> ranks, int repeats, std::vector<std::string> models)
{
    spec::Experiment experiment;
    experiment.name = "plans";
    experiment.factors = {{"model", values(models)},
                          {"ranks", values(ranks)},
                          {"plan", values(std::vector<std::string>{"one", "buckets"})}};
    experiment.fixed = {{"device", Value("cpu")}, {"batch_per_rank", Value(std::int64_t{8})}};
    experiment.runs.repeats = repeats;
    experiment.base = {{"ranks", Value(std::int64_t{1})}};
    return experiment;
}

std::vector<store::MeasuredRun> measure(const spec::Experiment& experiment, const Model& model)
{
    const auto matrix = spec::expand(experiment);
    if (!matrix)
        throw std::runtime_error(matrix.error().text());
    std::vector<store::MeasuredRun> runs;
    for (const spec::PlannedRun& planned : matrix->runs) {
        runs.push_back(runOf(matrix->configurations[planned.configuration], planned.repeat,
                             static_cast<int>(runs.size()) + 1, model));
        runs.back().row.experiment = experiment.name;
    }
    return runs;
}

Measured usualMeasurement(const Settings& settings, int repeat)
{
    const double ranks = numberOf(settings, "ranks").value_or(1);
    const std::string plan = textOf(settings, "plan").value_or("none");
    const double single = textOf(settings, "model") == "alexnet" ? 61.4 : 5.83;
    const double loss = plan == "none" ? 0 : plan == "one" ? 0.095 : plan == "buckets" ? 0.03 : 0.055;
    const double efficiency = 1 / (1 + loss * std::log2(ranks));
    const double spread = 1 + 0.011 * ((repeat * 7) % 6 - 2.5) / 2.5;
    const double exposed = 1 - efficiency;
    return {single * ranks * efficiency * spread, exposed, plan == "buckets" ? 0.25 : 0};
}

Measured loadingMeasurement(const Settings& settings, int repeat)
{
    Measured measured = usualMeasurement(settings, repeat);
    measured.readMs = 1.5 * numberOf(settings, "ranks").value_or(1);
    measured.decodeMs = 20 * measured.readMs;
    return measured;
}

Measured lessToldMeasurement(const Settings& settings, int repeat)
{
    Measured measured = usualMeasurement(settings, repeat);
    if (textOf(settings, "plan") == "one")
        measured.told = {Phase::forward, Phase::backward, repeat % 2 ? Phase::update : Phase::inputWait};
    return measured;
}

report::Comparison compared(const spec::Experiment& experiment, const std::vector<store::MeasuredRun>& runs,
                            const report::ComparedKind& kind, const report::FigureRequest& layout)
{
    report::CompareRequest request;
    request.kind = &kind;
    request.experiment = experiment;
    auto comparison = report::compare(runs, request);
    if (!comparison)
        throw std::runtime_error(comparison.error().text());
    report::addStandings(*comparison, experiment, layout);
    return std::move(*comparison);
}

std::string written(std::string_view form, const report::Table& table)
{
    if (const report::TableForm* found = report::findTableForm(form))
        return found->write(table);
    throw std::runtime_error("no such form of tables");
}

const report::Group& groupWith(const report::Comparison& comparison, const Settings& wanted)
{
    for (const report::Group& group : comparison.groups)
        if (std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
                const auto found = group.settings.find(entry.first);
                return found != group.settings.end() && found->second == entry.second;
            }))
            return group;
    throw std::runtime_error("no such group");
}

Settings alexnetOn(std::int64_t ranks, const char* plan)
{
    return {{"model", Value("alexnet")}, {"ranks", Value(ranks)}, {"plan", Value(plan)}};
}

} // namespace ringside::test
