// SPDX-License-Identifier: MIT
#include "core/conductor/relayrequests.h"

#include "core/conductor/watchedcampaign.h"
#include "core/protocol/layout.h"
#include "core/store/queries.h"

#include <algorithm>

namespace ringside {

RelayRequests::RelayRequests(SiteLink& link, StoreThread& store)
    : m_link(link)
    , m_store(store)
{
}

template <class Message> Result<std::uint32_t> RelayRequests::ask(Message message, Request request)
{
    message.requestId = m_link.nextRequest();
    const auto sent = m_link.send(message);
    const bool isTooLarge = !sent && sent.error().code == ErrorCode::usage;
    if (sent)
        m_open.emplace(message.requestId, std::move(request));
    else
        complete(request.done, request.purpose == Purpose::order && !isTooLarge ? Result<void>() : sent);
    if (isTooLarge)
        return tl::unexpected(sent.error());
    return message.requestId;
}

std::optional<RelayRequests::Roots> RelayRequests::movedRoot(const CampaignPlan& plan) const
{
    const fs::path then = fs::path(plan.dataFolder).lexically_normal();
    const fs::path now = layout::dataFolder(m_link.root()).lexically_normal();
    if (plan.dataFolder.empty() || !m_link.isConnected() || then == now)
        return std::nullopt;
    return Roots{then.parent_path(), now.parent_path()};
}

Result<void> RelayRequests::submit(const WatchedCampaign& watched, std::string plan)
{
    wire::SubmitRequest request;
    request.campaign = watched.plan.campaign;
    request.plan = std::move(plan);
    request.scheduler = watched.submission.scheduler;
    request.script = watched.submission.script;
    TRY(ask(std::move(request), {watched.plan.campaign, {}, Purpose::submission}));
    return {};
}

void RelayRequests::askStatus(const CampaignId& campaign, Purpose purpose)
{
    wire::StatusRequest status;
    status.campaigns = {campaign};
    (void)ask(std::move(status), {campaign, {}, purpose}); // one id is never too large
}

Result<std::uint32_t> RelayRequests::follow(CampaignFiles& files, Request request, const std::string& lostPlan)
{
    const auto cursors = m_store.call([id = request.campaign](store::Database& db) { return store::cursors(db, id); });
    if (!cursors) {
        complete(request.done, tl::unexpected(cursors.error()));
        return tl::unexpected(cursors.error());
    }
    wire::FollowRequest follow = files.restart(*cursors, m_link.root());
    follow.plan = lostPlan;
    return ask(std::move(follow), std::move(request));
}

void RelayRequests::replace(std::uint32_t id, Request& by)
{
    const auto found = m_open.find(id);
    if (found == m_open.end() || !found->second.done || by.done)
        return;
    by.done = std::exchange(found->second.done, {});
    by.purpose = found->second.purpose;
}

void RelayRequests::unfollow(const CampaignId& campaign)
{
    if (m_link.isConnected())
        (void)m_link.send(wire::UnfollowRequest{0, campaign}); // a lost line is noticed by the next receive
}

void RelayRequests::control(const CampaignId& campaign, const Control& control, Completion<> done)
{
    wire::ControlRequest request;
    request.campaign = campaign;
    request.control = control;
    (void)ask(std::move(request), {campaign, std::move(done), Purpose::order, control.kind});
}

bool RelayRequests::awaitsOrder(const CampaignId& campaign) const
{
    return std::ranges::any_of(m_open, [&](const auto& open) {
        return open.second.purpose == Purpose::order && open.second.campaign == campaign;
    });
}

RelayRequests::Request RelayRequests::take(std::uint32_t id)
{
    auto found = m_open.extract(id);
    return found.empty() ? Request{} : std::move(found.mapped());
}

void RelayRequests::completeLogs()
{
    for (auto& [id, request] : m_open)
        if (request.purpose == Purpose::log)
            complete(request.done, {});
}

void RelayRequests::onDisconnected(const Error& error)
{
    for (auto& [id, request] : std::exchange(m_open, {}))
        complete(request.done, request.purpose == Purpose::order ? Result<void>() : tl::unexpected(error));
}

} // namespace ringside
