// SPDX-License-Identifier: MIT
#include "agent/runner/folderclaim.h"

#include "agent/runner/lease.h"
#include "core/base/descriptor.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace ringside::runner {

namespace {

constexpr std::chrono::seconds kSign{10};

/// True of a lease without a sign of life for long before that time. One of the future, from before a clock was set
/// back, would count for as long.
bool isSilent(const fs::path& lease, fs::file_time_type now)
{
    std::error_code problem;
    const auto sign = fs::last_write_time(ownerFile(lease), problem);
    const auto latest = std::max(now, fs::file_time_type::clock::now()); // `now` may be some time ago
    return problem || now - sign > kUnseenHolder || sign - latest > kUnseenHolder;
}

/// The time of the file system's own clock, since a folder was just made there to claim a lease.
fs::file_time_type timeAt(const fs::path& leases)
{
    std::error_code problem;
    const auto time = fs::last_write_time(leases, problem);
    return problem ? fs::file_time_type::clock::now() : time;
}

/// This process without its job. The scheduler may call that one over while a shell goes on with its number, or alive
/// although the process has died.
Result<LeaseOwner> thisProcess()
{
    LeaseOwner owner;
    TRY_ASSIGN(owner.process, identify(::getpid()));
    return owner;
}

/// Looks without a claim of its own, which a full disk would prevent; so it has the time of this host only.
Result<void> mustBeUnclaimed(const fs::path& leases, const LeaseOwner& self)
{
    return mustBeFree(leases, self,
                      [](const fs::path& lease) { return isSilent(lease, fs::file_time_type::clock::now()); });
}

/// The lock by which earlier versions claim the folder; nullopt if one of them holds it. It is empty where there is no
/// such lock to hold: none of them was used, or the file system has no locks.
std::optional<Descriptor> lockOfEarlierVersions(const fs::path& folder)
{
    const fs::path path = folder.parent_path() / ("." + folder.filename().string() + ".lock");
    Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return std::nullopt;
    return file;
}

tl::unexpected<Error> refuse(const fs::path& folder, int reason)
{
    return tl::unexpected(systemError("cannot use the folder", folder, reason));
}

Error inUse(const fs::path& folder, const fs::path& leases)
{
    const auto owner = latestOwner(leases).value_or(std::nullopt);
    const std::string who =
        owner ? fmt::format("Process {} on {}", owner->process.pid, owner->process.host) : "Another process";
    return {ErrorCode::busy, fmt::format("{} is changing {}.", who, folder.string()), "Try again once it has ended."};
}

} // namespace

class FolderClaim::Holder
{
public:
    Holder(const fs::path& leases, int number, LeaseOwner self, Descriptor earlierLock)
        : m_lease(layout::leaseFolder(leases, number))
        , m_next(layout::leaseFolder(leases, number + 1))
        , m_self(std::move(self))
        , m_earlierLock(std::move(earlierLock))
        , m_thread([this](const std::stop_token& ending) { giveSigns(ending); })
    {
    }

    ~Holder()
    {
        m_thread.request_stop();
        m_thread.join();
        if (isHeld())
            releaseLease(m_lease, m_next);
    }

    /// The lease may have been removed, too, and its name be another's now.
    bool isHeld() const
    {
        const auto owner = readOwner(m_lease);
        const bool isLost = owner ? *owner != m_self : owner.error().code == ErrorCode::notFound;
        return !isLost && !isSucceeded();
    }

private:
    /// By a process that took this one for gone. The lease stays, so that the successor's is still the latest.
    bool isSucceeded() const
    {
        std::error_code ignored;
        return fs::exists(m_next, ignored);
    }

    void giveSigns(const std::stop_token& ending)
    {
        std::unique_lock lock(m_mutex);
        while (!m_ending.wait_for(lock, ending, kSign, [&] { return ending.stop_requested(); }) && isHeld())
            ::utimensat(AT_FDCWD, ownerFile(m_lease).c_str(), nullptr, 0); // by the server's clock, where there is one
    }

    fs::path m_lease, m_next;
    LeaseOwner m_self;
    Descriptor m_earlierLock;
    std::mutex m_mutex;
    std::condition_variable_any m_ending;
    std::jthread m_thread;
};

FolderClaim::FolderClaim(std::unique_ptr<Holder> holder)
    : m_holder(std::move(holder))
{
}
FolderClaim::FolderClaim(FolderClaim&&) noexcept = default;
FolderClaim& FolderClaim::operator=(FolderClaim&&) noexcept = default;
FolderClaim::~FolderClaim() = default;

Result<FolderClaim> FolderClaim::take(const fs::path& folder)
{
    struct stat before, now;
    if (::lstat(folder.c_str(), &before) != 0)
        return refuse(folder, errno);
    if (!S_ISDIR(before.st_mode) || before.st_uid != ::geteuid())
        return refuse(folder, EACCES);
    TRY_ASSIGN(FolderClaim claim, takeLeases(folder));
    // Another process may have removed it meanwhile, and a third one made it anew.
    if (::lstat(folder.c_str(), &now) != 0 || now.st_ino != before.st_ino || now.st_dev != before.st_dev)
        return refuse(folder, ENOENT);
    return claim;
}

Result<FolderClaim> FolderClaim::takeLeases(const fs::path& folder)
{
    const fs::path leases = leasesOf(folder);
    TRY_ASSIGN(LeaseOwner self, thisProcess());
    auto earlierLock = lockOfEarlierVersions(folder);
    if (!earlierLock)
        return tl::unexpected(inUse(folder, leases));
    const auto claimed =
        mustBeUnclaimed(leases, self).and_then([&] { return makePrivateFolder(leases); }).and_then([&] {
            return claimLease(leases, self, [&](const fs::path& lease) { return isSilent(lease, timeAt(leases)); });
        });
    if (!claimed && claimed.error().code == ErrorCode::busy)
        return tl::unexpected(inUse(folder, leases));
    TRY_ASSIGN(const int number, claimed);
    FolderClaim claim(std::make_unique<Holder>(leases, number, std::move(self), std::move(*earlierLock)));
    if (!claim.isHeld()) // a lease behind a gap, which another process has just left
        return tl::unexpected(inUse(folder, leases));
    return claim;
}

bool FolderClaim::isTaken(const fs::path& folder)
{
    const auto self = thisProcess();
    return !self || !mustBeUnclaimed(leasesOf(folder), *self) || !lockOfEarlierVersions(folder);
}

bool FolderClaim::isHeld() const
{
    return m_holder->isHeld();
}

fs::path FolderClaim::leasesOf(const fs::path& folder)
{
    return folder.parent_path() / ("." + folder.filename().string() + ".leases");
}

} // namespace ringside::runner
