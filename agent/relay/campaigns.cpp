// SPDX-License-Identifier: MIT
#include "agent/relay/campaigns.h"

#include "agent/relay/starter.h"
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"

#include <cerrno>
#include <unistd.h>

namespace ringside::relay {

namespace {

constexpr std::uint64_t kMaxPlanBytes = 256u << 20;

bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

Result<void> removeFile(const fs::path& path)
{
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        return tl::unexpected(systemError("cannot remove", path, errno));
    return {};
}

std::uint64_t bytesBelow(const fs::path& folder)
{
    std::uint64_t bytes = 0;
    std::error_code problem;
    for (fs::recursive_directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem))
        if (std::error_code vanished; entry->is_regular_file(vanished))
            bytes += entry->file_size(vanished);
    return bytes;
}

Result<std::uint64_t> removeFolder(const fs::path& folder)
{
    const std::uint64_t bytes = bytesBelow(folder);
    std::error_code problem;
    fs::remove_all(folder, problem);
    if (problem)
        return tl::unexpected(systemError("cannot remove", folder, problem.value()));
    return bytes;
}

/// Another plan under the same id is a defect of the sender: an immutable plan is not written over.
Result<void> keepPlan(const fs::path& path, const std::string& plan)
{
    if (!isThere(path))
        return writeFileAtomically(path, plan);
    TRY_ASSIGN(const std::string kept, readFile(path, kMaxPlanBytes));
    if (kept != plan)
        return fail(ErrorCode::exists, fmt::format("{} holds another plan already.", path.string()),
                    "Submit it as a new campaign.");
    return {};
}

Result<void> applyControl(const fs::path& campaign, const wire::ControlRequest& request)
{
    TRY(makePrivateFolder(layout::controlFolder(campaign)));
    switch (request.action) {
    case wire::ControlAction::hold:
        return writeFileAtomically(layout::holdFile(campaign), "");
    case wire::ControlAction::resume:
        return removeFile(layout::holdFile(campaign));
    case wire::ControlAction::cancel:
        return writeFileAtomically(layout::cancelFile(campaign), "");
    case wire::ControlAction::cancelRun:
        break;
    }
    if (request.run.empty())
        return fail(ErrorCode::usage, "Which run to cancel was not said.");
    return writeFileAtomically(layout::cancelFile(campaign, request.run), "");
}

} // namespace

fs::path Campaigns::folder(const CampaignId& campaign) const
{
    return layout::campaignFolder(m_options.root, campaign);
}

Result<wire::SubmitReply> Campaigns::submit(const wire::SubmitRequest& request) const
{
    TRY(keep(request));
    const fs::path campaign = folder(request.campaign);
    TRY_ASSIGN(const RunnerState state, runnerState(campaign));
    if (state.ended || state.life != runner::Life::dead)
        return wire::SubmitReply{request.requestId, state.job, true};
    TRY_ASSIGN(const RunnerState started, startRunner(campaign, m_options.agent));
    return wire::SubmitReply{request.requestId, started.job, state.everStarted};
}

Result<void> Campaigns::keep(const wire::SubmitRequest& request) const
{
    TRY_ASSIGN(const CampaignPlan plan, planFromJson(request.plan));
    if (request.campaign.empty() || plan.campaign != request.campaign)
        return fail(ErrorCode::usage, "The plan is that of another campaign.");
    const fs::path campaign = folder(request.campaign);
    TRY(makePrivateFolder(layout::controlFolder(campaign)));
    if (!isThere(layout::scriptFile(campaign)))
        TRY(writeFileAtomically(layout::scriptFile(campaign), request.script));
    return keepPlan(layout::planFile(campaign), request.plan);
}

wire::StatusReply Campaigns::status(const wire::StatusRequest& request) const
{
    wire::StatusReply reply;
    reply.requestId = request.requestId;
    for (const auto& campaign : request.campaigns.empty() ? all() : request.campaigns)
        reply.campaigns.push_back(statusOf(campaign));
    return reply;
}

wire::CampaignStatus Campaigns::statusOf(const CampaignId& campaign) const
{
    using wire::CampaignState;
    const fs::path path = folder(campaign);
    if (campaign.empty() || !isThere(path))
        return {campaign, false, CampaignState::queued, {}, {}};
    const auto state = runnerState(path);
    if (!state)
        return {campaign, true, CampaignState::lost, {}, state.error().text()};
    if (state->ended)
        return {campaign, true, CampaignState::ended, state->job, state->note};
    if (state->life == runner::Life::alive)
        return {campaign, true, CampaignState::running, state->job, state->note};
    if (state->life == runner::Life::unknown)
        return {campaign, true, CampaignState::running, state->job, "Its runner is on another machine."};
    if (!state->everStarted)
        return {campaign, true, CampaignState::queued, {}, "It was not started yet."};
    return {campaign, true, CampaignState::lost, state->job, "Its runner died."};
}

std::vector<CampaignId> Campaigns::all() const
{
    std::vector<CampaignId> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(layout::campaignsFolder(m_options.root), ignored))
        if (auto id = CampaignId::parse(entry.path().filename().string()))
            found.push_back(*id);
    return found;
}

Result<wire::ControlReply> Campaigns::control(const wire::ControlRequest& request) const
{
    const fs::path campaign = folder(request.campaign);
    if (request.campaign.empty() || !isThere(layout::planFile(campaign)))
        return fail(ErrorCode::notFound, fmt::format("There is no campaign {} here.", request.campaign.str()));
    TRY(applyControl(campaign, request));
    TRY_ASSIGN(const RunnerState state, runnerState(campaign));
    if (request.action == wire::ControlAction::cancel && !state.ended && state.life == runner::Life::dead)
        TRY(startRunner(campaign, m_options.agent)); // somebody has to record the end
    return wire::ControlReply{request.requestId};
}

Result<wire::DeleteReply> Campaigns::remove(const wire::DeleteRequest& request) const
{
    wire::DeleteReply reply;
    reply.requestId = request.requestId;
    for (const auto& campaign : request.campaigns) {
        TRY_ASSIGN(const RunnerState state, runnerState(folder(campaign)));
        if (campaign.empty() || state.life != runner::Life::dead)
            return fail(ErrorCode::busy, fmt::format("Campaign {} still runs.", campaign.str()), "Cancel it first.");
        TRY_ASSIGN(const std::uint64_t bytes, removeFolder(folder(campaign)));
        reply.freedBytes += bytes;
    }
    for (const auto& run : request.runs) {
        if (run.empty())
            return fail(ErrorCode::usage, "Which run to delete was not said.");
        TRY_ASSIGN(const std::uint64_t bytes, removeFolder(layout::runFolder(m_options.root, run)));
        reply.freedBytes += bytes;
    }
    return reply;
}

} // namespace ringside::relay
