// SPDX-License-Identifier: MIT
#include "tests/relay/site.h"

#include "core/base/clock.h"

namespace ringside::test {

using std::chrono::milliseconds;

void Site::connect()
{
    auto client = RelayClient::connect(m_host, m_place.relay);
    REQUIRE_MESSAGE(client, (client ? "" : client.error().text()));
    m_client.emplace(std::move(*client));
}

CampaignPlan Site::makePlan(std::vector<RunSpec> runs)
{
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = StoreId::random();
    plan.experiment = "test";
    plan.site = "local";
    plan.worker = m_place.worker;
    plan.dataFolder = layout::dataFolder(m_place.rootThere).string();
    plan.runs = std::move(runs);
    m_submitted.push_back(plan.campaign);
    return plan;
}

Result<wire::SubmitReply> Site::submit(const CampaignPlan& plan)
{
    return ask<wire::SubmitReply>(
        wire::SubmitRequest{0, plan.campaign, m_place.script, planToJson(plan), m_place.scheduler});
}

wire::CampaignStatus Site::status(const CampaignPlan& plan)
{
    return ask<wire::StatusReply>(wire::StatusRequest{0, {plan.campaign}})->campaigns.at(0);
}

Result<wire::ControlReply> Site::control(const CampaignPlan& plan, Control::Kind kind, const RunId& run)
{
    return ask<wire::ControlReply>(wire::ControlRequest{0, plan.campaign, {kind, run}});
}

void Site::follow(const CampaignPlan& plan)
{
    REQUIRE(m_client->send(wire::FollowRequest{++m_lastId, plan.campaign, cursors()}));
}

bool Site::pump(milliseconds limit, const std::function<bool(const wire::Message&)>& until)
{
    const std::int64_t endNs = monotonicNs() + toNs(limit);
    while (monotonicNs() < endNs) {
        auto message = m_client->receive(milliseconds(50));
        if (!message)
            return false;
        if (!*message)
            continue;
        if (const auto* chunk = std::get_if<wire::FileChunk>(&**message))
            keep(*chunk);
        if (until(**message))
            return true;
    }
    return false;
}

bool Site::pumpToEnd(milliseconds limit)
{
    return pump(limit, [this](const wire::Message&) { return m_over; });
}

void Site::keep(const wire::FileChunk& chunk)
{
    CHECK(chunk.offset == m_files[chunk.path].size()); // nothing lost, nothing doubled
    m_files[chunk.path] += chunk.bytes;
    m_ids[chunk.path] = chunk.fileId;
    if (chunk.kind == wire::FileKind::journal)
        readJournal(chunk.bytes);
}

void Site::readJournal(const std::string& bytes)
{
    const auto read = m_journal.feed(bytes, [&](const JournalEvent& event) {
        m_events.push_back(event);
        m_over = m_over || event.kind == JournalKind::runnerEnded;
        if (event.kind == JournalKind::attemptEnded && event.attempt > 0)
            checkComplete(layout::attemptFolder(root(), *event.run, event.attempt));
    });
    CHECK(read);
}

void Site::checkComplete(const fs::path& attempt)
{
    for (const auto& entry : fs::directory_iterator(attempt)) {
        const std::string path = entry.path().lexically_relative(root()).string();
        if (entry.path().extension() == ".spool" && m_files[path].size() != entry.file_size())
            endedTooEarly.push_back(path);
    }
}

std::vector<wire::Cursor> Site::cursors() const
{
    std::vector<wire::Cursor> result;
    for (const auto& [path, bytes] : m_files)
        if (const auto id = m_ids.find(path); id != m_ids.end())
            result.push_back({path, id->second, bytes.size()});
    return result;
}

} // namespace ringside::test
