// SPDX-License-Identifier: MIT
#include "core/protocol/record.h"

#include "core/base/words.h"
#include "core/protocol/bytes.h"
#include "core/protocol/either.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>
#include <utility>

namespace ringside {

namespace {

// Eighteen years in nanoseconds: a start and seven phases add up without overflow.
constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 59;
constexpr std::size_t kPhasesInside = 7; // of a sample in its first version; later ones are at its end
/// Values that the fields behind a sample's first ones have where they are absent: told, iterations, ofRanks. A writer
/// that does not say what is told knows no later phase.
constexpr std::array<std::uint32_t, 3> kTailAbsent = {(1U << kPhasesInside) - 1, 1, 1};
constexpr std::uint32_t kBucketBytes = 28;
constexpr std::uint32_t kLayerBytes = 40;

// The order of fields in the file, once for both directions: `archive` is a Putter or a Taker.

void fieldsOf(auto& archive, Either<Sample> auto& record)
{
    archive.number(record.seq);
    archive.time(record.startNs);
    for (std::size_t phase = 0; phase < kPhasesInside; ++phase)
        archive.time(record.phases[phase]);
    archive.time(record.readNs, record.decodeNs, record.h2dTotalNs, record.commTotalNs);
    archive.number(record.bytesSent);
    archive.items(record.items);
    archive.number(record.badItems, record.loss);
    archive.tail(record);
    for (std::size_t phase = kPhasesInside; phase < kPhaseCount; ++phase)
        archive.appendedTime(record.phases[phase]);
}

void fieldsOf(auto& archive, Either<Telemetry> auto& record)
{
    archive.time(record.atNs);
    archive.number(record.cpuShare, record.ownCpuShare, record.memoryBytes, record.hostMemoryUsedBytes,
                   record.diskReadBytes, record.networkSentBytes, record.foreignCpuShare);
    archive.tail(Telemetry::kNotTold, record.foreignCoresShare, record.ownCoresShare);
}

void fieldsOf(auto& archive, Either<Communication> auto& record)
{
    archive.number(record.entered);
    archive.flag(record.waits);
}

void fieldsOf(auto& archive, Either<Heartbeat> auto& record)
{
    archive.time(record.atNs);
    archive.number(record.seq);
    archive.phase(record.phase);
    archive.appended(record.communication);
    if (record.communication)
        archive.tail(std::uint64_t{0}, record.printed);
}

void fieldsOf(auto& archive, Either<BucketTiming> auto& record)
{
    archive.number(record.bucket);
    archive.time(record.startNs, record.lengthNs);
    archive.number(record.bytes);
}

void fieldsOf(auto& archive, Either<BucketTimings> auto& record)
{
    archive.number(record.seq);
    archive.entries(record.buckets, kBucketBytes);
}

void fieldsOf(auto& archive, Either<LayerTiming> auto& record)
{
    archive.time(record.forwardStartNs, record.forwardNs, record.backwardStartNs, record.backwardNs, record.readyNs);
}

void fieldsOf(auto& archive, Either<LayerTimings> auto& record)
{
    archive.number(record.seq);
    archive.entries(record.layers, kLayerBytes);
}

void fieldsOf(auto& archive, Either<ClockPair> auto& record)
{
    archive.time(record.monotonicNs);
    archive.number(record.wallNs);
}

void fieldsOf(auto& archive, Either<ClockOffset> auto& record)
{
    archive.time(record.atNs, record.offsetNs, record.uncertaintyNs);
}

void fieldsOf(auto& archive, Either<Canary> auto& record)
{
    archive.time(record.atNs);
    archive.flag(record.after);
    archive.number(record.readBytesPerSecond);
    archive.time(record.allReduceNs);
}

void fieldsOf(auto& archive, Either<GpuTelemetry> auto& record)
{
    archive.time(record.atNs);
    archive.number(record.busyShare, record.memoryUsedBytes, record.memoryBytes, record.powerMilliwatts,
                   record.smMegahertz, record.memoryMegahertz, record.clockReasons, record.pcieSentPerSecond,
                   record.pcieReceivedPerSecond, record.nvlinkSentBytes, record.nvlinkReceivedBytes,
                   record.foreignProcesses, record.foreignMemoryBytes);
}

void fieldsOf(auto& archive, Either<End> auto& record)
{
    archive.number(record.samples, record.exitCode, record.droppedSamples);
}

class Putter
{
public:
    explicit Putter(std::string& out)
        : m_out(out)
    {
    }

    template <class... T> void number(T... values) { (putNumber(m_out, values), ...); }
    template <class Fields> void appended(const std::optional<Fields>& fields)
    {
        if (fields)
            fieldsOf(*this, *fields);
    }
    /// Last fields that earlier versions did not have, left out from their end as far as they say nothing.
    template <class T, std::same_as<T>... Fields> void tail(T absent, Fields... fields)
    {
        std::array<T, sizeof...(Fields)> absents;
        absents.fill(absent);
        tail(std::array{fields...}, absents, true);
    }
    /// The same, if nothing follows.
    void tail(const Sample& sample)
    {
        tail(std::array{sample.told.bits(), sample.iterations, sample.ofRanks}, kTailAbsent,
             kPhaseCount == kPhasesInside);
    }
    template <std::same_as<std::int64_t>... Ns> void time(Ns... ns) { number(ns...); }
    void appendedTime(std::int64_t ns) { time(ns); }
    void items(std::uint64_t count) { number(static_cast<std::uint32_t>(std::min(count, kTooManyItems))); }
    void phase(Phase phase) { putNumber(m_out, static_cast<std::uint8_t>(phase)); }
    void flag(bool value) { putNumber(m_out, static_cast<std::uint8_t>(value)); }
    template <class Entry> void entries(const std::vector<Entry>& entries, std::uint32_t stride)
    {
        number(static_cast<std::uint32_t>(entries.size()));
        number(stride);
        for (const Entry& entry : entries)
            fieldsOf(*this, entry);
    }

private:
    template <class T, std::size_t n>
    void tail(const std::array<T, n>& fields, const std::array<T, n>& absent, bool isLast)
    {
        std::size_t count = n;
        while (isLast && count > 0 && fields[count - 1] == absent[count - 1])
            --count;
        for (std::size_t i = 0; i < count; ++i)
            number(fields[i]);
    }

