// SPDX-License-Identifier: MIT
#include "agent/cleaner/stored.h"

#include "core/base/openfile.h"
#include "core/protocol/block.h"
#include "core/protocol/bytes.h"
#include "core/protocol/spool.h"

#include <cstring>

namespace ringside::cleaner {

namespace {

constexpr std::size_t kHeaderBytes = 66u << 10; // the limit of a header and its envelope

/// The id of a spool, and where its first block begins; nothing before its header is whole.
struct SpoolHead
{
    std::string fileId;
    std::uint64_t firstBlock = 0;
};

Result<std::optional<SpoolHead>> headOf(const OpenFile& file)
{
    TRY_ASSIGN(const std::string bytes, file.read(0, kHeaderBytes));
    SpoolReader reader;
    for (std::size_t i = 0; i < bytes.size() && !reader.header(); ++i)
        TRY(reader.feed(std::string_view(bytes).substr(i, 1), [](const Record&) {}));
    if (!reader.header())
        return std::optional<SpoolHead>();
    return std::optional(SpoolHead{reader.header()->file.str(), reader.offset()});
}

/// Returns where the last whole block ends of those from `border` on. Blocks are counted by their lengths; a reader
/// also checks what is in them.
Result<std::uint64_t> lastBorder(const OpenFile& file, std::uint64_t border)
{
    for (;;) {
        TRY_ASSIGN(const std::string header, file.read(border, kBlockHeaderBytes));
        std::uint32_t length = 0;
        if (header.size() == kBlockHeaderBytes)
            std::memcpy(&length, header.data(), sizeof length); // little-endian, as every machine of ours
        if (header.size() == kBlockHeaderBytes && (length == 0 || length > kMaxSpoolBlockBytes))
            return fail(ErrorCode::damaged, fmt::format("it is damaged at byte {}.", border));
        if (header.size() < kBlockHeaderBytes || border + kBlockHeaderBytes + length > file.size())
            return border;
        border += kBlockHeaderBytes + length;
    }
}

} // namespace

StoredFiles::StoredFiles(fs::path root, const std::vector<wire::Cursor>& stored)
    : m_root(std::move(root))
{
    for (const auto& cursor : stored)
        m_cursors[cursor.path] = cursor;
}

const wire::Cursor* StoredFiles::cursorOf(const fs::path& file) const
{
    const auto found = m_cursors.find(file.lexically_relative(m_root).string());
    return found == m_cursors.end() ? nullptr : &found->second;
}

Reason StoredFiles::missingBelow(const fs::path& folder) const
{
    std::error_code problem;
    for (fs::recursive_directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem))
        if (Reason missing = missingOf(entry->path()); !missing.empty())
            return missing;
    return problem && problem != std::errc::no_such_file_or_directory
               ? because(why::kNotRead, {{"said", problem.message()}})
               : Reason();
}

Reason StoredFiles::missingOf(const fs::path& file) const
{
    if (file.extension() == ".spool")
        return missingOfSpool(file);
    return file.filename() == "journal" ? missingOfJournal(file) : Reason();
}

Reason StoredFiles::missingOfSpool(const fs::path& file) const
{
    const std::string name = file.filename().string();
    const auto notChecked = [&](const Error& error) {
        return because(why::kNotChecked, {{"file", name}, {"said", error.message}});
    };
    const auto opened = OpenFile::open(file);
    if (!opened)
        return notChecked(opened.error());
    const auto head = headOf(*opened);
    if (!head)
        return notChecked(head.error());
    if (!*head)
        return {};
    const wire::Cursor* cursor = cursorOf(file);
    const bool isKnown = cursor && cursor->fileId == (*head)->fileId;
    const std::uint64_t storedBytes = isKnown ? cursor->offset : 0;
    const bool isAllStored = isKnown && storedBytes == opened->size(); // as nearly always: then no block is looked at
    const auto end = isAllStored ? opened->size() : lastBorder(*opened, (*head)->firstBlock);
    if (!end)
        return notChecked(end.error());
    if (storedBytes >= *end || *end == (*head)->firstBlock)
        return {};
    return because(why::kNotStored, {{"file", name},
                                     {"stored_bytes", static_cast<std::int64_t>(storedBytes)},
                                     {"bytes", static_cast<std::int64_t>(*end)}});
}

Reason StoredFiles::missingOfJournal(const fs::path& file) const
{
    const wire::Cursor* cursor = cursorOf(file);
    const std::uint64_t storedBytes = cursor ? cursor->offset : 0;
    const auto opened = OpenFile::open(file);
    const auto rest = opened.and_then([&](const OpenFile& open) {
        return open.read(storedBytes, 1u << 16); // a line has at most so much
    });
    if (!rest)
        return because(why::kNotChecked, {{"file", file.filename().string()}, {"said", rest.error().message}});
    return rest->find('\n') == std::string::npos ? Reason() : because(why::kJournalNotStored);
}

} // namespace ringside::cleaner
