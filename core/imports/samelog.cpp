// SPDX-License-Identifier: MIT
#include "core/imports/samelog.h"

#include "core/base/openfile.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <functional>
#include <map>

namespace ringside::imports {

namespace {

using store::ImportedContent;

constexpr std::size_t kPieceBytes = 64u << 10; // stays in the cache while it is hashed

/// The hash of a text as it would be with one kind of line ends.
class HashWithEnds
{
public:
    explicit HashWithEnds(std::string_view end)
        : m_end(end)
    {
    }

    void add(std::string_view bytes)
    {
        std::string converted;
        for (const char c : bytes) {
            if (m_isHeld && c != '\n')
                converted += '\r';
            m_isHeld = c == '\r'; // one line end with what may follow
            if (c == '\n')
                converted += m_end;
            else if (!m_isHeld)
                converted += c;
        }
        m_hash.add(converted);
    }

    /// Ends it.
    std::string hex()
    {
        if (m_isHeld)
            m_hash.add("\r");
        return m_hash.hex();
    }

private:
    std::string_view m_end;
    Sha256 m_hash;
    bool m_isHeld = false;
};

/// The hashes of what a text begins with, up to each of some lengths.
class HashesOfBeginnings
{
public:
    explicit HashesOfBeginnings(std::map<std::uint64_t, std::string> hashes)
        : m_hashes(std::move(hashes))
        , m_next(m_hashes.begin())
    {
    }

    void add(std::string_view bytes)
    {
        for (; m_next != m_hashes.end(); ++m_next) {
            const auto piece = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), m_next->first - m_bytes));
            m_hash.add(piece);
            m_bytes += piece.size();
            bytes.remove_prefix(piece.size());
            if (m_bytes < m_next->first)
                return;
            m_next->second = Sha256(m_hash).hex();
        }
    }

    bool isAmong(const ImportedContent& content) const
    {
        const auto found = m_hashes.find(content.bytes);
        return found != m_hashes.end() && found->second == content.sha256;
    }

private:
    std::map<std::uint64_t, std::string> m_hashes;
    std::map<std::uint64_t, std::string>::iterator m_next;
    std::uint64_t m_bytes = 0;
    Sha256 m_hash;
};

/// Each line has one end, which is a byte longer or shorter elsewhere.
bool mayDifferInEnds(const ReadFile& file, const ImportedContent& content)
{
    const std::uint64_t more = std::max(file.bytes, content.bytes), fewer = std::min(file.bytes, content.bytes);
    return more > fewer && more - fewer <= file.lines;
}

Result<void> forEachPiece(const fs::path& path, std::uint64_t bytes, const std::function<void(std::string_view)>& take)
{
    TRY_ASSIGN(const OpenFile file, OpenFile::open(path, Links::followed));
    for (std::uint64_t at = 0; at < bytes;) {
        TRY_ASSIGN(const std::string piece, file.read(at, std::min<std::uint64_t>(kPieceBytes, bytes - at)));
        if (piece.empty())
            return {}; // it has become shorter, and is nothing that it was
        take(piece);
        at += piece.size();
    }
    return {};
}

} // namespace

Result<std::optional<SameLog>> sameLog(const ReadFile& file, const std::vector<ImportedContent>& contents)
{
    std::map<std::uint64_t, std::string> lengths;
    std::uint64_t needed = 0;
    for (const ImportedContent& content : contents) {
        if (content.bytes < file.bytes)
            lengths[content.bytes];
        if (mayDifferInEnds(file, content))
            needed = file.bytes;
    }
    if (!lengths.empty())
        needed = std::max(needed, lengths.rbegin()->first);
    if (needed == 0)
        return std::nullopt;
    HashWithEnds ofUnix("\n"), ofWindows("\r\n");
    HashesOfBeginnings beginnings(std::move(lengths));
    const auto read = forEachPiece(file.file.path, needed, [&](std::string_view piece) {
        beginnings.add(piece);
        if (needed < file.bytes)
            return;
        ofUnix.add(piece);
        ofWindows.add(piece);
    });
    if (!read)
        return read.error().code == ErrorCode::notFound ? Result<std::optional<SameLog>>(std::nullopt)
                                                        : tl::unexpected(read.error());
    const std::string asUnix = ofUnix.hex(), asWindows = ofWindows.hex();
    std::optional<SameLog> same;
    for (const ImportedContent& content : contents) {
        if (content.sha256 == asUnix || content.sha256 == asWindows)
            return SameLog{content, false};
        if (beginnings.isAmong(content) && (!same || same->content.bytes < content.bytes))
            same = SameLog{content, true};
    }
    return same;
}

} // namespace ringside::imports
