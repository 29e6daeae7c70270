// SPDX-License-Identifier: MIT
#include "agent/worker/data/syntheticfiles.h"

#include "agent/worker/data/filelock.h"
#include "agent/worker/data/jpegencoder.h"
#include "agent/worker/data/newfile.h"
#include "core/base/ids.h"
#include "core/base/privatefolder.h"
#include "core/protocol/checksum.h"

#include <optional>

namespace ringside {

namespace {

constexpr const char* kMarker = ".complete"; ///< hidden, so that it is no picture
constexpr const char* kContent = "content ";
constexpr double kBytesPerPixel = 0.9; ///< upper bound of a picture's size at quality 90

std::string setName(const SyntheticFilesSpec& spec)
{
    return spec.pictures == 1000 ? "synthetic-files-v1" : fmt::format("synthetic-files-v1-{}", spec.pictures);
}

/// The marker's text about names and sizes, so that a lost or cut file is seen.
std::string summary(const PictureSet& set)
{
    return fmt::format("{} files, {} bytes, names and sizes {}, ", set.pictures.size(), set.bytes(), set.checksum());
}

/// The set, if it is there and whole.
std::optional<SyntheticFiles> wholeSet(const fs::path& folder)
{
    const auto marker = readFile(folder / kMarker, 4096);
    auto set = scanPictures(folder);
    if (!marker || !set || !marker->starts_with(summary(*set) + kContent))
        return std::nullopt;
    std::string checksum = marker->substr(marker->size() - 8);
    return SyntheticFiles{std::move(*set), std::move(checksum)};
}

Result<void> writePictures(const fs::path& folder, const SyntheticFilesSpec& spec)
{
    const PictureMaker maker(spec.seed, spec.classes);
    JpegEncoder encoder(spec.quality);
    YccPicture picture{spec.width, spec.height, {}};
    std::uint32_t content = 0;
    for (int label = 0; label < spec.classes; ++label)
        TRY(makePrivateFolder(folder / fmt::format("class-{:02}", label)));
    for (int i = 0; i < spec.pictures; ++i) {
        const int label = i % spec.classes;
        maker.make(std::uint64_t(i), label, picture);
        TRY_ASSIGN(const std::string_view bytes, encoder.encode(picture));
        TRY(writeNewFile(folder / fmt::format("class-{:02}/{:05}.jpg", label, i), bytes));
        content = crc32c(bytes, content);
        sayProgress("Writing the pictures of synthetic-files", std::size_t(i + 1), std::size_t(spec.pictures));
    }
    TRY_ASSIGN(const PictureSet set, scanPictures(folder));
    TRY(flushFileSystem(folder)); // so that after a crash the marker vouches for what is there, and for a cold cache
    return writeFileAtomically(folder / kMarker, fmt::format("{}{}{:08x}", summary(set), kContent, content));
}

/// Removes leftovers of killed writers. Only with the lock held.
void clearAway(const fs::path& target)
{
    const std::string prefix = target.filename().string() + ".partial-";
    std::error_code ignored; // leftovers cost space, nothing else
    for (fs::directory_iterator it(target.parent_path(), ignored), end; !ignored && it != end; it.increment(ignored))
        if (it->path().filename().native().starts_with(prefix))
            fs::remove_all(it->path(), ignored);
    fs::remove_all(target, ignored);
}

Result<void> writeSet(const fs::path& target, const SyntheticFilesSpec& spec)
{
    const auto needed = std::uintmax_t(spec.pictures * kBytesPerPixel * spec.width * spec.height);
    TRY(checkSpace(target.parent_path(), needed, "the pictures of synthetic-files"));
    const PrivateFolder begun(target.string() + ".partial-" + randomUuid().substr(0, 8));
    TRY(begun.make());
    TRY(writePictures(begun.path(), spec));
    std::error_code error;
    fs::rename(begun.path(), target, error);
    if (error && !wholeSet(target)) // else another one was first
        return tl::unexpected(systemError("Cannot write", target, error.value()));
    return {};
}

} // namespace

Result<SyntheticFiles> openSyntheticFiles(const fs::path& dataFolder, const SyntheticFilesSpec& spec)
{
    const fs::path target = dataFolder / setName(spec);
    if (auto files = wholeSet(target))
        return std::move(*files);
    TRY(makePrivateFolder(dataFolder));
    TRY_ASSIGN(const FileLock lock, FileLock::acquire(dataFolder / fmt::format(".{}.lock", setName(spec)), spec.limit,
                                                      "Waiting for another process that writes the pictures."));
    if (auto files = wholeSet(target))
        return std::move(*files);
    if (lock.isHeld())
        clearAway(target);
    TRY(writeSet(target, spec));
    if (auto files = wholeSet(target))
        return std::move(*files);
    return fail(ErrorCode::io, fmt::format("{} changed while it was written.", target.string()), "Try again.");
}

} // namespace ringside
