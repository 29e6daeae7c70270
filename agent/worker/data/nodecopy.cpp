// SPDX-License-Identifier: MIT
#include "agent/worker/data/nodecopy.h"

#include "agent/worker/data/filelock.h"
#include "agent/worker/data/newfile.h"
#include "agent/worker/data/records.h"
#include "core/base/clock.h"
#include "core/base/filesystem.h"
#include "core/base/say.h"
#include "core/base/text.h"
#include "core/protocol/nodefolder.h"

#include <cerrno>
#include <fstream>
#include <thread>

namespace ringside {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBlock = 4096;   ///< bytes; files occupy whole ones on a disk
constexpr std::size_t kPiece = 8u << 20; ///< bytes that are read at once from a large file
constexpr std::chrono::milliseconds kRetry{50};
constexpr const char* kProgress = "Copying the pictures to the node's disk";
constexpr const char* kHint = "Let TMPDIR name a folder on a disk of the node itself, or set storage to “shared”.";

Error withHint(Error error)
{
    error.hint = kHint;
    return error;
}

Result<FolderLock> lockMade(const fs::path& folder)
{
    TRY(makePrivateFolder(folder));
    TRY_ASSIGN(FolderLock lock, FolderLock::take(folder, FolderLock::Kind::shared));
    if (const fs::path mark = folder / kNodeFolderMark; !std::ofstream(mark))
        return tl::unexpected(systemError("Cannot write", mark, errno));
    return lock;
}

/// Made here or by another rank; a guard that removes an old one is waited for.
Result<FolderLock> claim(const fs::path& folder, Clock::time_point deadline)
{
    while (true) {
        auto lock = lockMade(folder);
        const bool comes = !lock && (lock.error().code == ErrorCode::busy || lock.error().code == ErrorCode::notFound);
        if (!comes || Clock::now() >= deadline)
            return lock;
        std::this_thread::sleep_for(kRetry);
    }
}

Result<void> checkDisk(const fs::path& base, bool cold)
{
    TRY_ASSIGN(const FileSystem disk, fileSystemOf(base).map_error(withHint));
    if (disk.network)
        return fail(
            ErrorCode::unavailable,
            fmt::format("Storage is “node-local”, and {} is a network folder ({}).", base.string(), *disk.network),
            kHint);
    if (cold && (disk.type == "tmpfs" || disk.type == "ramfs"))
        return fail(ErrorCode::unavailable,
                    fmt::format("Cache is “cold”, and {}, where the node's copy would be, is in memory ({}).",
                                base.string(), disk.type),
                    kHint);
    return {};
}

std::uint64_t bytesOnDisk(const PictureSet& set)
{
    if (set.packed)
        return set.packed->size();
    std::uint64_t bytes = 0;
    for (const Picture& picture : set.pictures)
        bytes += (picture.bytes + kBlock - 1) / kBlock * kBlock;
    return bytes;
}

Result<std::uint64_t> copyRecords(const OpenFile& from, const fs::path& to)
{
    TRY_ASSIGN(NewFile out, NewFile::create(to));
    std::vector<std::uint8_t> piece(kPiece);
    std::uint64_t done = 0;
    while (done < from.size()) {
        TRY_ASSIGN(const std::size_t n, from.read(piece, done));
        if (n == 0)
            return fail(ErrorCode::damaged, fmt::format("{} became shorter while it was copied.", from.path().string()),
                        "Try again.");
        TRY(out.append({reinterpret_cast<const char*>(piece.data()), n}));
        done += n;
    }
    TRY(out.close());
    return done;
}

/// False for errors of the disk, which may do better the next time: else ranks of two nodes would train on different
/// pictures.
bool isPictures(const Error& problem)
{
    return problem.code == ErrorCode::damaged || problem.code == ErrorCode::notFound ||
           problem.code == ErrorCode::permission;
}

Result<std::uint64_t> copyPictures(const PictureSet& set, const fs::path& to)
{
    FileReader reader(false);
    fs::path folder;
    std::uint64_t done = 0;
    std::size_t unreadable = 0;
    for (std::size_t i = 0; i < set.pictures.size(); ++i) {
        const fs::path file = to / set.pictures[i].name;
        if (file.parent_path() != folder)
            TRY(makePrivateFolder(folder = file.parent_path()));
        if (const auto bytes = reader.read(set.pathOf(i))) {
            TRY(writeNewFile(file, {reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
            done += bytes->size();
        } else if (isPictures(bytes.error())) {
            ++unreadable;
        } else {
            return tl::unexpected(bytes.error());
        }
        sayProgress(kProgress, i + 1, set.pictures.size());
    }
    if (unreadable > 0)
        say("Not copied, for they cannot be read: {} of {} pictures", unreadable, set.pictures.size());
    return done;
}

/// Returns how it went, for facts.
Result<std::string> copy(const PictureSet& set, const fs::path& to)
{
    const fs::path folder = to.parent_path();
    TRY(checkSpace(folder, bytesOnDisk(set), "the node's copy of the pictures").map_error(withHint));
    const std::int64_t beginNs = monotonicNs();
    TRY_ASSIGN(const std::uint64_t bytes, set.packed ? copyRecords(*set.packed, to) : copyPictures(set, to));
    TRY(flushFileSystem(folder));
    const auto seconds = static_cast<double>(monotonicNs() - beginNs) / 1e9;
    std::string how = fmt::format("{} in {:.1f} s", humanBytes(bytes), seconds);
    say("Copied the pictures to {}: {}", to.string(), how);
    return how;
}

/// By the first rank; the others read what it says.
Result<std::string> copyOnce(const PictureSet& set, const fs::path& to, Clock::time_point deadline)
{
    const auto limit = std::chrono::ceil<std::chrono::seconds>(deadline - Clock::now());
    const fs::path folder = to.parent_path();
    const fs::path marker = folder / "copied";
    TRY_ASSIGN(
        const FileLock lock,
        FileLock::acquire(folder / "lock", limit, "Waiting for another rank of this node that copies the pictures."));
    if (auto how = readFile(marker))
        return how;
    std::error_code ignored;
    fs::remove_all(to, ignored); // of a rank that was killed meanwhile
    TRY_ASSIGN(std::string how, copy(set, to));
    TRY(writeFileAtomically(marker, how));
    return how;
}

} // namespace

Result<NodeCopy> copyToNode(const PictureSet& set, const fs::path& folder, bool cold, std::chrono::seconds limit)
{
    TRY(checkDisk(folder.parent_path(), cold));
    const auto deadline = Clock::now() + limit;
    TRY_ASSIGN(FolderLock lock, claim(folder, deadline));
    const fs::path to = folder / "pictures";
    TRY_ASSIGN(std::string how, copyOnce(set, to, deadline));
    PictureSet copy = set;
    copy.folder = to;
    if (set.packed) {
        TRY_ASSIGN(copy, openRecords(to));
    }
    copy.kept = std::make_shared<const FolderLock>(std::move(lock));
    return NodeCopy{std::move(copy), std::move(how)};
}

} // namespace ringside
