// SPDX-License-Identifier: MIT
#include "core/protocol/record.h"

#include "core/base/words.h"
#include "core/protocol/bytes.h"

#include <type_traits>

namespace ringside {

namespace {

// Numbers in files: never reused.
enum class RecordType : std::uint16_t
{
    sample = 1,
    telemetry = 2,
    heartbeat = 3,
    bucketTimings = 4,
    layerTimings = 5,
    clockPair = 6,
    end = 7,
    clockOffset = 8,
    canary = 9,
    gpuTelemetry = 10
};

// Eighteen years in nanoseconds: a start and seven phases add up without overflow.
constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 59;
constexpr std::size_t kPhasesInside = 7; // of a sample in its first version; later ones stand at its end
constexpr std::uint32_t kBucketBytes = 28;
constexpr std::uint32_t kLayerBytes = 40;

RecordType typeOf(const Sample&)
{
    return RecordType::sample;
}
RecordType typeOf(const Telemetry&)
{
    return RecordType::telemetry;
}
RecordType typeOf(const Heartbeat&)
{
    return RecordType::heartbeat;
}
RecordType typeOf(const BucketTimings&)
{
    return RecordType::bucketTimings;
}
RecordType typeOf(const LayerTimings&)
{
    return RecordType::layerTimings;
}
RecordType typeOf(const ClockPair&)
{
    return RecordType::clockPair;
}
RecordType typeOf(const ClockOffset&)
{
    return RecordType::clockOffset;
}
RecordType typeOf(const Canary&)
{
    return RecordType::canary;
}
RecordType typeOf(const GpuTelemetry&)
{
    return RecordType::gpuTelemetry;
}
RecordType typeOf(const End&)
{
    return RecordType::end;
}

template <class T, class R>
concept Either = std::is_same_v<std::remove_const_t<T>, R>; // R, or const R

// The order of fields in the file, once for both directions: `archive` is a Putter or a Taker.

template <class Archive, Either<Sample> T> void fieldsOf(Archive& archive, T& record)
{
    archive.number(record.seq);
    archive.time(record.startNs);
    for (std::size_t phase = 0; phase < kPhasesInside; ++phase)
        archive.time(record.phases[phase]);
    archive.time(record.readNs);
    archive.time(record.decodeNs);
    archive.time(record.h2dTotalNs);
    archive.time(record.commTotalNs);
    archive.number(record.bytesSent);
    archive.number(record.items);
    archive.number(record.badItems);
    archive.number(record.loss);
    archive.told(record.told);
    for (std::size_t phase = kPhasesInside; phase < kPhaseCount; ++phase)
        archive.appendedTime(record.phases[phase]);
}

template <class Archive, Either<Telemetry> T> void fieldsOf(Archive& archive, T& record)
{
    archive.time(record.atNs);
    archive.number(record.cpuShare);
    archive.number(record.ownCpuShare);
    archive.number(record.memoryBytes);
    archive.number(record.hostMemoryUsedBytes);
    archive.number(record.diskReadBytes);
    archive.number(record.networkSentBytes);
    archive.number(record.foreignCpuShare);
    archive.appended(record.foreignCoresShare, Telemetry::kNotTold);
}

template <class Archive, Either<Communication> T> void fieldsOf(Archive& archive, T& record)
{
    archive.number(record.entered);
    archive.flag(record.waits);
}

template <class Archive, Either<Heartbeat> T> void fieldsOf(Archive& archive, T& record)
{
    archive.time(record.atNs);
    archive.number(record.seq);
    archive.phase(record.phase);
    archive.appended(record.communication);
}

template <class Archive, Either<BucketTiming> T> void fieldsOf(Archive& archive, T& record)
{
    archive.number(record.bucket);
    archive.time(record.startNs);
    archive.time(record.lengthNs);
    archive.number(record.bytes);
}

template <class Archive, Either<BucketTimings> T> void fieldsOf(Archive& archive, T& record)
{
    archive.number(record.seq);
    archive.entries(record.buckets, kBucketBytes);
}

template <class Archive, Either<LayerTiming> T> void fieldsOf(Archive& archive, T& record)
{
    archive.time(record.forwardStartNs);
    archive.time(record.forwardNs);
    archive.time(record.backwardStartNs);
    archive.time(record.backwardNs);
    archive.time(record.readyNs);
}

template <class Archive, Either<LayerTimings> T> void fieldsOf(Archive& archive, T& record)
{
    archive.number(record.seq);
    archive.entries(record.layers, kLayerBytes);
}

template <class Archive, Either<ClockPair> T> void fieldsOf(Archive& archive, T& record)
{
    archive.time(record.monotonicNs);
    archive.number(record.wallNs);
}

template <class Archive, Either<ClockOffset> T> void fieldsOf(Archive& archive, T& record)
{
    archive.time(record.atNs);
    archive.time(record.offsetNs);
    archive.time(record.uncertaintyNs);
}

template <class Archive, Either<Canary> T> void fieldsOf(Archive& archive, T& record)
{
    archive.time(record.atNs);
    archive.flag(record.after);
    archive.number(record.readBytesPerSecond);
    archive.time(record.allReduceNs);
}

template <class Archive, Either<GpuTelemetry> T> void fieldsOf(Archive& archive, T& record)
{
    archive.time(record.atNs);
    archive.number(record.busyShare);
    archive.number(record.memoryUsedBytes);
    archive.number(record.memoryBytes);
    archive.number(record.powerMilliwatts);
    archive.number(record.smMegahertz);
    archive.number(record.memoryMegahertz);
    archive.number(record.clockReasons);
    archive.number(record.pcieSentPerSecond);
    archive.number(record.pcieReceivedPerSecond);
    archive.number(record.nvlinkSentBytes);
    archive.number(record.nvlinkReceivedBytes);
    archive.number(record.foreignProcesses);
    archive.number(record.foreignMemoryBytes);
}

template <class Archive, Either<End> T> void fieldsOf(Archive& archive, T& record)
{
    archive.number(record.samples);
    archive.number(record.exitCode);
    archive.number(record.droppedSamples);
}

class Putter
{
public:
    explicit Putter(std::string& out)
        : m_out(out)
    {
    }

