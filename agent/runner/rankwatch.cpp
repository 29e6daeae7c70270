// SPDX-License-Identifier: MIT
#include "agent/runner/rankwatch.h"

#include "core/base/clock.h"
#include "core/base/openfile.h"

#include <algorithm>
#include <utility>

namespace ringside::runner {

namespace {

constexpr std::size_t kRecentIterations = 101;
/// Per look; a rank writes some kB/s, so more is read only after a pause.
constexpr std::size_t kMaxBytesPerLook = 2u << 20;
/// Part of the silence by which a rank is lost: two missed heartbeats.
constexpr std::int64_t kQuietPart = 4;

std::string readFrom(const fs::path& path, std::uint64_t offset)
{
    const auto file = OpenFile::open(path);
    if (!file || file->size() <= offset)
        return {};
    const auto length = std::min<std::uint64_t>(file->size() - offset, kMaxBytesPerLook);
    return file->read(offset, length).value_or(std::string());
}

std::int64_t median(std::vector<std::int64_t> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

bool RankWatch::look(std::int64_t nowNs)
{
    const std::string bytes = readFrom(m_spool, m_read);
    m_read += bytes.size();
    const auto border = m_reader.offset();
    std::optional<std::uint64_t> latest; // block of which a record was taken
    const auto fed = m_reader.feed(bytes, [&](const Record& record) {
        latest = m_reader.offset();
        take(record, nowNs);
    });
    if (m_reader.header())
        m_header = m_reader.header();
    if (m_reader.offset() > border)
        m_heardNs = nowNs;
    // On a network file system what was written later may be there first, and the gap be filled in a moment.
    if (!fed && latest != m_reader.offset()) {
        m_read = m_reader.offset();
        m_reader = SpoolReader(m_read);
    }
    return fed && !bytes.empty();
}

void RankWatch::take(const Record& record, std::int64_t nowNs)
{
    std::optional<std::uint32_t> seq;
    if (const auto* sample = std::get_if<Sample>(&record)) {
        seq = sample->seq;
        m_progressNs = nowNs; // the first has the number that heartbeats had before it
        if (m_recentLengthsNs.size() < kRecentIterations)
            m_recentLengthsNs.push_back(0);
        m_recentLengthsNs[m_samples++ % kRecentIterations] = sample->lengthNs();
        m_iterations += sample->iterations;
        m_ofRanks = std::max(m_ofRanks, sample->ofRanks);
        m_reportsByLines |= !sample->isSingle();
    } else if (const auto* heartbeat = std::get_if<Heartbeat>(&record)) {
        seq = heartbeat->seq;
        m_standing = *heartbeat;
        if (heartbeat->printed > std::exchange(m_printed, heartbeat->printed))
            m_saidNs = nowNs;
    }
    m_ended = m_ended || std::holds_alternative<End>(record);
    if (seq && (!m_seq || *seq > *m_seq)) {
        m_seq = seq;
        m_progressNs = nowNs;
    }
}

/// One whose host went away before it had a spool would be waited for as long as the slowest start may take.
RankWatch::Silence RankWatch::silence(std::optional<std::int64_t> begunNs, const Limits& limits) const
{
    if (isHeard())
        return {m_heardNs, toNs(limits.silence)};
    return begunNs ? Silence{*begunNs, toNs(limits.others)} : Silence{m_beginNs, toNs(limits.startUp)};
}

RankHealth RankWatch::health(std::int64_t nowNs, std::optional<std::int64_t> begunNs, const Limits& limits) const
{
    if (m_ended)
        return RankHealth::well;
    const Silence silence = this->silence(begunNs, limits);
    if (nowNs - silence.sinceNs > silence.limitNs)
        return RankHealth::silent;
    const bool stands = m_trains && nowNs - m_progressNs > hungLimitNs(limits);
    return stands && !isTalking(nowNs, limits) ? RankHealth::hung : RankHealth::well;
}

std::chrono::seconds RankWatch::unwellFor(RankHealth health, std::int64_t nowNs, std::optional<std::int64_t> begunNs,
                                          const Limits& limits) const
{
    const std::int64_t sinceNs = health == RankHealth::hung ? m_progressNs : silence(begunNs, limits).sinceNs;
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::nanoseconds(nowNs - sinceNs));
}

bool RankWatch::isQuiet(std::int64_t nowNs, std::optional<std::int64_t> begunNs, const Limits& limits) const
{
    const Silence silence = this->silence(begunNs, limits);
    return !m_ended && nowNs - silence.sinceNs > silence.limitNs / kQuietPart;
}

bool RankWatch::isStalled(std::int64_t nowNs, const Limits& limits) const
{
    return m_trains && nowNs - m_progressNs > hungLimitNs(limits) / 2;
}

bool RankWatch::isThrough() const
{
    return m_header && m_iterations > 0 && m_iterations >= m_header->iterations;
}

void RankWatch::waitForOthers(std::int64_t progressNs, bool reportByLines)
{
    if (isThrough() || (reportByLines && m_samples == 0))
        m_progressNs = std::max(m_progressNs, progressNs);
}

void RankWatch::noteOutput(std::int64_t othersSaidNs)
{
    m_othersSaidNs = std::max(m_othersSaidNs.value_or(0), othersSaidNs); // of one that goes on first is asked no more
}

/// Horovod's rank 0 says once a minute that another one keeps it waiting: what others print counts for half as long.
bool RankWatch::isTalking(std::int64_t nowNs, const Limits& limits) const
{
    return m_othersSaidNs &&
           (nowNs - m_saidNs <= toNs(limits.hung) || nowNs - *m_othersSaidNs <= toNs(limits.hung) / 2);
}

/// One that has not reported yet still has its time to start.
void RankWatch::forgive(std::int64_t nowNs)
{
    m_progressNs = nowNs;
    if (isHeard())
        m_heardNs = nowNs;
}

void RankWatch::leaveOut(std::int64_t timeNs)
{
    for (std::int64_t* since : {&m_beginNs, &m_heardNs, &m_progressNs, &m_saidNs})
        *since += timeNs;
    if (m_othersSaidNs)
        *m_othersSaidNs += timeNs;
}

std::int64_t RankWatch::hungLimitNs(const Limits& limits) const
{
    if (m_samples == 0)
        return toNs(limits.startUp);
    return std::max(toNs(limits.hung), kHungIterations * median(m_recentLengthsNs));
}

} // namespace ringside::runner
