// SPDX-License-Identifier: MIT
// A site of its own and the app's side of a conversation with it: what arrives is kept as the store would.
#pragma once

#include "core/remote/localhost.h"
#include "core/remote/relayclient.h"
#include "tests/runner/campaignfixture.h"

#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <optional>

namespace ringside::test {

/// Folder of the site, seen from this machine and from its own. On this computer both are alike.
struct SitePlace
{
    CommandLine relay;
    fs::path root;      ///< as this machine names it
    fs::path rootThere; ///< as the site does
    std::string worker; ///< as the site names it
    std::string scheduler = {};
    std::string script = "#!/bin/sh\n";
};

class Site
{
public:
    static constexpr std::chrono::milliseconds kLong{30'000};

    explicit Site(SitePlace place)
        : m_place(std::move(place))
    {
    }
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;
    virtual ~Site() = default;

    const fs::path& root() const { return m_place.root; }
    SitePlace& place() { return m_place; }

    void connect();
    void disconnect() { m_client.reset(); }
    RelayClient& client() { return *m_client; }

    template <class Reply, class Request> Result<Reply> ask(Request request, std::chrono::milliseconds limit = kLong)
    {
        request.requestId = ++m_lastId;
        REQUIRE(m_client->send(request));
        std::optional<Result<Reply>> answer;
        pump(limit, [&](const wire::Message& message) {
            if (wire::requestIdOf(message) != m_lastId)
                return false;
            if (const auto* error = std::get_if<wire::ErrorReply>(&message))
                answer = tl::unexpected(error->error);
            else
                answer = std::get<Reply>(message);
            return true;
        });
        REQUIRE(answer);
        return *answer;
    }

    CampaignPlan makePlan(std::vector<RunSpec> runs);
    Result<wire::SubmitReply> submit(const CampaignPlan& plan);
    wire::CampaignStatus status(const CampaignPlan& plan);
    Result<wire::ControlReply> control(const CampaignPlan& plan, Control::Kind kind, const RunId& run = {});
    void follow(const CampaignPlan& plan);

    /// Keeps chunks as they come until `until` says true or the limit is over. False after the limit or a broken pipe.
    bool pump(std::chrono::milliseconds limit, const std::function<bool(const wire::Message&)>& until);
    /// As `pump`, until the journal that arrived says that the campaign is over.
    std::vector<wire::Cursor> cursors() const;
    bool pumpToEnd(std::chrono::milliseconds limit = kLong);

    const std::map<std::string, std::string>& files() const { return m_files; }
    /// Events of the journal as far as it arrived.
    const std::vector<JournalEvent>& events() const { return m_events; }
    std::vector<std::string> endedTooEarly; ///< attempts whose end came before all of their spools

protected:
    std::vector<CampaignId> m_submitted;

private:
    void keep(const wire::FileChunk& chunk);
    void readJournal(const std::string& bytes);
    void checkComplete(const fs::path& attempt);

    SitePlace m_place;
    LocalHost m_host;
    std::optional<RelayClient> m_client;
    std::uint32_t m_lastId = 0;
    std::map<std::string, std::string> m_files;
    std::map<std::string, std::string> m_ids;
    JournalReader m_journal;
    std::vector<JournalEvent> m_events;
    bool m_over = false;
};

} // namespace ringside::test
