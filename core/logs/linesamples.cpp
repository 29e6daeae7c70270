// SPDX-License-Identifier: MIT
#include "core/logs/linesamples.h"

#include <algorithm>
#include <utility>

namespace ringside::logs {

LineSamples::LineSamples(LogFormat format, KnownOfRun known)
    : m_format(std::move(format))
    , m_reader(m_format, {.ranks = 1}) // a number that comes again is another run's, never another process's
    , m_known(known)
{
}

void LineSamples::read(std::uint64_t number, std::string_view line, std::int64_t atNs)
{
    if (m_reader.read(number, line) && (m_lines.empty() || m_lines.back().number != number)) // once for a bar's states
        m_lines.push_back({number, atNs});
}

std::vector<LineSamples::ReadLine>::const_iterator LineSamples::firstFrom(std::uint64_t number) const
{
    return std::ranges::lower_bound(m_lines, number, {}, &ReadLine::number);
}

std::optional<std::int64_t> LineSamples::readAt(std::uint64_t number) const
{
    const auto found = firstFrom(number);
    return found != m_lines.end() && found->number == number ? std::optional(found->atNs) : std::nullopt;
}

std::vector<RecordOf> LineSamples::taken(std::int64_t nowNs, bool isOver)
{
    auto taken = m_reader.takeRecords(isOver);
    const auto held = readAt(m_reader.firstHeld());
    if (held && nowNs - *held >= kSettleNs)
        for (auto& last : m_reader.takeRecords(true))
            taken.push_back(std::move(last));
    return taken;
}

std::optional<Sample> LineSamples::sampleOf(const RecordOf& taken)
{
    const Source source{taken.scope, taken.rank};
    if (m_isChosen && !m_samples.contains(source))
        return std::nullopt;
    const auto samples = m_samples.try_emplace(source, m_known).first;
    auto sample = samples->second.next(taken.record, taken.scope, taken.phases);
    if (sample && !m_isChosen) {
        std::erase_if(m_samples, [&](const auto& other) { return other.first != source; });
        m_isChosen = true;
    }
    return sample;
}

std::vector<Sample> LineSamples::take(std::int64_t nowNs, bool isOver)
{
    const std::vector<RecordOf> records = taken(nowNs, isOver);
    std::vector<Sample> samples;
    samples.reserve(records.size());
    for (const RecordOf& each : records)
        if (auto sample = sampleOf(each)) {
            sample->startNs = readAt(each.record.line).value_or(nowNs) - sample->lengthNs();
            samples.push_back(*sample);
        }
    m_lines.erase(m_lines.begin(), firstFrom(m_reader.firstHeld()));
    for (std::size_t i = samples.size(); i-- > 1;)
        samples[i - 1].startNs = std::min(samples[i - 1].startNs, samples[i].startNs - samples[i - 1].lengthNs());
    for (Sample& sample : samples)
        sample.startNs = std::max<std::int64_t>(0, sample.startNs);
    return samples;
}

} // namespace ringside::logs
