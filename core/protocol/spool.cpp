// SPDX-License-Identifier: MIT
#include "core/protocol/spool.h"

#include "core/base/words.h"
#include "core/protocol/block.h"
#include "core/protocol/bytes.h"
#include "core/protocol/record.h"

namespace ringside {

namespace {

constexpr std::string_view kMagic{"\x89RSPOOL\n", 8};
constexpr std::size_t kPreambleBytes = 12; // magic, u32 format
constexpr std::uint32_t kMaxHeaderBytes = 64u << 10;

std::string encodeHeaderFields(const SpoolHeader& header)
{
    std::string fields;
    putText(fields, header.file.str());
    putText(fields, header.run.str());
    putNumber(fields, header.attempt);
    putNumber(fields, header.rank);
    putNumber(fields, header.worldSize);
    putText(fields, header.host);
    putNumber(fields, header.iterations);
    putNumber(fields, header.warmup);
    return fields;
}

Result<SpoolHeader> decodeHeaderFields(std::string_view bytes)
{
    ByteReader reader(bytes);
    SpoolHeader header;
    TRY_ASSIGN(header.file, FileId::parse(reader.takeText()));
    TRY_ASSIGN(header.run, RunId::parse(reader.takeText()));
    reader.take(header.attempt);
    reader.take(header.rank);
    reader.take(header.worldSize);
    header.host = reader.takeText();
    reader.take(header.iterations);
    reader.take(header.warmup);
    if (!reader.ok())
        return fail(ErrorCode::damaged, Words::tr("the header is too short"));
    if (header.rank >= header.worldSize)
        return fail(ErrorCode::damaged, Words::tr("rank {} of {} ranks", header.rank, header.worldSize));
    return header;
}

/// Damage that shows in the first bytes is reported at once: a foreign file is never waited for.
Result<void> checkPreamble(std::string_view bytes)
{
    if (!kMagic.starts_with(bytes.substr(0, kMagic.size())))
        return fail(ErrorCode::damaged, Words::tr("this is no spool: it does not begin with the mark of one"));
    if (bytes.size() < kPreambleBytes)
        return {};
    std::uint32_t format;
    ByteReader(bytes.substr(kMagic.size())).take(format);
    if (format > kSpoolFormat)
        return fail(ErrorCode::newerVersion,
                    Words::tr("format {} is newer than {}, the newest that this version of Ringside reads", format,
                              kSpoolFormat),
                    Words::tr("Use the version of Ringside that wrote it, or a later one."));
    if (format == 0)
        return fail(ErrorCode::damaged, Words::tr("there is no format 0"));
    return {};
}

} // namespace

std::string SpoolEncoder::encodeHeader(const SpoolHeader& header)
{
    std::string bytes(kMagic);
    putNumber(bytes, kSpoolFormat);
    appendBlock(bytes, encodeHeaderFields(header));
    return bytes;
}

void SpoolEncoder::add(const Record& record)
{
    m_samples += std::holds_alternative<Sample>(record);
    appendRecord(m_payload, record);
}

std::string SpoolEncoder::takeBlock()
{
    std::string block;
    if (!empty())
        appendBlock(block, m_payload);
    m_payload.clear();
    m_samples = 0;
    return block;
}

SpoolReader::SpoolReader(std::uint64_t blockOffset)
    : m_offset(blockOffset)
    , m_expectHeader(blockOffset == 0)
{
}

Result<void> SpoolReader::feed(std::string_view bytes, const std::function<void(const Record&)>& onRecord)
{
    if (m_error)
        return tl::unexpected(*m_error);
    m_pending.append(bytes);
    std::size_t consumed = 0;
    for (std::size_t step = 1; step > 0 && !m_error; consumed += step, m_offset += step) {
        const std::string_view rest = std::string_view(m_pending).substr(consumed);
        auto taken = m_expectHeader ? consumeHeader(rest) : consumeBlock(rest, onRecord);
        step = taken.value_or(0);
        if (!taken)
            m_error = Error{taken.error().code, Words::tr("Spool, byte {}: {}.", m_offset, taken.error().message),
                            taken.error().hint};
    }
    m_pending.erase(0, consumed);
    if (m_error)
        return tl::unexpected(*m_error);
    return {};
}

Result<std::size_t> SpoolReader::consumeHeader(std::string_view bytes)
{
    TRY(checkPreamble(bytes));
    if (bytes.size() < kPreambleBytes)
        return 0;
    TRY_ASSIGN(const auto fields, peekBlock(bytes.substr(kPreambleBytes), kMaxHeaderBytes));
    if (!fields)
        return 0;
    TRY_ASSIGN(m_header, decodeHeaderFields(*fields));
    m_expectHeader = false;
    return kPreambleBytes + kBlockHeaderBytes + fields->size();
}

Result<std::size_t> SpoolReader::consumeBlock(std::string_view bytes,
                                              const std::function<void(const Record&)>& onRecord)
{
    TRY_ASSIGN(const auto payload, peekBlock(bytes, kMaxSpoolBlockBytes));
    if (!payload)
        return 0;
    TRY(decodeRecords(*payload, onRecord));
    return kBlockHeaderBytes + payload->size();
}

} // namespace ringside
