// SPDX-License-Identifier: MIT
#include "agent/runner/folderclaim.h"

#include "agent/runner/lease.h"
#include "core/protocol/layout.h"

#include <cerrno>
#include <condition_variable>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace ringside::runner {

namespace {

constexpr std::chrono::seconds kSign{10};

/// True of a lease without a sign of life for long before that time.
bool isSilent(const fs::path& lease, fs::file_time_type now)
{
    std::error_code problem;
    const auto sign = fs::last_write_time(ownerFile(lease), problem);
    return problem || now - sign > kUnseenHolder;
}

/// The time of the file system's own clock, since a folder was just made there to claim a lease.
fs::file_time_type timeAt(const fs::path& leases)
{
    std::error_code problem;
    const auto time = fs::last_write_time(leases, problem);
    return problem ? fs::file_time_type::clock::now() : time;
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
    explicit Holder(fs::path lease, fs::path next)
        : m_lease(std::move(lease))
        , m_next(std::move(next))
        , m_thread([this](const std::stop_token& ending) { giveSigns(ending); })
    {
    }

    ~Holder()
    {
        m_thread.request_stop();
        m_thread.join();
        if (!isSucceeded())
            releaseLease(m_lease);
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
        while (!m_ending.wait_for(lock, ending, kSign, [&] { return ending.stop_requested(); }) && !isSucceeded())
            ::utimensat(AT_FDCWD, ownerFile(m_lease).c_str(), nullptr, 0); // by the server's clock, where there is one
    }

    fs::path m_lease, m_next;
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
    const fs::path leases = leasesOf(folder);
    TRY(makePrivateFolder(leases));
    TRY_ASSIGN(const LeaseOwner self, thisOwner());
    const auto claimed =
        claimLease(leases, self, [&](const fs::path& lease) { return isSilent(lease, timeAt(leases)); });
    if (!claimed && claimed.error().code == ErrorCode::busy)
        return tl::unexpected(inUse(folder, leases));
    TRY_ASSIGN(const int number, claimed);
    FolderClaim claim(
        std::make_unique<Holder>(layout::leaseFolder(leases, number), layout::leaseFolder(leases, number + 1)));
    // Another process may have removed it meanwhile, and a third one made it anew.
    if (::lstat(folder.c_str(), &now) != 0 || now.st_ino != before.st_ino || now.st_dev != before.st_dev)
        return refuse(folder, ENOENT);
    return claim;
}

bool FolderClaim::isTaken(const fs::path& folder)
{
    const auto latest = latestLease(leasesOf(folder));
    const auto self = thisOwner();
    if (!latest || !self)
        return true;
    const Life life = *latest ? lifeOf((*latest)->owner, *self) : Life::dead;
    return life == Life::alive ||
           (life == Life::unknown && !isSilent((*latest)->folder, fs::file_time_type::clock::now()));
}

fs::path FolderClaim::leasesOf(const fs::path& folder)
{
    return folder.parent_path() / ("." + folder.filename().string() + ".leases");
}

} // namespace ringside::runner
