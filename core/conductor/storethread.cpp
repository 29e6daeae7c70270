// SPDX-License-Identifier: MIT
#include "core/conductor/storethread.h"

#include "core/base/clock.h"
#include "core/base/words.h"
#include "core/store/queries.h"
#include "core/store/summaries.h"

#include <chrono>

namespace ringside {

using namespace std::chrono_literals;

namespace {

/// Between two tries to write to a disk that refused.
constexpr auto kRetryPause = 2s;
/// Lists show progress, not every sample: rows of running runs go out at most this often.
constexpr std::int64_t kRowIntervalNs = 500'000'000;

// ---- bytes that a value holds beside its own

std::size_t heldBy(const Record& record)
{
    if (const auto* timings = std::get_if<BucketTimings>(&record))
        return timings->buckets.size() * sizeof(BucketTiming);
    if (const auto* timings = std::get_if<LayerTimings>(&record))
        return timings->layers.size() * sizeof(LayerTiming);
    return 0;
}

std::size_t heldBy(const Reason& reason)
{
    std::size_t bytes = reason.code.size() + reason.text.size();
    for (const auto& [name, argument] : reason.about) {
        const auto* word = std::get_if<std::string>(&argument);
        bytes += name.size() + sizeof argument + (word ? word->size() : 0);
    }
    return bytes;
}

std::size_t heldBy(const store::SpoolArrival& spool)
{
    std::size_t bytes = spool.refused.size() * sizeof(RefusedRecord) + spool.records.size() * sizeof(Record);
    for (const Record& record : spool.records)
        bytes += heldBy(record);
    return bytes;
}

std::size_t heldBy(const campaign::RunChange& change)
{
    return heldBy(change.reason);
}

std::size_t heldBy(const store::FactsArrival& facts)
{
    return facts.json.size();
}

std::size_t heldBy(const store::JournalCursor&)
{
    return 0;
}

std::size_t sizeOf(const store::Arrival& arrival)
{
    return sizeof arrival + std::visit([](const auto& each) { return heldBy(each); }, arrival);
}

std::size_t sizeOf(const std::vector<store::Arrival>& arrivals)
{
    std::size_t bytes = 0;
    for (const store::Arrival& arrival : arrivals)
        bytes += sizeOf(arrival);
    return bytes;
}

std::string nameOf(const store::SpoolArrival& arrival)
{
    return arrival.cursor.path;
}
std::string nameOf(const store::JournalCursor& arrival)
{
    return arrival.cursor.path;
}
std::string nameOf(const campaign::RunChange& change)
{
    return Words::tr("The state of attempt {} of run {}", change.attempt, change.run.str());
}
std::string nameOf(const store::FactsArrival& facts)
{
    return Words::tr("The description of attempt {} of run {}", facts.attempt, facts.run.str());
}

Error leftOut(const store::Arrival& arrival, const Error& why)
{
    const std::string name = std::visit([](const auto& each) { return nameOf(each); }, arrival);
    //: a path, or "The state of attempt 1 of run ...", then what the database says
    return {ErrorCode::damaged, Words::tr("{} cannot be stored: {}", name, why.message),
            Words::tr("It is left out, and everything else is stored.")};
}

template <class Kind> std::vector<Kind> recordsOf(const store::SpoolArrival& arrival)
{
    std::vector<Kind> records;
    for (const Record& record : arrival.records)
        if (const auto* wanted = std::get_if<Kind>(&record))
            records.push_back(*wanted);
    return records;
}

} // namespace

Result<std::unique_ptr<StoreThread>> StoreThread::open(const fs::path& path, Sink& sink)
{
    TRY_ASSIGN(store::Database db, store::Database::openForWriting(path));
    const auto report = [&sink](const Error& error) { sink.problem(error); };
    if (const auto refreshed = store::refreshSummaries(db, report); !refreshed)
        report(refreshed.error()); // what is stored can be read without them, and the thread tries again
    TRY_ASSIGN(store::Ingest ingest, store::Ingest::create(db));
    return std::unique_ptr<StoreThread>(new StoreThread(std::move(db), std::move(ingest), sink));
}

StoreThread::StoreThread(store::Database db, store::Ingest ingest, Sink& sink)
    : m_db(std::move(db))
    , m_ingest(std::move(ingest))
    , m_sink(sink)
    , m_thread([this](std::stop_token stop) { run(stop); })
{
}

StoreThread::~StoreThread() = default;

void StoreThread::post(std::vector<store::Arrival> arrivals, std::stop_token stop)
{
    const std::size_t bytes = sizeOf(arrivals);
    std::unique_lock lock(m_mutex);
    (void)m_changed.wait(lock, stop, [this] { return m_queuedBytes < kMaxQueuedBytes; });
    m_queuedBytes += bytes;
    m_items.emplace_back(std::move(arrivals));
    m_changed.notify_all();
}

void StoreThread::post(Job job)
{
    const std::lock_guard lock(m_mutex);
    m_items.emplace_back(std::move(job));
    m_changed.notify_all();
}

void StoreThread::giveUp()
{
    const std::lock_guard lock(m_mutex);
    m_givenUp = true;
    m_changed.notify_all();
}

bool StoreThread::waitForWork(std::stop_token stop, std::deque<Item>& items)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, stop, 500ms, [this] { return !m_items.empty(); });
    items.swap(m_items);
    m_queuedBytes = 0;
    m_changed.notify_all();
    return !items.empty() || !stop.stop_requested();
}

