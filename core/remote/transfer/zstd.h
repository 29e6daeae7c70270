// SPDX-License-Identifier: MIT
// Zstandard as a stream, or nothing at all under the same interface.
#pragma once

#include "core/base/error.h"

#include <memory>
#include <string>

namespace ringside::transfer {

enum class Codec
{
    plain,
    zstd,
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
