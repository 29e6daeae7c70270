// SPDX-License-Identifier: MIT
#include "core/remote/transfer/transfer.h"

#include "core/base/ids.h"
#include "core/base/sha256.h"
#include "core/base/words.h"
#include "core/remote/transfer/parts.h"

#include <algorithm>
#include <future>

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
digest() { openssl dgst -sha256 -r || sha256sum || shasum -a 256; } # in the order of their speed
case $word in
    size) actual=$(wc -c <"$temporary") && actual=$((actual)) ;;
    sha256) actual=$(digest <"$temporary" 2>/dev/null) && actual=${actual%% *} ;;
    *) exit 1 ;;
esac
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
[ "$2" = 0 ] || dd bs=1048576 seek="$2" count=0 2>/dev/null </dev/null || exit 1
[ "$3" = zstd ] || exec cat
exec zstd -dcq
)sh";

/// Returns whether zstd saves a tenth of its beginning, or more; else it only costs time.
Result<bool> shrinks(const OpenFile& source)
{
    constexpr std::size_t kSampleBytes = 512u << 10;
    const std::size_t size = std::min<std::uint64_t>(kSampleBytes, source.size());
    if (size == 0)
        return false;
    TRY_ASSIGN(const std::string piece, source.read(0, size));
    TRY_ASSIGN(const std::string packed, Compressor(Codec::zstd).add(piece, true));
    return packed.size() < piece.size() / 10 * 9;
}

Result<Codec> codecFor(const OpenFile& source, bool isZstdThere, bool mayCompress)
{
    if (!isZstdThere)
        return Codec::plain;
    TRY_ASSIGN(const bool isWorthIt, shrinks(source));
    return mayCompress && isWorthIt ? Codec::zstd : Codec::stored;
}

Result<std::vector<std::unique_ptr<Channel>>> startPieces(Host& host, const std::string& temporary,
                                                          const std::vector<Range>& ranges, Codec codec)
{
    const std::string decoder = codec == Codec::plain ? "plain" : "zstd";
    std::vector<CommandLine> commands;
    for (const Range& range : ranges)
        commands.push_back(
            {{"sh", "-c", kPieceScript, "sh", temporary, std::to_string(range.begin / kBlockBytes), decoder}});
    return host.startAll(commands);
}

/// zstd has checked each piece as it arrived, so that the size says that none is missing. Without it the file is read
/// again there.
Result<std::string> checkOf(const OpenFile& source, Codec codec)
{
    if (codec != Codec::plain)
        return fmt::format("size {}", source.size());
    TRY_ASSIGN(const std::string hash, sha256OfFile(source.path()));
    return "sha256 " + hash;
}

Result<void> settle(RemoteHelper& helper, const std::string& check, std::uint64_t size, const std::string& doing,
                    const std::stop_token& stop)
{
    TRY(helper.writeLine(check));
    TRY_ASSIGN(const std::string verdict, helper.readLine(verifyLimit(size), stop));
    if (verdict == "stored")
        return {};
    return fail(ErrorCode::damaged,
                Words::tr("{}: what arrived is not what was sent ({}; expected {}).", doing, verdict, check),
                Words::tr("Try again. If it happens again, the site has no sha256sum, or its disk is damaged."));
}

Result<void> send(Host& host, const OpenFile& source, const std::string& target, const TransferOptions& options)
{
    const std::string doing = fmt::format("Copying {} to {}", target, host.name());
    const std::string temporary = target + ".part-" + randomUuid();
    TRY_ASSIGN(RemoteHelper helper,
               RemoteHelper::start(host, kReceiveScript, {target, temporary, fmt::format("{:o}", options.mode)}));
    TRY_ASSIGN(const std::string ready, helper.readLine(kSilenceLimit, options.stop));
    TRY_ASSIGN(const Codec codec, codecFor(source, ready == "ready zstd", options.compress));
    auto check = std::async(std::launch::async, [&, codec] { return checkOf(source, codec); });
    const auto ranges = cut(source.size(), channelsFor(host, options));
    TRY_ASSIGN(auto channels, startPieces(host, temporary, ranges, codec));
    std::vector<std::unique_ptr<Part>> parts;
    for (std::size_t i = 0; i < ranges.size(); ++i)
        parts.push_back(std::make_unique<Part>(source, ranges[i], codec, std::move(channels[i]), doing));
    TRY(drive(parts, helper, source.size(), options));
    TRY_ASSIGN(const std::string expected, check.get());
    return settle(helper, expected, source.size(), doing, options.stop);
}

} // namespace

} // namespace transfer

Result<void> uploadFile(Host& host, const fs::path& local, const std::string& target, const TransferOptions& options)
{
    TRY_ASSIGN(const OpenFile source, OpenFile::open(local, Links::followed));
    return transfer::send(host, source, target, options);
}

} // namespace ringside
