// SPDX-License-Identifier: MIT
// What Ringside has put on a site: asking for the list, and having things removed.
#pragma once

#include "core/conductor/sitelink.h"

#include <functional>
#include <map>

namespace ringside {

/// Used on the site's thread only.
class SiteInventory
{
public:
    /// Called once each, on the site's thread.
    using Listed = std::function<void(Result<std::vector<wire::InstalledItem>>)>;
    using Removed = std::function<void(Result<wire::DeleteReply>)>;

    explicit SiteInventory(SiteLink& link)
        : m_link(link)
    {
    }

    /// Both need contact; without, the answer is the error of the last try.
    void list(Listed listed);
    void remove(wire::DeleteRequest request, Removed removed);
    bool isUnderWay() const { return !m_questions.empty(); }

    void onDisconnected(const Error& error);
    /// True if the message was an answer to a question of this.
    bool handle(const wire::Message& message);

private:
    /// Takes the answer, whichever it is.
    using Question = std::function<void(const Result<wire::Message>&)>;
    template <class Reply, class Request, class Then> void ask(Request request, Then then);

    SiteLink& m_link;
    std::map<std::uint32_t, Question> m_questions; ///< by request
};

} // namespace ringside
