// SPDX-License-Identifier: MIT
#include "core/remote/transfer/transfer.h"

#include "core/base/descriptor.h"
#include "core/base/ids.h"
#include "core/base/regularfile.h"
#include "core/base/sha256.h"
#include "core/base/words.h"
#include "core/remote/transfer/parts.h"
#include "core/remote/transfer/zstd.h"

#include <algorithm>
#include <cerrno>
#include <future>
#include <sys/stat.h>

namespace ringside {

namespace transfer {

namespace {

/// MARK TARGET TEMPORARY MODE. The temporary file lives as long as this command: without the last word it goes.
constexpr const char* kReceiveScript = R"sh(LC_ALL=C; export LC_ALL
mark=$1 target=$2 temporary=$3 mode=$4
umask 077
trap 'rm -f -- "$temporary"' EXIT
trap 'exit 1' HUP INT TERM PIPE
case $target in
    */*) mkdir -p -- "${target%/*}/" || exit 1 ;;
esac
(set -C; : >"$temporary") || exit 1
codec=plain
if command -v zstd >/dev/null 2>&1; then codec=zstd; fi
echo "$mark ready $codec"
read -r word expected
[ "$word" = sent ] || exit 1
sync -- "$temporary" 2>/dev/null &
digest() { openssl dgst -sha256 -r || sha256sum || shasum -a 256; } # in the order of their speed
actual=$(digest <"$temporary" 2>/dev/null)
actual=${actual%% *}
wait
if [ "$actual" != "$expected" ]; then
    echo "$mark differs $actual"
    exit 1
fi
chmod "$mode" -- "$temporary" && mv -f -- "$temporary" "$target" && echo "$mark stored"
)sh";

/// TEMPORARY BLOCK CODEC. The shell opens the file without emptying it, dd moves the place where writing begins.
/// Standard output stays open besides: its end is the command's.
constexpr const char* kPieceScript = R"sh(LC_ALL=C; export LC_ALL
[ -f "$1" ] || exit 1
exec 3>&1 1<>"$1"
[ "$2" = 0 ] || dd bs=1048576 seek="$2" count=0 2>/dev/null </dev/null
[ "$3" = zstd ] || exec cat
exec zstd -dcq
)sh";

/// The file or text to be sent.
class Source
{
public:
    explicit Source(std::string_view bytes)
        : m_bytes(bytes)
        , m_size(bytes.size())
    {
    }
    static Result<Source> open(const fs::path& path)
    {
        Source source{std::string_view()};
        source.m_path = path;
        TRY_ASSIGN(source.m_file, openRegularFile(path, Links::followed));
        struct stat status
        {
        };
        if (::fstat(source.m_file.get(), &status) != 0)
            return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
        source.m_size = static_cast<std::uint64_t>(status.st_size);
        return source;
    }

    std::uint64_t size() const { return m_size; }

    Result<std::string> read(std::uint64_t offset, std::size_t size) const
    {
        if (m_file.get() < 0)
            return std::string(m_bytes.substr(offset, size));
        std::string piece(size, '\0');
        const ssize_t n = ::pread(m_file.get(), piece.data(), size, static_cast<off_t>(offset));
        if (n < 0)
            return tl::unexpected(systemError(Words::noop("cannot read"), m_path, errno));
        if (n == 0)
            return fail(ErrorCode::io, Words::tr("{} became shorter while it was sent.", m_path.string()),
                        Words::tr("Try again."));
        piece.resize(static_cast<std::size_t>(n));
        return piece;
    }

    Result<std::string> sha256() const
    {
        return m_file.get() < 0 ? Result<std::string>(sha256Of(m_bytes)) : sha256OfFile(m_path);
    }

private:
    std::string_view m_bytes;
    fs::path m_path;
    Descriptor m_file;
    std::uint64_t m_size = 0;
};

/// Returns whether zstd saves a tenth of its beginning, or more; else it only costs time.
Result<bool> shrinks(const Source& source)
{
    constexpr std::size_t kSampleBytes = 512u << 10;
    const std::size_t size = std::min<std::uint64_t>(kSampleBytes, source.size());
    if (size == 0)
        return false;
    TRY_ASSIGN(const std::string piece, source.read(0, size));
    TRY_ASSIGN(const std::string packed, Compressor(Codec::zstd).add(piece, true));
    return packed.size() < piece.size() / 10 * 9;
}

class Sender : public Part
{
public:
    Sender(const Source& source, Range range, Codec codec, std::unique_ptr<Channel> channel, std::string doing)
        : Part(range, std::move(channel), std::move(doing))
        , m_source(source)
        , m_compressor(codec)
    {
    }

    Result<bool> turn() override
    {
        bool moved = false;
        if (!m_inputEnded) {
            TRY_ASSIGN(moved, push());
        }
        TRY(channel().read(kPieceBytes)); // only what a login shell prints
        if (channel().atEnd())
            TRY(finish());
        return moved || isDone();
    }

    bool wantsToWrite() const override { return !m_inputEnded; }

private:
    /// A command that reads no more says why at its end.
    Result<bool> push()
    {
        if (m_pending.empty() && !m_allTaken)
            TRY(fill());
        const auto taken = m_pending.empty() ? Result<std::size_t>(0) : channel().write(m_pending);
        m_pending.erase(0, taken.value_or(0));
        m_inputEnded = !taken || (m_pending.empty() && m_allTaken);
        if (m_inputEnded)
            channel().endInput();
        return taken && (*taken > 0 || m_inputEnded);
    }

    Result<void> fill()
    {
        std::string piece;
        if (m_at < m_range.end) {
            TRY_ASSIGN(piece, m_source.read(m_at, std::min<std::uint64_t>(kPieceBytes, m_range.end - m_at)));
        }
        m_at += piece.size();
        m_allTaken = m_at == m_range.end;
        TRY_ASSIGN(m_pending, m_compressor.add(std::move(piece), m_allTaken));
        return {};
    }

    const Source& m_source;
    Compressor m_compressor;
    std::string m_pending;
    bool m_allTaken = false; ///< everything of the range is in m_pending or behind it
    bool m_inputEnded = false;
};

Result<std::vector<std::unique_ptr<Channel>>> startPieces(Host& host, const std::string& temporary,
                                                          const std::vector<Range>& ranges, const std::string& codec)
{
    std::vector<CommandLine> commands;
    for (const Range& range : ranges)
        commands.push_back(
            {{"sh", "-c", kPieceScript, "sh", temporary, std::to_string(range.begin / kBlockBytes), codec}});
    return host.startAll(commands);
}

Result<void> settle(RemoteHelper& helper, const std::string& hash, std::uint64_t size, const std::string& doing,
                    const std::stop_token& stop)
{
    TRY(helper.writeLine("sent " + hash));
    TRY_ASSIGN(const std::string verdict, helper.readLine(verifyLimit(size), stop));
    if (verdict == "stored")
        return {};
    return fail(ErrorCode::damaged,
                Words::tr("{}: what arrived is not what was sent ({}; expected {}).", doing, verdict, hash),
                Words::tr("Try again. If it happens again, the site has no sha256sum, or its disk is damaged."));
}

Result<void> send(Host& host, const Source& source, const std::string& target, const TransferOptions& options)
{
    const std::string doing = fmt::format("Copying {} to {}", target, host.name());
    const std::string temporary = target + ".part-" + randomUuid();
    auto hash = std::async(std::launch::async, [&] { return source.sha256(); });
    TRY_ASSIGN(RemoteHelper helper,
               RemoteHelper::start(host, kReceiveScript, {target, temporary, fmt::format("{:o}", options.mode)}));
    TRY_ASSIGN(const std::string ready, helper.readLine(kSilenceLimit, options.stop));
    TRY_ASSIGN(const bool isWorthIt, shrinks(source));
    const Codec codec = options.compress && isWorthIt && ready == "ready zstd" ? Codec::zstd : Codec::plain;
    const auto ranges = cut(source.size(), channelsFor(host, options));
    TRY_ASSIGN(auto channels, startPieces(host, temporary, ranges, codec == Codec::zstd ? "zstd" : "plain"));
    std::vector<std::unique_ptr<Part>> parts;
    for (std::size_t i = 0; i < ranges.size(); ++i)
        parts.push_back(std::make_unique<Sender>(source, ranges[i], codec, std::move(channels[i]), doing));
    TRY(drive(parts, helper, source.size(), options));
    TRY_ASSIGN(const std::string expected, hash.get());
    TRY(settle(helper, expected, source.size(), doing, options.stop));
    return {};
}

} // namespace

} // namespace transfer

Result<void> upload(Host& host, std::string_view bytes, const std::string& target, const TransferOptions& options)
{
    return transfer::send(host, transfer::Source(bytes), target, options);
}

Result<void> uploadFile(Host& host, const fs::path& local, const std::string& target, const TransferOptions& options)
{
    TRY_ASSIGN(const transfer::Source source, transfer::Source::open(local));
    return transfer::send(host, source, target, options);
}

} // namespace ringside
