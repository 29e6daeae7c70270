// SPDX-License-Identifier: MIT
#include "agent/runner/lease.h"

#include "agent/runner/allocation.h"
#include "core/base/environment.h"
#include "core/base/ids.h"
#include "core/base/regularfile.h"
#include "core/base/text.h"
#include "core/protocol/layout.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace ringside::runner {

namespace {

constexpr int kOwnerFormat = 1;
constexpr std::uint64_t kMaxOwnerBytes = 64u << 10;
/// A campaign whose runner died this often has a cause that one more runner does not cure.
constexpr int kMaxLeases = 10'000;

Error busy(const LeaseOwner& owner, Life life)
{
    const auto& process = owner.process;
    if (life == Life::alive)
        return {ErrorCode::busy,
                fmt::format("Process {} on {} already carries out this campaign.", process.pid, process.host),
                "Nothing needs to be done: it continues by itself."};
    return {ErrorCode::busy,
            fmt::format("Process {} on {} may still carry out this campaign; from here that cannot be seen.",
                        process.pid, process.host),
            fmt::format("Start it on {}, or once that machine was restarted.", process.host)};
}

/// Also where that cannot be found out.
bool mayBeThere(const fs::path& path)
{
    std::error_code problem;
    return fs::status(path, problem).type() != fs::file_type::not_found;
}

/// True if the prepared folder became the lease, false if another owner has it.
Result<bool> renameToLease(const fs::path& prepared, const fs::path& lease)
{
    if (::rename(prepared.c_str(), lease.c_str()) == 0)
        return true;
    if (errno == EEXIST || errno == ENOTEMPTY)
        return false;
    return tl::unexpected(systemError("cannot claim", lease, errno));
}

/// Fails with busy unless the owner is dead, or counts as dead; also where the lease was released since it was seen.
/// An owner that cannot be read, since a later version wrote it, say, cannot be proven dead.
Result<void> mustBeOver(const fs::path& lease, const LeaseOwner& self, const IsOver& isOver)
{
    const auto read = readOwner(lease);
    if (!read && read.error().code == ErrorCode::notFound)
        return fail(ErrorCode::busy, fmt::format("Another process has just released {}.", lease.string()),
                    "Try again.");
    const Life life = read ? lifeOf(*read, self) : Life::unknown;
    if (life == Life::dead || (life == Life::unknown && isOver && isOver(lease)))
        return {};
    return tl::unexpected(read ? busy(*read, life) : read.error());
}

/// A login node has no job that names its cluster: its scheduler is asked. An older version noted none.
bool isOfThisCluster(const LeaseOwner& owner, const LeaseOwner& self)
{
    if (owner.cluster.empty() || owner.cluster == self.cluster)
        return true;
    return self.cluster.empty() && owner.cluster == clusterHere(schedulerOf(owner));
}

Result<int> claimAfterTheDead(const fs::path& campaign, const fs::path& prepared, const LeaseOwner& self,
                              const IsOver& isOver)
{
    for (int k = 1; k <= kMaxLeases; ++k) {
        const fs::path lease = layout::leaseFolder(campaign, k);
        TRY_ASSIGN(bool claimed, renameToLease(prepared, lease));
        if (!claimed && !mayBeThere(ownerFile(lease))) { // released just now
            TRY_ASSIGN(claimed, renameToLease(prepared, lease));
        }
        if (claimed)
            return k;
        TRY(mustBeOver(lease, self, isOver));
    }
    return fail(ErrorCode::damaged, fmt::format("{} holds too many leases.", campaign.string()));
}

} // namespace

Result<LeaseOwner> thisOwner()
{
    LeaseOwner owner;
    TRY_ASSIGN(owner.process, identify(::getpid()));
    owner.scheduler = thisScheduler();
    if (!owner.scheduler)
        return owner;
    const jobs::JobVariables& variables = owner.scheduler->variables();
    owner.job = environment(variables.job);
    if (const char* restarts = environment(variables.restarts))
        owner.restarts = std::atoi(restarts);
    if (const char* cluster = environment(variables.cluster))
        owner.cluster = cluster;
    return owner;
}

