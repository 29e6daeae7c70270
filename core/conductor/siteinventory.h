// SPDX-License-Identifier: MIT
// Manages what Ringside has put on a site: lists it, has systems installed, and things removed.
#pragma once

#include "core/conductor/completion.h"
#include "core/conductor/sitelink.h"

#include <chrono>
#include <functional>
#include <map>

namespace ringside {

/// Time that a relay that lives may need to answer: thousands of files are counted or removed on a slow disk.
inline constexpr std::chrono::minutes kInventoryLimit{30};

/// The same of a system's installation between two signs of it; the agent stops before.
inline constexpr std::chrono::minutes kInstallSilence{40};

/// Used on the site's thread only.
class SiteInventory
{
public:
    explicit SiteInventory(SiteLink& link, std::chrono::seconds limit = kInventoryLimit)
        : m_link(link)
        , m_limit(limit)
    {
    }

    /// All need contact; without, the answer is the error of the last try.
    void list(Completion<std::vector<wire::InstalledItem>> done);
    void remove(wire::DeleteRequest request, Completion<wire::DeleteReply> done);
    /// The systems that are installed.
    void listEngines(Completion<InstalledEngines> done);
    void ask(wire::EngineRequest request, OnEngineProgress progress, Completion<InstalledEngine> done);
    bool isUnderWay() const { return !m_questions.empty(); }

    void onDisconnected(const Error& error);
    /// True if the message was an answer to a question of this.
    bool handle(const wire::Message& message);
    /// Waits no longer for answers that are overdue. To be called every second or so.
    void tick();

private:
    struct Question
    {
        std::function<void(const Result<wire::Message>&)> take; ///< the answer, whichever it is
        std::int64_t heardNs = 0;                               ///< when it was asked, or its last sign came
        OnEngineProgress progress = {};
    };
    template <class Reply, class Request, class Then>
    void question(Request request, Then then, OnEngineProgress progress = {});
    bool isOverdue(const Question& question) const;
    Error overdue(const Question& question) const;

    SiteLink& m_link;
    std::chrono::seconds m_limit;
    std::map<std::uint32_t, Question> m_questions; ///< by request
};

} // namespace ringside
