// SPDX-License-Identifier: MIT
#include "core/enginecheck/enginecheck.h"

#include "core/base/privatefolder.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/conductor/conductor.h"
#include "core/conductor/quietsink.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/spec/matrix.h"
#include "core/spec/toml.h"
#include "core/spec/validate.h"
#include "core/store/queries.h"

#include <algorithm>
#include <future>
#include <map>
#include <thread>

namespace ringside {

namespace {

using namespace std::chrono_literals;

constexpr int kIterations = 10;
constexpr auto kLook = 200ms;
/// So long the end of the campaign is awaited after its runs', that what it left can be removed.
constexpr auto kEndLimit = 15s;
/// So long after the last run's end its rate is awaited: it has none where a rank reported nothing.
constexpr auto kRateLimit = 30s;

/// Its programs meet as those of any experiment do.
constexpr const char* kExperiment = R"(format = 1
name = "engine-check"
site = "{0}"
[factors]
ranks = [1, 2]
[fixed]
engine = "{1}"
model = "lenet"
image_size = 32
batch_per_rank = 16
cores_per_rank = 1
device = "{3}"
[runs]
repeats = 1
iterations = {2}
warmup = 2
)";

/// Hands on what a person may wait for; the rest is in the store.
class Observer final : public QuietSink
{
public:
    explicit Observer(const EngineCheck& check)
        : m_check(check)
    {
    }
    void siteStepped(const SiteStep& step) override
    {
        if (m_check.onSiteStep)
            m_check.onSiteStep(step);
    }

private:
    const EngineCheck& m_check;
};

class Check
{
public:
    Check(const EngineCheck& check, std::stop_token stop)
        : m_check(check)
        , m_stop(std::move(stop))
        , m_observer(check)
    {
    }

    Result<bool> carryOut()
    {
        TRY(m_folder.make());
        ConductorOptions options = m_check.programs;
        m_store = options.store = m_folder.path() / "check.db";
        TRY_ASSIGN(m_conductor, Conductor::open(options, m_observer));
        const bool isThere = tellInstalled();
        if (m_stop.stop_requested())
            return tl::unexpected(cancelled());
        const auto ran = isThere ? run() : Result<void>();
        if (isThere)
            clear();
        TRY(ran);
        return m_isWell;
    }

private:
    void report(const std::string& title, bool isWell, const std::string& text)
    {
        m_isWell = m_isWell && isWell;
        m_check.onStep({title, isWell, plainText(text)});
    }

    template <class T, class Ask> Result<T> await(const Ask& ask)
    {
        const auto promise = std::make_shared<std::promise<Result<T>>>(); // it may come after the end
        std::future<Result<T>> value = promise->get_future();
        ask(Completion<T>([promise](Result<T> result) { promise->set_value(std::move(result)); }));
        while (value.wait_for(kLook) != std::future_status::ready)
            if (m_stop.stop_requested())
                return tl::unexpected(cancelled());
        return value.get();
    }

    Error cancelled() const
    {
        return {ErrorCode::cancelled, Words::tr("The check of {} was stopped.", m_check.engine), {}};
    }

    /// An agent does not know what its site is called here.
    Error remedied(Error error) const
    {
        if (error.code == ErrorCode::notFound && error.hint.empty())
            error.hint = spec::installationHint(m_check.engine, m_check.site);
        return error;
    }

    bool tellInstalled()
    {
        if (!m_check.installation)
            return report(Words::tr("Interpreter"), true, Words::tr("It needs no installation.")), true;
        wire::EngineRequest request;
        request.name = m_check.engine;
        request.action = wire::EngineAction::verify;
        request.installation = installationToJson(*m_check.installation);
        const auto engine = await<InstalledEngine>([&](Completion<InstalledEngine> done) {
            m_conductor->askEngine(m_check.site, request, {}, std::move(done));
        });
        if (!engine && m_stop.stop_requested())
            return false; // nothing was found out
        if (!engine)
            return report(Words::tr("Interpreter"), false, remedied(engine.error()).text()), false;
        report(Words::tr("Interpreter"), true, engine->python);
        if (engine->version.empty())
            return true;
        const VersionRange& range = m_check.installation->versions;
        const bool isInRange = range.contains(engine->version);
        const std::string version =
            fmt::format("{}{} {}", m_check.installation->module, m_check.installation->program, engine->version);
        report(Words::tr("Version"), isInRange,
               range.isAll() ? version
               : isInRange   ? Words::tr("{}, in the range of its table ({})", version, range.text())
                             : Words::tr("{}, out of the range of its table ({})", version, range.text()));
        return isInRange;
    }

