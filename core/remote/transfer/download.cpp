// SPDX-License-Identifier: MIT
#include "core/remote/transfer/transfer.h"

#include "core/base/descriptor.h"
#include "core/base/ids.h"
#include "core/base/sha256.h"
#include "core/base/words.h"
#include "core/remote/transfer/parts.h"
#include "core/remote/transfer/zstd.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sys/stat.h>

namespace ringside {

namespace transfer {

namespace {

/// MARK SOURCE. The size is fixed at the beginning; a log may grow meanwhile. Where zstd does not save a tenth of the
/// first 512 KiB it only costs time. The hash is made while the pieces are on their way; if the script ends before
/// them, it has failed.
constexpr const char* kSendScript = R"sh(LC_ALL=C; export LC_ALL
mark=$1
[ -f "$2" ] || { echo "$2 is no file: No such file" >&2; exit 1; }
size=$(wc -c <"$2") || exit 1
codec=plain
if command -v zstd >/dev/null 2>&1 && [ "$(head -c 524288 "$2" | zstd -cq | wc -c)" -lt 471859 ]; then codec=zstd; fi
echo "$mark $((size)) $codec"
digest() { openssl dgst -sha256 -r || sha256sum || shasum -a 256; } # in the order of their speed
hash=$(digest <"$2" 2>/dev/null)
[ "$(wc -c <"$2")" -eq "$size" ] || hash=$(head -c "$((size))" "$2" | digest 2>/dev/null)
echo "$mark ${hash%% *}"
read -r word
)sh";

/// SOURCE BLOCK COUNT CODEC
constexpr const char* kPieceScript = R"sh(LC_ALL=C; export LC_ALL
[ "$4" = zstd ] || exec dd if="$1" bs=1048576 skip="$2" count="$3" 2>/dev/null
dd if="$1" bs=1048576 skip="$2" count="$3" 2>/dev/null | zstd -3 -cq
)sh";

/// A file that goes unless it is whole.
class PartialFile
{
public:
    explicit PartialFile(const fs::path& target)
        : m_target(target)
        , m_path(target.string() + ".part-" + randomUuid())
        , m_file(::open(m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600))
        , m_problem(errno)
    {
    }
    ~PartialFile()
    {
        if (!m_kept)
            ::unlink(m_path.c_str());
    }
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    Result<void> check() const
    {
        return m_file.get() >= 0 ? Result<void>()
                                 : tl::unexpected(systemError(Words::noop("cannot write"), m_path, m_problem));
    }

    Result<void> write(std::string_view bytes, std::uint64_t at)
    {
        if (at == m_hashed)
            hash(bytes);
        while (!bytes.empty()) {
            const ssize_t n = ::pwrite(m_file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
            if (n < 0)
                return tl::unexpected(systemError(Words::noop("cannot write"), m_path, errno));
            bytes.remove_prefix(static_cast<std::size_t>(n));
            const std::uint64_t block = at / kBlockBytes;
            at += static_cast<std::uint64_t>(n);
            if (at / kBlockBytes != block) // so that little is left to wait for at the end
                ::sync_file_range(m_file.get(), static_cast<off_t>(block * kBlockBytes), kBlockBytes,
                                  SYNC_FILE_RANGE_WRITE);
        }
        return {};
    }

    /// Parts that came in the order of the file were hashed as they passed; the rest is read again.
    Result<std::string> sha256(std::uint64_t size)
    {
        std::string piece(kPieceBytes, '\0');
        ssize_t n = 1;
        for (; m_hashed < size && n > 0; hash({piece.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))}))
            n = ::pread(m_file.get(), piece.data(), piece.size(), static_cast<off_t>(m_hashed));
        if (n < 0)
            return tl::unexpected(systemError(Words::noop("cannot read"), m_path, errno));
        return m_hash.hex();
    }

    Result<void> keep()
    {
        if (::fsync(m_file.get()) != 0 || ::rename(m_path.c_str(), m_target.c_str()) != 0)
            return tl::unexpected(systemError(Words::noop("cannot write"), m_target, errno));
        m_kept = true;
        return {};
    }

private:
    void hash(std::string_view bytes)
    {
        m_hash.add(bytes);
        m_hashed += bytes.size();
    }

