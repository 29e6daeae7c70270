// SPDX-License-Identifier: MIT
#include "core/remote/transfer/zstd.h"

#include "core/base/words.h"

#include <zstd.h>

namespace ringside::transfer {

namespace {

/// Programs shrink to a third, at several 100 MB/s; the quickest level hardly looks at what it copies.
int levelOf(Codec codec)
{
    constexpr int kShrinking = 3;
    return codec == Codec::zstd ? kShrinking : ZSTD_minCLevel();
}

tl::unexpected<Error> broken(std::size_t answer)
{
    return fail(ErrorCode::damaged, fmt::format("zstd: {}.", ZSTD_getErrorName(answer)), Words::tr("Try again."));
}

} // namespace

struct Compressor::Stream
{
    std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context{ZSTD_createCCtx(), &ZSTD_freeCCtx};
};

Compressor::Compressor(Codec codec)
    : m_stream(codec == Codec::plain ? nullptr : std::make_unique<Stream>())
{
    if (!m_stream)
        return;
    ZSTD_CCtx_setParameter(m_stream->context.get(), ZSTD_c_compressionLevel, levelOf(codec));
    ZSTD_CCtx_setParameter(m_stream->context.get(), ZSTD_c_checksumFlag, 1);
}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;

Result<std::string> Compressor::add(std::string bytes, bool last)
{
    if (!m_stream)
        return bytes;
    std::string piece(ZSTD_compressBound(bytes.size()) + ZSTD_CStreamOutSize(), '\0');
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const auto mode = last ? ZSTD_e_end : ZSTD_e_continue;
    for (std::size_t left = 1; last ? left != 0 : in.pos < in.size;) {
        if (out.pos == out.size) {
            piece.resize(2 * piece.size());
            out.dst = piece.data();
            out.size = piece.size();
        }
        left = ZSTD_compressStream2(m_stream->context.get(), &out, &in, mode);
        if (ZSTD_isError(left))
            return broken(left);
    }
    piece.resize(out.pos);
    return piece;
}

} // namespace ringside::transfer
