// SPDX-License-Identifier: MIT
#include "core/base/filesystem.h"

#include "core/base/words.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <linux/magic.h>
#include <sstream>
#include <sys/statfs.h>

namespace ringside {

namespace {

// f_type values of statfs(2); linux/magic.h has only some of them.
constexpr std::uint64_t kFuse = 0x65735546, kRamfs = 0x858458F6;
constexpr std::pair<std::uint64_t, const char*> kNetworkTypes[] = {
    {0x6969, "NFS"},        {0x517B, "SMB"},       {0xFF534D42, "CIFS"},    {0xFE534D42, "SMB2"}, {0x47504653, "GPFS"},
    {0x0BD00BD0, "Lustre"}, {0x01021997, "9p"},    {0x5346414F, "AFS"},     {0x6B414653, "AFS"},  {0x00C36400, "Ceph"},
    {0x19830326, "BeeGFS"}, {0x013111A8, "IBRIX"}, {0x7461636F, "OCFS2"},   {0x01161970, "GFS2"}, {0x73757245, "Coda"},
    {0x564C, "NCP"},        {0xAAD7AAEA, "PanFS"}, {0x20030528, "OrangeFS"}};
constexpr std::array kNetworkFuse = {"sshfs",   "s3fs",  "rclone",    "glusterfs", "ceph",       "ceph-fuse",
                                     "gcsfuse", "davfs", "curlftpfs", "smbnetfs",  "gvfsd-fuse", "juicefs",
                                     "cvmfs2",  "mfs",   "lizardfs",  "dcvfs"};

/// Its name; empty for what lies on a disk.
std::string inMemory(std::uint64_t statfsType)
{
    return statfsType == TMPFS_MAGIC ? "tmpfs" : statfsType == kRamfs ? "ramfs" : "";
}

bool contains(const fs::path& folder, const fs::path& path)
{
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

// Fields: id parent major:minor root mountpoint options … - type source options
bool readMount(const std::string& line, fs::path& point, std::string& type)
{
    std::istringstream fields(line);
    std::string skipped, text;
    fields >> skipped >> skipped >> skipped >> skipped >> text;
    while (fields >> skipped && skipped != "-") {
    }
    point = text == "/" ? fs::path("/") : fs::path(text);
    return static_cast<bool>(fields >> type);
}

} // namespace

std::optional<std::string> networkFileSystem(std::uint64_t statfsType)
{
    // f_type is signed on some architectures: compare the low 32 bits.
    const auto found =
        std::ranges::find(kNetworkTypes, statfsType & 0xFFFFFFFFu, &std::pair<std::uint64_t, const char*>::first);
    return found == std::end(kNetworkTypes) ? std::nullopt : std::optional<std::string>(found->second);
}

std::optional<std::string> networkFileSystem(std::string_view mountType)
{
    constexpr std::string_view kPrefix = "fuse.";
    if (!mountType.starts_with(kPrefix))
        return std::nullopt;
    const std::string_view name = mountType.substr(kPrefix.size());
    return std::ranges::find(kNetworkFuse, name) == kNetworkFuse.end() ? std::nullopt
                                                                       : std::optional(std::string(name));
}

std::string mountTypeOf(std::string_view mountInfo, const fs::path& path)
{
    std::istringstream lines{std::string(mountInfo)};
    std::size_t deepest = 0;
    std::string result, line, type;
    fs::path point;
    while (std::getline(lines, line)) {
        if (!readMount(line, point, type) || !contains(point, path))
            continue;
        const auto depth = static_cast<std::size_t>(std::distance(point.begin(), point.end()));
        if (depth >= deepest) { // of two at one place the later one covers the earlier
            deepest = depth;
            result = type;
        }
    }
    return result;
}

Result<FileSystem> fileSystemOf(const fs::path& folder)
{
    struct statfs info;
    if (::statfs(folder.c_str(), &info) != 0)
        return tl::unexpected(systemError(Words::noop("cannot use the folder"), folder, errno));
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    const auto type = static_cast<std::uint64_t>(info.f_type) & 0xFFFFFFFFu;
    const auto mounts = readFile("/proc/self/mountinfo");
    if (!mounts && type == kFuse) // which is either
        return tl::unexpected(mounts.error());
    const std::string mounted = mounts ? mountTypeOf(*mounts, error ? folder : real) : inMemory(type);
    return FileSystem{mounted, type == kFuse ? networkFileSystem(std::string_view(mounted)) : networkFileSystem(type)};
}

} // namespace ringside
