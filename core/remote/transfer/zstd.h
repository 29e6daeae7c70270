// SPDX-License-Identifier: MIT
// Zstandard as a stream, or nothing at all under the same interface. Its frames end with a check of their content, by
// which zstd on the far side fails for what arrives otherwise than it was sent.
#pragma once

#include "core/base/error.h"

#include <memory>
#include <string>

namespace ringside::transfer {

enum class Codec
{
    plain,
    zstd,
    stored, ///< frames of zstd for their check alone: what does not shrink is copied into them
};

class Compressor
{
public:
    explicit Compressor(Codec codec);
    ~Compressor();
    Compressor(Compressor&&) noexcept;
    /// Returns what can be sent after `bytes`; everything if they are the last.
    Result<std::string> add(std::string bytes, bool last);

private:
    struct Stream;
    std::unique_ptr<Stream> m_stream; ///< null: plain
};

} // namespace ringside::transfer
