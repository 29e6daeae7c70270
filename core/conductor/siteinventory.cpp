// SPDX-License-Identifier: MIT
#include "core/conductor/siteinventory.h"

#include "core/base/words.h"

#include <utility>

namespace ringside {

template <class Reply, class Request, class Then> void SiteInventory::ask(Request request, Then then)
{
    if (!m_link.isConnected())
        return then(tl::unexpected(m_link.lastError()));
    const std::uint32_t id = m_link.ask(std::move(request));
    m_questions.emplace(id, [then = std::move(then)](const Result<wire::Message>& answer) {
        if (!answer)
            return then(tl::unexpected(answer.error()));
        if (const auto* refused = std::get_if<wire::ErrorReply>(&*answer))
            return then(tl::unexpected(refused->error));
        if (const auto* reply = std::get_if<Reply>(&*answer))
            return then(*reply);
        then(fail(ErrorCode::damaged, Words::tr("The site answered something else than was asked."),
                  Words::tr("Ringside there may be of another version: test the site.")));
    });
}

void SiteInventory::list(Listed listed)
{
    ask<wire::InventoryReply>(wire::InventoryRequest{}, [listed](Result<wire::InventoryReply> reply) {
        listed(std::move(reply).map([](wire::InventoryReply&& all) { return std::move(all.items); }));
    });
}

void SiteInventory::remove(wire::DeleteRequest request, Removed removed)
{
    ask<wire::DeleteReply>(std::move(request), std::move(removed));
}

void SiteInventory::onDisconnected(const Error& error)
{
    for (const auto& [id, question] : std::exchange(m_questions, {}))
        question(tl::unexpected(error));
}

bool SiteInventory::handle(const wire::Message& message)
{
    const auto found = m_questions.find(wire::requestIdOf(message));
    if (found == m_questions.end())
        return false;
    const Question question = std::move(found->second);
    m_questions.erase(found);
    question(message);
    return true;
}

} // namespace ringside
