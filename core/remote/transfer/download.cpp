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

using std::chrono::milliseconds;

constexpr std::size_t kPieceBytes = 512u << 10;

/// MARK SOURCE. The size is fixed at the beginning; a log may grow meanwhile. Where zstd does not save a tenth of the
/// first 512 KiB it only costs time. The hash is made while the pieces are on their way; whoever ends before them has
/// failed.
constexpr const char* kSendScript = R"sh(LC_ALL=C; export LC_ALL
mark=$1
exec 3<"$2" || exit 1
[ -f "$2" ] || { echo "$2 is no file: No such file" >&2; exit 1; }
size=$(wc -c <"$2") || exit 1
codec=plain
if command -v zstd >/dev/null 2>&1 && [ "$(head -c 524288 "$2" | zstd -cq | wc -c)" -lt 471859 ]; then codec=zstd; fi
echo "$mark $((size)) $codec"
digest() { openssl dgst -sha256 -r || sha256sum || shasum -a 256; } # in the order of their speed
echo "$mark $(head -c "$((size))" <&3 | digest 2>/dev/null | cut -c1-64)"
read -r word
)sh";

/// SOURCE BLOCK COUNT CODEC
constexpr const char* kPieceScript = R"sh(LC_ALL=C; export LC_ALL
if [ "$4" = zstd ]; then
    dd if="$1" bs=1048576 skip="$2" count="$3" 2>/dev/null | zstd -3 -cq
else
    dd if="$1" bs=1048576 skip="$2" count="$3" 2>/dev/null
fi
)sh";

/// A file that goes unless it is whole.
class PartialFile
{
public:
    explicit PartialFile(const fs::path& target)
        : m_target(target)
        , m_path(target.string() + ".part-" + randomUuid())
        , m_file(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600))
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
    const fs::path& path() const { return m_path; }

    Result<void> write(std::string_view bytes, std::uint64_t at) const
    {
        while (!bytes.empty()) {
            const ssize_t n = ::pwrite(m_file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
            if (n < 0)
                return tl::unexpected(systemError(Words::noop("cannot write"), m_path, errno));
            bytes.remove_prefix(static_cast<std::size_t>(n));
            at += static_cast<std::uint64_t>(n);
        }
        return {};
    }

    Result<void> keep()
    {
        if (::fsync(m_file.get()) != 0 || ::rename(m_path.c_str(), m_target.c_str()) != 0)
            return tl::unexpected(systemError(Words::noop("cannot write"), m_target, errno));
        m_kept = true;
        return {};
    }

private:
    fs::path m_target;
    fs::path m_path;
    Descriptor m_file;
    int m_problem;
    bool m_kept = false;
};

class Receiver : public Part
{
public:
    Receiver(const PartialFile& file, Range range, Codec codec, std::unique_ptr<Channel> channel, std::string doing)
        : m_file(file)
        , m_range(range)
        , m_at(range.begin)
        , m_decompressor(codec)
        , m_channel(std::move(channel))
        , m_doing(std::move(doing))
    {
    }

    Result<bool> turn() override
    {
        TRY_ASSIGN(const std::string bytes, m_channel->read(kPieceBytes));
        TRY(store(bytes));
        if (m_channel->atEnd())
            TRY(finish());
        return !bytes.empty() || m_done;
    }

    bool isDone() const override { return m_done; }
    bool wantsToWrite() const override { return false; }
    std::uint64_t moved() const override { return m_at - m_range.begin; }
    Channel& channel() override { return *m_channel; }

private:
    Result<void> store(const std::string& bytes)
    {
        TRY_ASSIGN(const std::string piece, m_decompressor.add(bytes, m_range.end - m_at));
        TRY(m_file.write(piece, m_at));
        m_at += piece.size();
        return {};
    }

    Result<void> finish()
    {
        m_channel->close(milliseconds(5'000));
        if (m_at != m_range.end)
            return tl::unexpected(complaint(m_doing, m_channel->errorText()));
        m_done = true;
        return {};
    }

    const PartialFile& m_file;
    Range m_range;
    std::uint64_t m_at;
    Decompressor m_decompressor;
    std::unique_ptr<Channel> m_channel;
    std::string m_doing;
    bool m_done = false;
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
                                                       const PartialFile& file, const std::string& doing, int channels)
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
    TRY_ASSIGN(const std::string actual, sha256OfFile(partial.path()));
    TRY_ASSIGN(const std::string expected, helper.readLine(verifyLimit(offer.size), options.stop));
    if (actual != expected)
        return fail(ErrorCode::damaged,
                    Words::tr("{}: what arrived is not what was sent ({}; expected {}).", doing, actual, expected),
                    Words::tr("Try again; the file may have been written to meanwhile."));
    return partial.keep();
}

} // namespace ringside
