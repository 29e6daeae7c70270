// SPDX-License-Identifier: MIT
#include "agent/worker/data/filelock.h"
#include "agent/worker/data/filereader.h"
#include "agent/worker/data/newfile.h"
#include "agent/worker/data/records.h"
#include "core/base/ids.h"
#include "core/protocol/bytes.h"
#include "core/protocol/checksum.h"

#include <algorithm>
#include <optional>

namespace ringside {

namespace {

Result<void> checkSizes(const PictureSet& set)
{
    for (const Picture& picture : set.pictures)
        if (picture.bytes > std::uint64_t(FileReader::kLargestFile) || picture.name.size() > UINT16_MAX)
            return fail(ErrorCode::damaged,
                        fmt::format("{} is too large to be packed.", (set.folder / picture.name).string()),
                        "Remove it from the folder, or read the pictures as single files.");
    return {};
}

void putPicture(std::string& index, const Picture& picture, std::uint64_t offset)
{
    putNumber(index, offset);
    putNumber(index, std::uint32_t(picture.bytes));
    putNumber(index, std::uint32_t(picture.label));
    putText(index, picture.name);
}

std::uint64_t indexBytes(const PictureSet& set)
{
    std::string entry;
    std::uint64_t bytes = 0;
    for (const Picture& picture : set.pictures) {
        entry.clear();
        putPicture(entry, picture, 0);
        bytes += entry.size();
    }
    return bytes;
}

/// Header and index.
std::string headOf(const PictureSet& set)
{
    const std::uint64_t dataBegin = kRecordsHeaderBytes + indexBytes(set);
    std::string index;
    std::uint64_t offset = dataBegin;
    for (const Picture& picture : set.pictures) {
        putPicture(index, picture, offset);
        offset += picture.bytes;
    }
    std::string head = "RINGRECS";
    putNumber(head, kRecordsFormat);
    putNumber(head, std::uint32_t(set.classes));
    putNumber(head, std::uint64_t(set.pictures.size()));
    putNumber(head, std::uint64_t(index.size()));
    putNumber(head, offset);
    putNumber(head, crc32c(index));
    putNumber(head, crc32c(head));
    return head + index;
}

Result<void> appendPicture(const PictureSet& set, const Picture& picture, FileReader& reader, NewFile& out)
{
    if (picture.bytes == 0) // stays a bad picture
        return {};
    const fs::path path = set.folder / picture.name;
    TRY_ASSIGN(const auto bytes, reader.read(path));
    if (bytes.size() != picture.bytes)
        return fail(ErrorCode::damaged, fmt::format("{} changed while it was packed.", path.string()), "Try again.");
    return out.append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<void> writeRecords(const PictureSet& set, const fs::path& path)
{
    TRY_ASSIGN(NewFile out, NewFile::create(path));
    TRY(out.append(headOf(set)));
    FileReader reader(false);
    for (std::size_t i = 0; i < set.pictures.size(); ++i) {
        TRY(appendPicture(set, set.pictures[i], reader, out));
        sayProgress("Packing the pictures into one file", i + 1, set.pictures.size());
    }
    TRY(out.flush());
    return out.close();
}

std::string partialPrefix(const fs::path& file)
{
    return file.filename().string() + ".partial-";
}

/// Removes leftovers of killed packers. Only with the lock held.
void clearAway(const fs::path& file)
{
    std::error_code ignored; // leftovers cost space, nothing else
    for (fs::directory_iterator it(file.parent_path(), ignored), end; !ignored && it != end; it.increment(ignored))
        if (it->path().filename().native().starts_with(partialPrefix(file)))
            fs::remove(it->path(), ignored);
}

bool isSame(const PictureSet& packed, const PictureSet& set)
{
    const auto equal = [](const Picture& a, const Picture& b) {
        return a.name == b.name && a.label == b.label && a.bytes == b.bytes;
    };
    return packed.classes == set.classes && std::ranges::equal(packed.pictures, set.pictures, equal);
}

/// The file's set, if it is that of the folder; nothing if there is none, or another.
Result<std::optional<PictureSet>> find(const PictureSet& set, const fs::path& file)
{
    std::error_code error;
    if (!fs::exists(file, error))
        return std::nullopt;
    TRY_ASSIGN(PictureSet packed, openRecords(file));
    if (!isSame(packed, set))
        return std::nullopt;
    return packed;
}

} // namespace

Result<void> packRecords(const PictureSet& set, const fs::path& file)
{
    TRY(checkSizes(set));
    TRY(checkSpace(file.parent_path(), set.bytes(), "the packed pictures"));
    const fs::path partial = file.parent_path() / (partialPrefix(file) + randomUuid().substr(0, 8));
    std::error_code error;
    const auto written = writeRecords(set, partial);
    if (written)
        fs::rename(partial, file, error);
    std::error_code ignored; // the next packer clears it away
    fs::remove(partial, ignored);
    if (error)
        return tl::unexpected(systemError("Cannot write", file, error.value()));
    return written;
}

Result<PictureSet> openPacked(const PictureSet& set, std::chrono::seconds limit)
{
    const fs::path file = recordsOf(set.folder);
    TRY_ASSIGN(auto packed, find(set, file));
    if (packed)
        return std::move(*packed);
    TRY_ASSIGN(const FileLock lock,
               FileLock::acquire(file.parent_path() / fmt::format(".{}.lock", file.filename().string()), limit,
                                 "Waiting for another process that packs the pictures."));
    TRY_ASSIGN(packed, find(set, file));
    if (packed)
        return std::move(*packed);
    if (lock.isHeld())
        clearAway(file);
    TRY(packRecords(set, file));
    TRY_ASSIGN(packed, find(set, file));
    if (packed)
        return std::move(*packed);
    return fail(ErrorCode::io, fmt::format("{} changed while it was written.", file.string()), "Try again.");
}

} // namespace ringside
