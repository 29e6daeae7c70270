// SPDX-License-Identifier: MIT
#include "core/protocol/block.h"

#include "core/base/words.h"
#include "core/protocol/bytes.h"
#include "core/protocol/checksum.h"

namespace ringside {

namespace {

constexpr std::size_t kLengthBytes = 4;

std::uint32_t checksumOf(std::string_view lengthField, std::string_view payload)
{
    return crc32c(payload, crc32c(lengthField));
}

} // namespace

void appendBlock(std::string& out, std::string_view payload)
{
    const std::size_t start = out.size();
    putNumber(out, static_cast<std::uint32_t>(payload.size()));
    const std::uint32_t checksum = checksumOf(std::string_view(out).substr(start, kLengthBytes), payload);
    putNumber(out, checksum);
    out.append(payload);
}

Result<std::optional<std::string_view>> peekBlock(std::string_view bytes, std::uint32_t limit)
{
    if (bytes.size() < kBlockHeaderBytes)
        return std::nullopt;
    ByteReader reader(bytes);
    std::uint32_t length, checksum;
    reader.take(length);
    reader.take(checksum);
    if (length == 0 && checksum == 0)
        return fail(ErrorCode::damaged, Words::tr("nothing but zeros, as where nothing was ever written"));
    if (length == 0 || length > limit)
        return fail(ErrorCode::damaged, Words::tr("a block claims {} bytes, outside 1 to {}", length, limit));
    if (reader.rest().size() < length)
        return std::nullopt;
    const std::string_view payload = reader.takeBytes(length);
    if (checksumOf(bytes.substr(0, kLengthBytes), payload) != checksum)
        return fail(ErrorCode::damaged, Words::tr("a block of {} bytes does not match its checksum", length));
    return payload;
}

} // namespace ringside
