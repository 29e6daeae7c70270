// SPDX-License-Identifier: MIT
#include "agent/builder/buildclaim.h"

#include "agent/runner/lease.h"
#include "core/base/ids.h"
#include "core/protocol/layout.h"

#include <fstream>
#include <thread>

namespace ringside::builder {

namespace {

constexpr std::chrono::seconds kLook{1};
constexpr std::int64_t kUnseenNs = 600'000'000'000;
constexpr const char* kScratchBegin = "build-";

fs::path failureFile(const fs::path& worker)
{
    return worker / "failure";
}

/// The holder's latest line, and since when (of our clock) it has stood there.
class Watched
{
public:
    explicit Watched(const fs::path& worker)
        : m_worker(worker)
        , m_failedBefore(modifiedNs(failureFile(worker)))
    {
    }

    Progress look(const runner::LeaseOwner& owner)
    {
        const std::string line = readFile(layout::buildProgress(m_worker), 64u << 10).value_or("");
        if (line != m_line || m_sinceNs == 0) {
            m_line = line;
            m_sinceNs = monotonicNs();
        }
        const auto theirs = progressOf(m_line);
        return {"wait", theirs ? theirs->percent : 0,
                fmt::format("Process {} on {} builds this worker already{}{}", owner.process.pid, owner.process.host,
                            theirs ? ": " : "", theirs ? theirs->text : "")};
    }

    std::int64_t silentNs() const { return m_sinceNs == 0 ? 0 : monotonicNs() - m_sinceNs; }

    /// The error of a builder that failed since we began to wait.
    std::optional<Error> failure() const
    {
        const fs::path file = failureFile(m_worker);
        if (m_sinceNs == 0 || modifiedNs(file) == m_failedBefore)
            return std::nullopt;
        return errorFromJson(readFile(file, 1u << 20).value_or(""));
    }

private:
    fs::path m_worker;
    std::int64_t m_failedBefore;
    std::string m_line;
    std::int64_t m_sinceNs = 0;
};

/// Removes the leftovers of dead builders.
void clearScratch(const fs::path& worker)
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(worker, ignored))
        if (entry.path().filename().string().starts_with(kScratchBegin))
            fs::remove_all(entry.path(), ignored);
}

Error waitedTooLong(const fs::path& worker)
{
    return {ErrorCode::timeout, fmt::format("Another builder has not finished {} in time.", worker.string()),
            "Look at its build.log, and try again later."};
}

} // namespace

Result<std::optional<BuildClaim>> BuildClaim::wait(const fs::path& worker, const std::function<bool()>& isFinished,
                                                   const Deadline& deadline, const Report& report)
{
    TRY(makePrivateFolder(worker));
    TRY_ASSIGN(const runner::LeaseOwner self, runner::thisOwner());
    for (Watched watched(worker); deadline.leftNs() > 0; std::this_thread::sleep_for(kLook)) {
        if (isFinished())
            return std::optional<BuildClaim>();
        if (const auto failed = watched.failure())
            return tl::unexpected(*failed);
        const auto lease = runner::claimLease(worker, self);
        if (!lease && lease.error().code != ErrorCode::busy)
            return tl::unexpected(lease.error());
        if (lease)
            clearScratch(worker);
        const auto owner = lease ? std::nullopt : runner::latestOwner(worker).value_or(std::nullopt);
        if (owner)
            report(watched.look(*owner));
        const bool unseen = owner && lifeOf(*owner, self) == runner::Life::unknown && watched.silentNs() > kUnseenNs;
        if (!lease && !unseen)
            continue;
        BuildClaim claim(worker, lease ? layout::leaseFolder(worker, *lease) : fs::path());
        if (isFinished()) // by another builder that ended between our look and our claim
            return std::optional<BuildClaim>();
        if (const auto failed = watched.failure())
            return tl::unexpected(*failed);
        TRY(claim.makeScratch());
        return std::optional<BuildClaim>(std::move(claim));
    }
    return tl::unexpected(waitedTooLong(worker));
}

Result<void> BuildClaim::makeScratch()
{
    m_scratch = m_worker / ((m_lease.empty() ? "alone-" : kScratchBegin) + randomUuid().substr(0, 8));
    return makePrivateFolder(m_scratch);
}

BuildClaim::~BuildClaim()
{
    std::error_code ignored;
    if (!m_scratch.empty())
        fs::remove_all(m_scratch, ignored);
    if (!m_lease.empty())
        runner::releaseLease(m_lease);
}

/// Written in place: waiting processes only display it, and no decision depends on it.
void BuildClaim::note(const Progress& progress) const
{
    std::ofstream(layout::buildProgress(m_worker), std::ios::trunc) << lineOf(progress);
}

void BuildClaim::noteFailure(const Error& error) const
{
    (void)writeFileAtomically(failureFile(m_worker), errorToJson(error)); // who does not see it builds again
}

} // namespace ringside::builder
