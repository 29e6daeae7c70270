// SPDX-License-Identifier: MIT
#include "agent/builder/resources.h"

#include "core/base/controlgroup.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <sched.h>
#include <sstream>
#include <sys/statvfs.h>
#include <unistd.h>

namespace ringside::builder {

namespace {

constexpr int kAnyNumber = 1 << 20;

/// "200000 100000": microseconds in each period.
int groupCores()
{
    const fs::path group = controlGroup(kUnified);
    if (group.empty())
        return kAnyNumber;
    std::istringstream text(readFile(group / "cpu.max", 4096).value_or("max 1"));
    double quota = 0;
    double period = 0;
    return text >> quota >> period && period > 0 ? std::max(1, static_cast<int>(quota / period)) : kAnyNumber;
}

} // namespace

int jobsFor(int cores, std::uint64_t freeBytes)
{
    const auto byMemory = static_cast<int>(std::min<std::uint64_t>(freeBytes / kBytesPerJob, kMaxJobs));
    return std::clamp(std::min(cores, byMemory), 1, kMaxJobs);
}

int usableCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
    const int cores = known ? CPU_COUNT(&set) : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    return std::min(cores, groupCores());
}

Result<void> checkSpace(const fs::path& folder, std::uint64_t bytes, const std::string& what, const std::string& hint)
{
    struct statvfs info;
    if (::statvfs(folder.c_str(), &info) != 0)
        return tl::unexpected(systemError("cannot look at", folder, errno));
    const std::uint64_t there = std::uint64_t{info.f_bavail} * info.f_frsize;
    if (there < bytes)
        return fail(ErrorCode::noSpace,
                    fmt::format("{} needs {} in {}, which has {} of free space.", what, humanBytes(bytes),
                                folder.string(), humanBytes(there)),
                    hint);
    return {};
}

} // namespace ringside::builder