std::string ownerToJson(const LeaseOwner& owner)
{
    const auto& p = owner.process;
    nlohmann::json json{{"format", kOwnerFormat},
                        {"boot_id", p.bootId},
                        {"pid_namespace", p.pidNamespace},
                        {"host", p.host},
                        {"pid", p.pid},
                        {"start_ticks", p.startTicks},
                        {"job", owner.job},
                        {"restarts", owner.restarts},
                        {"cluster", owner.cluster}};
    if (owner.scheduler)
        json["scheduler"] = owner.scheduler->name();
    return json.dump();
}

Result<LeaseOwner> ownerFromJson(std::string_view text)
{
    const auto json = nlohmann::json::parse(text, nullptr, false);
    try {
        if (json.at("format").get<int>() > kOwnerFormat)
            return fail(ErrorCode::newerVersion, "The lease was written by a later version of Ringside.");
        const std::string scheduler = json.value("scheduler", "");
        LeaseOwner owner{
            {json.at("boot_id"), json.at("pid_namespace"), json.at("host"), json.at("pid"), json.at("start_ticks")},
            json.at("job"),
            json.at("restarts"),
            json.value("cluster", ""),
            jobs::schedulerNamed(scheduler)};
        if (!owner.scheduler && !scheduler.empty())
            return fail(ErrorCode::newerVersion,
                        fmt::format("The lease is of a job of “{}”, which is not known here.", plainText(scheduler)));
        return owner;
    } catch (const nlohmann::json::exception& problem) {
        return fail(ErrorCode::damaged, fmt::format("The lease's owner cannot be read: {}.", problem.what()));
    }
}

const jobs::Scheduler& schedulerOf(const LeaseOwner& owner)
{
    return owner.scheduler ? *owner.scheduler : *jobs::schedulers().front();
}

Life lifeOf(const LeaseOwner& owner, const LeaseOwner& self)
{
    if (owner.job.empty())
        return lifeOf(owner.process);
    if (!owner.cluster.empty() && !self.cluster.empty() && owner.cluster != self.cluster)
        return Life::unknown;
    if (owner.job == self.job)
        return owner.restarts < self.restarts ? Life::dead : lifeOf(owner.process);
    const Life life = lifeOfJob(schedulerOf(owner), owner.job);
    return life == Life::dead && !isOfThisCluster(owner, self) ? Life::unknown : life;
}

fs::path ownerFile(const fs::path& lease)
{
    return lease / "owner";
}

Result<LeaseOwner> readOwner(const fs::path& lease)
{
    TRY_ASSIGN(const std::string text, readRegularFile(ownerFile(lease), kMaxOwnerBytes));
    return ownerFromJson(text);
}

Result<int> claimLease(const fs::path& campaign, const LeaseOwner& self, const IsOver& isOver)
{
    const fs::path prepared = campaign / ("lease-new-" + randomUuid());
    TRY(makePrivateFolder(prepared));
    auto claimed = writeFileAtomically(ownerFile(prepared), ownerToJson(self)).and_then([&] {
        return claimAfterTheDead(campaign, prepared, self, isOver);
    });
    std::error_code ignored;
    fs::remove_all(prepared, ignored);
    return claimed;
}

Result<void> mustBeFree(const fs::path& campaign, const LeaseOwner& self, const IsOver& isOver)
{
    fs::path latest;
    for (int k = 1; k <= kMaxLeases && mayBeThere(ownerFile(layout::leaseFolder(campaign, k))); ++k)
        latest = layout::leaseFolder(campaign, k);
    return latest.empty() ? Result<void>() : mustBeOver(latest, self, isOver);
}

Result<std::optional<LeaseOwner>> latestOwner(const fs::path& campaign)
{
    std::optional<LeaseOwner> latest;
    for (int k = 1; k <= kMaxLeases; ++k) {
        auto owner = readOwner(layout::leaseFolder(campaign, k));
        if (!owner && owner.error().code == ErrorCode::notFound)
            return latest;
        TRY_ASSIGN(latest, std::move(owner));
    }
    return latest;
}

void releaseLease(const fs::path& lease, const fs::path& next)
{
    std::error_code ignored;
    const fs::path gone = lease.parent_path() / ("lease-gone-" + randomUuid());
    fs::rename(lease, gone, ignored);
    if (fs::exists(next, ignored))
        fs::rename(gone, lease, ignored);
    fs::remove_all(gone, ignored);
}

} // namespace ringside::runner