    template <class T> void number(T value) { putNumber(m_out, value); }
    /// A last field that earlier versions did not have, left out where it says nothing.
    template <class T> void appended(T value, T absent)
    {
        if (value != absent)
            number(value);
    }
    template <class Fields> void appended(const std::optional<Fields>& fields)
    {
        if (fields)
            fieldsOf(*this, *fields);
    }
    /// Left out where it is all of them and nothing follows.
    void told(PhaseSet phases)
    {
        if (kPhaseCount > kPhasesInside || !phases.hasAll())
            number(phases.bits());
    }
    void time(std::int64_t ns) { putNumber(m_out, ns); }
    void appendedTime(std::int64_t ns) { time(ns); }
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
    std::string& m_out;
};

class Taker
{
public:
    explicit Taker(std::string_view bytes)
        : m_reader(bytes)
    {
    }

    template <class T> void number(T& value) { m_reader.take(value); }
    template <class T> void appended(T& value, T absent)
    {
        value = absent;
        if (!m_reader.rest().empty())
            number(value);
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
    void told(PhaseSet& phases)
    {
        std::uint32_t bits;
        appended(bits, PhaseSet::all().bits());
        phases = PhaseSet::ofBits(bits);
    }
    void time(std::int64_t& ns)
    {
        m_reader.take(ns);
        m_inRange = m_inRange && ns > -kMaxTimeNs && ns < kMaxTimeNs;
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

template <class T> Result<std::optional<Record>> decodeAs(std::string_view bytes)
{
    T record;
    Taker taker(bytes);
    fieldsOf(taker, record);
    if (!taker.ok())
        return fail(ErrorCode::damaged, Words::tr("a record of type {} is too short or has a time out of range",
                                                  static_cast<int>(typeOf(record))));
    return Record(std::move(record));
}

} // namespace

void appendRecord(std::string& out, const Record& record)
{
    std::visit(
        [&out](const auto& content) {
            putNumber(out, static_cast<std::uint16_t>(typeOf(content)));
            const std::size_t lengthAt = out.size();
            putNumber(out, std::uint32_t{0});
            Putter putter(out);
            fieldsOf(putter, content);
            const auto length = static_cast<std::uint32_t>(out.size() - lengthAt - sizeof(std::uint32_t));
            std::memcpy(out.data() + lengthAt, &length, sizeof length);
        },
        record);
}

Result<std::optional<Record>> decodeRecord(std::uint16_t type, std::string_view fields)
{
    switch (static_cast<RecordType>(type)) {
    case RecordType::sample:
        return decodeAs<Sample>(fields);
    case RecordType::telemetry:
        return decodeAs<Telemetry>(fields);
    case RecordType::heartbeat:
        return decodeAs<Heartbeat>(fields);
    case RecordType::bucketTimings:
        return decodeAs<BucketTimings>(fields);
    case RecordType::layerTimings:
        return decodeAs<LayerTimings>(fields);
    case RecordType::clockPair:
        return decodeAs<ClockPair>(fields);
    case RecordType::clockOffset:
        return decodeAs<ClockOffset>(fields);
    case RecordType::canary:
        return decodeAs<Canary>(fields);
    case RecordType::gpuTelemetry:
        return decodeAs<GpuTelemetry>(fields);
    case RecordType::end:
        return decodeAs<End>(fields);
    }
    return std::nullopt;
}

} // namespace ringside
