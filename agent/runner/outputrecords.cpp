// SPDX-License-Identifier: MIT
#include "agent/runner/outputrecords.h"

#include "agent/runner/limits.h"
#include "core/base/clock.h"
#include "core/base/regularfile.h"
#include "core/protocol/plausible.h"
#include "core/protocol/states.h"

#include <algorithm>
#include <array>
#include <thread>
#include <unistd.h>
#include <utility>

namespace ringside::runner {

namespace {

constexpr std::size_t kPiece = 64u << 10;
/// Limit of a look: a process that prints more is read later, and never stops the guard from its other work.
constexpr std::size_t kMostBytes = 4u << 20;

} // namespace

Result<std::unique_ptr<OutputRecords>> OutputRecords::open(const fs::path& spool, const SpoolHeader& header,
                                                           OwnRanks ranks, const fs::path& log, OnBegin onBegin,
                                                           std::optional<OwnLines> ownLines)
{
    TRY_ASSIGN(Descriptor file, openRegularFile(log));
    const std::uint64_t begin = sizeOfFile(file.get());
    TRY_ASSIGN(auto recorder, Recorder::create(spool, header));
    recorder->add(clockPair());
    recorder->add(Heartbeat{monotonicNs(), 0, Phase::other, {}});
    std::unique_ptr<OutputRecords> records(
        new OutputRecords(std::move(recorder), std::move(file), begin, header, ranks, std::move(onBegin)));
    if (ownLines && !ownLines->format.lines.empty()) {
        records->m_ranks = static_cast<int>(ownLines->known.ranks);
        records->m_own = std::make_unique<logs::LineSamples>(std::move(ownLines->format), ownLines->known);
    }
    return records;
}

OutputRecords::OutputRecords(std::unique_ptr<Recorder> recorder, Descriptor log, std::uint64_t begin,
                             const SpoolHeader& header, OwnRanks ranks, OnBegin onBegin)
    : m_recorder(std::move(recorder))
    , m_log(std::move(log))
    , m_read(begin)
    , m_rank(static_cast<int>(header.rank))
    , m_ownRanks(ranks)
    , m_reports(ranks)
    , m_warmup(header.warmup)
    , m_iterations(header.iterations)
    , m_onBegin(std::move(onBegin))
    , m_lines([this](std::uint64_t number, std::string_view line, bool isWhole) {
        m_isCut = !isWhole && logs::beginOfDriverLine(line) < line.size();
        if (isWhole)
            readLine(number, line);
    })
{
}

void OutputRecords::watch(pid_t process, TelemetryThread::Gpu gpu)
{
    m_process = process;
    m_telemetry = std::make_unique<TelemetryThread>(
        [this] {
            return Heartbeat{0, m_next, Phase::other, Communication{}, m_read};
        },
        [this](const Record& record) { m_recorder->add(record); }, TelemetryPeriods{}, std::move(gpu),
        [this] { return stage(); }, process);
}

LoopStage OutputRecords::stage() const
{
    if (!m_hasBegun)
        return LoopStage::before;
    return m_next < m_warmup ? LoopStage::warmup : LoopStage::measured;
}

void OutputRecords::look()
{
    std::array<char, kPiece> piece;
    for (std::size_t taken = 0; taken < kMostBytes;) {
        const ssize_t got = ::pread(m_log.get(), piece.data(), piece.size(), static_cast<off_t>(m_read));
        if (got <= 0)
            break;
        m_readNs = monotonicNs();
        m_lines.feed({piece.data(), static_cast<std::size_t>(got)});
        m_read += static_cast<std::uint64_t>(got);
        taken += static_cast<std::size_t>(got);
    }
    addOwn(false);
    writeFacts();
}

/// A driver measures the parts that the system's own lines only sum up, so from its first line on only it counts,
/// unless it says that the system's lines report the iterations.
void OutputRecords::readLine(std::uint64_t number, std::string_view line)
{
    auto read = logs::readDriverLine(line);
    if (!read && m_own)
        m_own->read(number, line, m_readNs);
    if (!read)
        return;
    const auto* driver = std::get_if<logs::DriverBegin>(&*read);
    if (!driver || !driver->leavesToLines())
        m_own.reset();
    if (driver)
        begin(*driver);
    else if (const auto* end = std::get_if<logs::DriverEnd>(&*read); end && m_reports.iterations())
        m_reports.count(end->rank, end->iterations);
    else if (const auto* iteration = std::get_if<logs::DriverIteration>(&*read))
        addIteration(*iteration);
}

void OutputRecords::refuse(OrReason<void> checked)
{
    if (!checked && !m_refusal)
        m_refusal = std::move(checked.error());
}

void OutputRecords::addIteration(const logs::DriverIteration& iteration)
{
    m_reports.count(iteration.rank, iteration.sample.seq + std::uint64_t{1});
    if (!m_reports.areOfProcess(iteration.rank))
        return;
    if (iteration.sample.seq >= m_warmup)
        refuse(m_reports.checkAllBegan()); // a rank that begins later has not done what is reported for it
    if (const Sample sample = m_reports.ofProcess(iteration.sample); !refusalOf(sample))
        add(sample);
}

void OutputRecords::begin(const logs::DriverBegin& said)
{
    m_hasBegun = true;
    m_firstOfLines = said.firstOfLines();
    const OrReason<Begun> begun = m_onBegin(said, m_process);
    refuse(begun.and_then([&](const Begun& process) { return m_reports.begin(said.rank, process.ofRanks); }));
    if (!begun || !begun->writeFacts)
        return;
    if (!std::exchange(m_writeFacts, begun->writeFacts))
        m_factsUntilNs = monotonicNs() + toNs(Limits::fromEnvironment().journal);
    writeFacts();
}

/// Never waits for room: meanwhile the guard would watch neither the process nor its runner.
void OutputRecords::writeFacts()
{
    if (!m_writeFacts)
        return;
    auto written = m_writeFacts();
    const bool isFull = !written && written.error().code == why::kNoSpace;
    if (isFull && monotonicNs() < m_factsUntilNs)
        return;
    m_writeFacts = nullptr;
    refuse(std::move(written));
}

/// The process has ended, so there is nothing else to do.
void OutputRecords::awaitFacts()
{
    for (writeFacts(); m_writeFacts && !m_refusal; writeFacts())
        std::this_thread::sleep_for(kFlushInterval);
}

void OutputRecords::add(const Sample& sample)
{
    m_recorder->add(sample);
    m_next = sample.seq + 1;
}

void OutputRecords::addOwn(bool isOver)
{
    if (!m_own)
        return;
    for (Sample& sample : m_own->take(monotonicNs(), isOver)) {
        if (!m_hasBegun)
            begin({m_ownRanks.first, m_ranks, 0, sample.ofRanks > m_ownRanks.count, {}});
        sample.seq -= std::min(sample.firstSeq(), m_firstOfLines);
        if (m_firstOfLines == 0 || sample.seq < m_iterations) // a line at its end may be of a part of an iteration
            add(sample);
    }
}

Result<void> OutputRecords::finish(int exitCode)
{
    for (std::uint64_t before = m_read + 1; before != m_read;) {
        before = m_read;
        look();
    }
    m_lines.finish();
    addOwn(true);
    m_telemetry.reset();
    return m_recorder->finish(exitCode);
}

void OutputRecords::complete(RankExit& exit, int log)
{
    if (const auto finished = finish(exit.shellCode()); !finished)
        dprintf(log, "%s\n", finished.error().text().c_str());
    if (exit.clean() && !exit.told)
        awaitFacts();
    else if (m_writeFacts)
        (void)m_writeFacts(); // the end that it came to says more than a full disk
    exit.recorded = m_reports.iterations();
    exit.cutRecord = m_isCut;
    if (exit.shellCode() == 0)
        refuse(m_reports.checkAllBegan());
    if (!m_refusal)
        return;
    exit.signal = 0;
    exit.code = m_refusal->code == why::kNoSpace ? exitcode::kNoSpace : exitcode::kSettings;
    noteWhy(exit, m_rank, *m_refusal, log);
}

} // namespace ringside::runner