    Result<void> run()
    {
        auto checked = on("cpu");
        if (!checked) // it may train on GPUs alone
            checked = on("cuda").or_else([&](const Error&) { return checked; });
        TRY(checked);
        const auto& [experiment, matrix] = *checked;
        const auto runs = runAll(experiment);
        if (!runs)
            endRuns(experiment.name);
        TRY(runs);
        for (const int ranks : {1, 2})
            TRY(tellRun(ranks, *runs, matrix));
        return {};
    }

    Result<std::vector<store::RunRow>> runAll(const spec::Experiment& experiment)
    {
        TRY(await<void>(
            [&](Completion<> done) { m_conductor->launch(launchOf(experiment, m_check.site), std::move(done)); }));
        return awaitEnds(experiment.name);
    }

    Result<std::pair<spec::Experiment, spec::Matrix>> on(const char* device) const
    {
        TRY_ASSIGN(spec::Experiment experiment,
                   spec::parseExperiment(fmt::format(kExperiment, m_check.site, m_check.engine, kIterations, device)));
        TRY_ASSIGN(spec::Matrix matrix, spec::expand(experiment, m_check.site));
        return std::pair(std::move(experiment), std::move(matrix));
    }

    Result<std::vector<store::RunRow>> runsNow(const std::string& experiment) const
    {
        TRY_ASSIGN(const store::Database db, store::Database::openForReading(m_store));
        return store::runs(db, {.experiment = experiment, .kind = {}});
    }

    /// The rate of a run is known a moment after its end.
    static bool isOver(const store::RunRow& run)
    {
        return isFinal(run.state) && (run.state != RunState::done || run.itemsPerSecond);
    }

    Result<std::vector<store::RunRow>> awaitEnds(const std::string& experiment)
    {
        const auto end = std::chrono::steady_clock::now() + m_check.limit;
        auto ratesEnd = end;
        for (auto now = end - m_check.limit; !m_stop.stop_requested() && now < end;
             now = std::chrono::steady_clock::now()) {
            TRY_ASSIGN(std::vector<store::RunRow> runs, runsNow(experiment));
            const bool areFinal = std::ranges::all_of(runs, isFinal, &store::RunRow::state);
            ratesEnd = areFinal ? std::min(ratesEnd, now + kRateLimit) : end;
            if (std::ranges::all_of(runs, isOver) || (areFinal && now >= ratesEnd))
                return runs;
            std::this_thread::sleep_for(kLook);
        }
        if (m_stop.stop_requested())
            return tl::unexpected(cancelled());
        return fail(ErrorCode::timeout, Words::tr("The check did not end within {} min.", m_check.limit.count() / 60),
                    Words::tr("Another campaign may run there, or the queue be long: check again later."));
    }

    /// Cancels what is left of them, also where the launch was stopped before its answer came.
    void endRuns(const std::string& experiment)
    {
        m_stop = {};
        (void)await<void>([&](Completion<> done) {
            m_conductor->control({{Control::Kind::cancel}, experiment}, std::move(done));
        });
    }

    Result<void> tellRun(int ranks, const std::vector<store::RunRow>& runs, const spec::Matrix& matrix)
    {
        const std::string title = ranks == 1 ? Words::tr("One rank") : Words::tr("Two ranks");
        const auto run = std::ranges::find_if(
            runs, [&](const store::RunRow& row) { return integerOf(row.settings, "ranks") == ranks; });
        if (run == runs.end()) {
            std::string notes;
            for (const std::string& note : matrix.notes)
                notes += " " + note;
            report(title, true, Words::tr("left out: the system cannot do it.") + notes);
            return {};
        }
        if (run->state != RunState::done) {
            report(title, false, run->reason ? sentenceOf(*run->reason) : Words::tr("did not end well"));
            return {};
        }
        TRY_ASSIGN(const store::Database db, store::Database::openForReading(m_store));
        TRY_ASSIGN(const std::vector<store::RankSample> samples, store::samples(db, run->id, run->attempt));
        const auto samplesOf = byProcess(samples);
        report(title, ranksToldOf(samplesOf) >= static_cast<std::uint32_t>(ranks),
               seenIn(samples, ranks, run->itemsPerSecond.value_or(0)) + lackingIn(samplesOf));
        return {};
    }