    fs::path m_target;
    fs::path m_path;
    Descriptor m_file;
    int m_problem;
    Sha256 m_hash;
    std::uint64_t m_hashed = 0; ///< so much of the file's beginning is in m_hash
    bool m_kept = false;
};

class Receiver : public Part
{
public:
    Receiver(PartialFile& file, Range range, Codec codec, std::unique_ptr<Channel> channel, std::string doing)
        : Part(range, std::move(channel), std::move(doing))
        , m_file(file)
        , m_decompressor(codec)
    {
    }

    Result<bool> turn() override
    {
        TRY_ASSIGN(std::string bytes, channel().read(kPieceBytes));
        const bool moved = !bytes.empty();
        TRY_ASSIGN(const std::string piece, m_decompressor.add(std::move(bytes), m_range.end - m_at));
        TRY(m_file.write(piece, m_at));
        m_at += piece.size();
        if (channel().atEnd())
            TRY(finish());
        return moved || isDone();
    }

private:
    PartialFile& m_file;
    Decompressor m_decompressor;
};

struct Offer
{
    std::uint64_t size = 0;
    Codec codec = Codec::plain;
};

Result<Offer> parseOffer(const std::string& line, bool compress)
{
    Offer offer;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), offer.size);
    if (error != std::errc{})
        return fail(ErrorCode::damaged, Words::tr("The site's shell named no size."), Words::tr("Try again."));
    if (compress && std::string_view(rest, static_cast<std::size_t>(line.data() + line.size() - rest)) == " zstd")
        offer.codec = Codec::zstd;
    return offer;
}

Result<std::vector<std::unique_ptr<Part>>> startPieces(Host& host, const std::string& source, const Offer& offer,
                                                       PartialFile& file, const std::string& doing, int channels)
{
    const std::vector<Range> ranges = cut(offer.size, channels);
    std::vector<CommandLine> commands;
    for (const Range& range : ranges) {
        const std::uint64_t count = (range.end - range.begin + kBlockBytes - 1) / kBlockBytes;
        commands.push_back({{"sh", "-c", kPieceScript, "sh", source, std::to_string(range.begin / kBlockBytes),
                             std::to_string(count), offer.codec == Codec::zstd ? "zstd" : "plain"}});
    }
    TRY_ASSIGN(auto started, host.startAll(commands));
    std::vector<std::unique_ptr<Part>> parts;
    for (std::size_t i = 0; i < ranges.size(); ++i)
        parts.push_back(std::make_unique<Receiver>(file, ranges[i], offer.codec, std::move(started[i]), doing));
    return parts;
}

} // namespace

} // namespace transfer

Result<void> downloadFile(Host& host, const std::string& source, const fs::path& local, const TransferOptions& options)
{
    using namespace transfer;
    const std::string doing = fmt::format("Copying {} from {}", source, host.name());
    PartialFile partial(local);
    TRY(partial.check());
    TRY_ASSIGN(RemoteHelper helper, RemoteHelper::start(host, kSendScript, {source}));
    TRY_ASSIGN(const std::string line, helper.readLine(kSilenceLimit, options.stop));
    TRY_ASSIGN(const Offer offer, parseOffer(line, options.compress));
    TRY_ASSIGN(const auto parts, startPieces(host, source, offer, partial, doing, channelsFor(host, options)));
    TRY(drive(parts, helper, offer.size, options));
    TRY_ASSIGN(const std::string actual, partial.sha256(offer.size));
    TRY_ASSIGN(const std::string expected, helper.readLine(verifyLimit(offer.size), options.stop));
    if (actual != expected)
        return fail(ErrorCode::damaged,
                    Words::tr("{}: what arrived is not what was sent ({}; expected {}).", doing, actual, expected),
                    Words::tr("Try again; the file may have been changed during the transfer."));
    return partial.keep();
}

} // namespace ringside