    std::string& m_out;
};

class Taker
{
public:
    explicit Taker(std::string_view bytes)
        : m_reader(bytes)
    {
    }

    template <class... T> void number(T&... values) { (m_reader.take(values), ...); }
    template <class T> void appended(T& value, T absent)
    {
        value = absent;
        if (!m_reader.rest().empty())
            number(value);
    }
    void items(std::uint64_t& count)
    {
        std::uint32_t stored;
        m_reader.take(stored);
        count = stored;
    }
    /// 0 of a version that did not know it.
    void appendedTime(std::int64_t& ns)
    {
        ns = 0;
        if (!m_reader.rest().empty())
            time(ns);
    }
    template <class Fields> void appended(std::optional<Fields>& fields)
    {
        if (!m_reader.rest().empty())
            fieldsOf(*this, fields.emplace());
    }
    template <class T, std::same_as<T>... Fields> void tail(T absent, Fields&... fields)
    {
        (appended(fields, absent), ...);
    }
    void tail(Sample& sample)
    {
        std::array<std::uint32_t, kTailAbsent.size()> fields;
        for (std::size_t i = 0; i < fields.size(); ++i)
            appended(fields[i], kTailAbsent[i]);
        sample.told = PhaseSet::ofBits(fields[0]);
        sample.iterations = fields[1];
        sample.ofRanks = fields[2];
    }
    template <std::same_as<std::int64_t>... Ns> void time(Ns&... ns)
    {
        number(ns...);
        m_inRange = m_inRange && ((ns > -kMaxTimeNs && ns < kMaxTimeNs) && ...);
    }
    void phase(Phase& phase)
    {
        std::uint8_t value;
        m_reader.take(value);
        phase = value < kPhaseCount ? static_cast<Phase>(value) : Phase::other; // a later version may know more
    }
    void flag(bool& flag)
    {
        std::uint8_t value;
        m_reader.take(value);
        flag = value != 0;
    }
    /// Each `least` bytes long or longer: a later version may know more of one.
    template <class Entry> void entries(std::vector<Entry>& entries, std::uint32_t least);
    bool ok() const { return m_reader.ok() && m_inRange; }

private:
    ByteReader m_reader;
    bool m_inRange = true;
};

template <class Entry> void Taker::entries(std::vector<Entry>& entries, std::uint32_t least)
{
    std::uint32_t count, stride;
    number(count);
    number(stride);
    m_inRange = m_inRange && stride >= least && count <= m_reader.rest().size() / stride;
    for (std::uint32_t i = 0; i < count && ok(); ++i) {
        Taker entry(m_reader.takeBytes(stride));
        fieldsOf(entry, entries.emplace_back());
        m_inRange = m_inRange && entry.ok();
    }
}

using Decoded = Result<std::optional<Record>>;

/// Numbers in files are those of the alternatives, from 1.
constexpr std::uint16_t typeAt(std::size_t alternative)
{
    return static_cast<std::uint16_t>(alternative + 1);
}

template <std::size_t alternative> Decoded decodeAs(std::string_view bytes)
{
    std::variant_alternative_t<alternative, Record> record;
    Taker taker(bytes);
    fieldsOf(taker, record);
    if (!taker.ok())
        return fail(ErrorCode::damaged,
                    Words::tr("a record of type {} is too short or has a time out of range", typeAt(alternative)));
    return Record(std::move(record));
}

template <std::size_t... alternatives> constexpr auto decodersOf(std::index_sequence<alternatives...>)
{
    return std::array{decodeAs<alternatives>...};
}

constexpr auto kDecoders = decodersOf(std::make_index_sequence<std::variant_size_v<Record>>());

/// nullopt for an unknown type. Bytes after the known fields are ignored.
Decoded decodeRecord(std::uint16_t type, std::string_view fields)
{
    return type >= 1 && type <= kDecoders.size() ? kDecoders[type - 1u](fields) : std::nullopt;
}

} // namespace

void appendRecord(std::string& out, const Record& record)
{
    putNumber(out, typeAt(record.index()));
    const std::size_t lengthAt = out.size();
    putNumber(out, std::uint32_t{0});
    Putter putter(out);
    std::visit([&](const auto& content) { fieldsOf(putter, content); }, record);
    const auto length = static_cast<std::uint32_t>(out.size() - lengthAt - sizeof(std::uint32_t));
    std::memcpy(out.data() + lengthAt, &length, sizeof length);
}

Result<void> decodeRecords(std::string_view bytes, const std::function<void(const Record&)>& onRecord)
{
    ByteReader reader(bytes);
    while (!reader.rest().empty()) {
        std::uint16_t type;
        std::uint32_t length;
        reader.take(type);
        reader.take(length);
        const std::string_view content = reader.takeBytes(length);
        if (!reader.ok())
            return fail(ErrorCode::damaged, Words::tr("a record reaches beyond its block"));
        TRY_ASSIGN(const auto record, decodeRecord(type, content));
        if (record)
            onRecord(*record);
    }
    return {};
}

} // namespace ringside