    /// Ten iterations are fewer than many a program prints a line for.
    static std::string sentenceOf(const Reason& reason)
    {
        std::string text = jobs::sentenceOf(reason);
        if (reason.code == why::kNoIterations && !reason.number("seconds"))
            text += " " + Words::tr("The check trains {} iterations: a system that is read by its own lines has to "
                                    "print one at least every {}.",
                                    kIterations, kIterations / 2);
        return text;
    }

    using ByProcess = std::map<int, std::vector<Sample>>;

    static ByProcess byProcess(const std::vector<store::RankSample>& samples)
    {
        ByProcess found;
        for (const store::RankSample& each : samples)
            found[each.rank].push_back(each.sample);
        return found;
    }

    /// Records that are numbered one by one from the first on leave none out. A system's own lines may begin with a
    /// later iteration, since the first of them ends no interval, or be of several.
    static bool isWhole(const std::vector<Sample>& samples)
    {
        const bool areNumbered = samples.front().seq == 0 &&
                                 std::ranges::all_of(samples, [](const Sample& each) { return each.iterations == 1; });
        return !areNumbered || samples.size() == kIterations;
    }

    /// Counts the ranks whose iterations were recorded, by themselves or by a process that is several ranks.
    static std::uint32_t ranksToldOf(const ByProcess& processes)
    {
        std::uint32_t told = 0;
        for (const auto& [process, samples] : processes)
            told += isWhole(samples) ? std::ranges::min(samples, {}, &Sample::ofRanks).ofRanks : 0;
        return told;
    }

    static std::string lackingIn(const ByProcess& processes)
    {
        std::string text;
        for (const auto& [process, samples] : processes)
            if (!isWhole(samples))
                text += "; " + Words::tr("of {} iterations only {} were told on rank {}", kIterations, samples.size(),
                                         process);
        return text;
    }

    static std::string seenIn(const std::vector<store::RankSample>& samples, int ranks, double rate)
    {
        std::map<int, float> first;
        for (const store::RankSample& each : samples)
            first.try_emplace(each.rank, each.sample.loss);
        std::string losses;
        for (const auto& [rank, loss] : first)
            losses += fmt::format("{}{:.4f}", losses.empty() ? "" : ", ", loss);
        if (first.size() == 1 && ranks > 1)
            return Words::tr("both trained: {} records of one process, first loss {}, {:.0f} images/s", samples.size(),
                             losses, rate);
        if (ranks == 1)
            return Words::tr("{} records, first loss {}, {:.0f} images/s", samples.size(), losses, rate);
        const bool areEqual = first.size() == 2 && first.begin()->second == first.rbegin()->second;
        return areEqual
                   ? Words::tr("both trained: {} records of {} ranks, losses equal (first {:.4f}), {:.0f} images/s",
                               samples.size(), first.size(), first.begin()->second, rate)
                   : Words::tr("both trained: {} records of {} ranks, first losses {}, {:.0f} images/s", samples.size(),
                               first.size(), losses, rate);
    }

    /// Removes what the runs left on the site. They are stored, so that it may go.
    void clear()
    {
        m_stop = {};
        const auto end = std::chrono::steady_clock::now() + kEndLimit;
        for (bool isLeft = true; isLeft && std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(kLook))
            isLeft = !removeOwn();
    }

    /// True once nothing of this store is there.
    bool removeOwn()
    {
        using Items = std::vector<wire::InstalledItem>;
        const auto items =
            await<Items>([&](Completion<Items> done) { m_conductor->listInstalled(m_check.site, std::move(done)); });
        const auto db = store::Database::openForReading(m_store);
        if (!items || !db)
            return !items; // without contact nothing can be done
        std::vector<wire::Item> own;
        for (const wire::InstalledItem& each : *items)
            if (each.store == db->id())
                own.push_back(each.item);
        if (own.empty())
            return true;
        (void)await<wire::DeleteReply>([&](Completion<wire::DeleteReply> done) {
            m_conductor->removeInstalled(m_check.site, own, std::move(done));
        });
        return false;
    }

    const EngineCheck& m_check;
    std::stop_token m_stop;
    PrivateFolder m_folder;
    fs::path m_store;
    Observer m_observer;
    std::unique_ptr<Conductor> m_conductor; ///< last: it calls the observer, and writes into the folder
    bool m_isWell = true;
};

} // namespace

Result<bool> checkEngine(const EngineCheck& check, std::stop_token stop)
{
    return Check(check, std::move(stop)).carryOut();
}

} // namespace ringside
