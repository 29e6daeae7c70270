// SPDX-License-Identifier: MIT
// A rank by itself, and who is let in where ranks meet without MPI.
#include "agent/worker/collectives/backends.h"
#include "agent/worker/collectives/tcpstore.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"
#include "core/base/privatefolder.h"

#include <fmt/format.h>

namespace ringside {

namespace {

CheckResult ownGradients()
{
    const auto alone = makeSingleCommunicator();
    const auto plan = planOf(Collective::allreduce, Grouping::buckets, Schedule::overlapped);
    const auto found = PlanGradients(*alone).aggregate(plan, 2);
    if (!found)
        return failed(found.error());
    return passedIf(
        found->worstError <= kExactTolerance,
        fmt::format("off by {:.1e} from those without a plan, at most {:.0e}", found->worstError, kExactTolerance));
}

/// The file of a meeting, with another secret in its first line.
Result<fs::path> withOtherSecret(const fs::path& meeting)
{
    TRY_ASSIGN(const std::string text, readFile(meeting));
    TRY_ASSIGN(const Token other, Token::random());
    const fs::path file = meeting.parent_path() / "stranger";
    TRY(writeFileAtomically(file, other.text() + text.substr(text.find('\n'))));
    return file;
}

/// A rank with the secret is accepted, and one without it is not.
Result<bool> refusesStrangers()
{
    constexpr std::chrono::seconds kLimit{20};
    const PrivateFolder folder;
    TRY(folder.make());
    const fs::path meeting = folder.path() / "meeting";
    TRY_ASSIGN(const auto store, TcpStore::serve(meeting));
    TRY_ASSIGN(const fs::path file, withOtherSecret(meeting));
    const auto stranger = TcpStoreClient::connect(file, deadlineIn(kLimit));
    TRY_ASSIGN(auto rank, TcpStoreClient::connect(meeting, deadlineIn(kLimit)));
    TRY(rank.set("place", "here"));
    return !stranger && stranger.error().code == ErrorCode::permission;
}

CheckResult strangers()
{
    const auto refused = refusesStrangers();
    if (!refused)
        return failed(refused.error());
    return passedIf(*refused, *refused ? "refused, and a rank is let in" : "LET IN");
}

} // namespace

std::vector<Check> rendezvousChecks()
{
    return {{"gradients of a rank by itself", ownGradients}, {"a stranger who has another token", strangers}};
}

} // namespace ringside
