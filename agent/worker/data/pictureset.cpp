// SPDX-License-Identifier: MIT
#include "agent/worker/data/pictureset.h"

#include "core/base/text.h"
#include "core/protocol/checksum.h"

#include <algorithm>
#include <numeric>

namespace ringside {

namespace {

bool isJpegName(const fs::path& name)
{
    const std::string extension = lowerCase(name.extension().string());
    return extension == ".jpg" || extension == ".jpeg";
}

struct Entries
{
    std::vector<fs::path> folders;
    std::vector<Picture> files; ///< names without a folder
};

void sortIn(Entries& entries, const fs::directory_entry& entry)
{
    const fs::path name = entry.path().filename();
    std::error_code error;
    if (name.native().starts_with('.'))
        return;
    if (entry.is_directory(error)) {
        entries.folders.push_back(name);
    } else if (isJpegName(name)) {
        const std::uintmax_t bytes = entry.file_size(error);
        entries.files.push_back({name.string(), 0, error ? 0 : bytes, 0}); // unreadable ones are met and counted as bad
    }
}

Result<Entries> entriesOf(const fs::path& folder)
{
    std::error_code error;
    Entries entries;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        sortIn(entries, *it);
    if (error)
        return tl::unexpected(systemError("Cannot read the picture folder", folder, error.value()));
    std::sort(entries.folders.begin(), entries.folders.end());
    std::sort(entries.files.begin(), entries.files.end(),
              [](const Picture& a, const Picture& b) { return a.name < b.name; });
    return entries;
}

void addClass(PictureSet& set, const std::string& prefix, std::vector<Picture>&& files)
{
    if (files.empty())
        return;
    for (Picture& file : files)
        set.pictures.push_back({prefix + file.name, set.classes, file.bytes, 0});
    ++set.classes;
}

} // namespace

std::uint64_t PictureSet::bytes() const
{
    return std::accumulate(pictures.begin(), pictures.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Picture& picture) { return sum + picture.bytes; });
}

std::string PictureSet::checksum() const
{
    std::uint32_t sum = 0;
    for (const Picture& picture : pictures)
        sum = crc32c(fmt::format("{}\n{}\n", picture.name, picture.bytes), sum);
    return fmt::format("{:08x}", sum);
}

Result<std::span<const std::uint8_t>> PictureSet::read(std::size_t i, FileReader& reader) const
{
    return packed ? reader.readPart(*packed, pictures[i].offset, pictures[i].bytes) : reader.read(pathOf(i));
}

Result<PictureSet> scanPictures(const fs::path& folder)
{
    TRY_ASSIGN(Entries top, entriesOf(folder));
    PictureSet set{folder, {}, 0, nullptr, nullptr};
    for (const fs::path& name : top.folders) {
        TRY_ASSIGN(Entries entries, entriesOf(folder / name));
        addClass(set, name.string() + "/", std::move(entries.files));
    }
    if (set.pictures.empty())
        addClass(set, "", std::move(top.files));
    if (set.pictures.empty())
        return fail(ErrorCode::notFound, fmt::format("There are no JPEG files in {}.", folder.string()),
                    "Choose a folder that holds one folder of .jpg or .jpeg files per class, or such files itself.");
    return set;
}

} // namespace ringside