void StoreThread::run(std::stop_token stop)
{
    std::deque<Item> items;
    while (waitForWork(stop, items)) {
        process(items, stop);
        items.clear();
        refresh();
    }
}

/// Arrivals between two jobs go into one transaction.
void StoreThread::process(std::deque<Item>& items, std::stop_token stop)
{
    std::vector<store::Arrival> arrivals;
    for (Item& item : items) {
        if (auto* more = std::get_if<std::vector<store::Arrival>>(&item)) {
            std::move(more->begin(), more->end(), std::back_inserter(arrivals));
            continue;
        }
        store(arrivals, stop);
        std::get<Job>(item)(m_db);
    }
    store(arrivals, stop);
}

/// Leaves out alone what the database has no place for.
void StoreThread::store(std::vector<store::Arrival>& arrivals, std::stop_token stop)
{
    if (!arrivals.empty() && !storeTogether(arrivals, stop))
        for (store::Arrival& arrival : arrivals) {
            std::vector<store::Arrival> one;
            one.push_back(std::move(arrival));
            if (const auto stored = storeTogether(one, stop); !stored)
                m_sink.problem(leftOut(one.front(), stored.error()));
        }
    arrivals.clear();
}

/// Until it is stored: what is here has left the relay's hands. Fails only with usage, as Ingest::drain does.
Result<void> StoreThread::storeTogether(const std::vector<store::Arrival>& arrivals, const std::stop_token& stop)
{
    while (!m_hasDropped) {
        const auto stored = m_ingest.drain(arrivals);
        if (stored) {
            accept();
            notifySink(arrivals);
            break;
        }
        if (stored.error().code == ErrorCode::usage)
            return tl::unexpected(stored.error());
        refuse(stored.error());
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, stop, kRetryPause, [this] { return m_givenUp.load(); });
        if (stop.stop_requested() || m_givenUp)
            drop();
    }
    return {};
}

/// The spools still have what is dropped, and send it again: nothing that came later may be stored, or cursors and
/// stages would have gone past it.
void StoreThread::drop()
{
    m_hasDropped = true;
    m_db.stopWriting();
}

void StoreThread::notifySink(const std::vector<store::Arrival>& arrivals)
{
    std::set<RunId> changed;
    for (const store::Arrival& arrival : arrivals) {
        if (const auto* change = std::get_if<campaign::RunChange>(&arrival))
            changed.insert(change->run);
        const auto* spool = std::get_if<store::SpoolArrival>(&arrival);
        if (!spool)
            continue;
        m_progressed.insert(spool->run);
        if (auto samples = recordsOf<Sample>(*spool); !samples.empty())
            m_sink.samplesArrived({spool->run, spool->attempt, spool->rank, std::move(samples)});
        auto telemetry = recordsOf<Telemetry>(*spool);
        auto gpuTelemetry = recordsOf<GpuTelemetry>(*spool);
        if (!telemetry.empty() || !gpuTelemetry.empty())
            m_sink.telemetryArrived(
                {spool->run, spool->attempt, spool->rank, std::move(telemetry), std::move(gpuTelemetry)});
        if (auto clocks = recordsOf<ClockOffset>(*spool); !clocks.empty())
            m_sink.clocksArrived({spool->run, spool->attempt, spool->rank, std::move(clocks)});
    }
    announce({changed.begin(), changed.end()});
}

/// Reported once, until it can be written again.
void StoreThread::refuse(const Error& error)
{
    if (std::exchange(m_refused, true))
        return;
    m_sink.problem(error);
    m_sink.storageChanged(error);
}

void StoreThread::accept()
{
    if (std::exchange(m_refused, false))
        m_sink.storageChanged(std::nullopt);
}

bool StoreThread::isIdle()
{
    const std::lock_guard lock(m_mutex);
    return m_items.empty();
}

/// While nothing waits, stores summaries of attempts that ended and announces rows of runs that went on.
void StoreThread::refresh()
{
    if (!isIdle())
        return;
    const auto summarised = store::refreshSummaries(m_db, [this](const Error& error) { m_sink.problem(error); });
    summarised ? accept() : refuse(summarised.error());
    if (summarised)
        m_progressed.insert(summarised->begin(), summarised->end());
    const bool due = monotonicNs() - m_toldNs >= kRowIntervalNs || (summarised && !summarised->empty());
    if (m_progressed.empty() || !due)
        return;
    m_toldNs = monotonicNs();
    const std::set<RunId> progressed = std::exchange(m_progressed, {});
    announce({progressed.begin(), progressed.end()});
}

/// Rows that cannot be read are tried again with the next refresh; that is reported once, until they can be read again.
void StoreThread::announce(const std::vector<RunId>& runs)
{
    const auto rows = store::runsById(m_db, runs);
    const bool wasUnreadable = std::exchange(m_unreadable, !rows);
    if (!rows) {
        m_progressed.insert(runs.begin(), runs.end());
        if (!wasUnreadable)
            m_sink.problem(rows.error());
        return;
    }
    if (!rows->empty())
        m_sink.runsChanged(*rows);
}

void StoreThread::announceExperiments(const std::vector<std::string>& names)
{
    m_sink.experimentsChanged(names);
}

} // namespace ringside
