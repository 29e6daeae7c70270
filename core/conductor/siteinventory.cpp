// SPDX-License-Identifier: MIT
#include "core/conductor/siteinventory.h"

#include "core/base/clock.h"
#include "core/base/words.h"

#include <utility>

namespace ringside {

template <class Reply, class Request, class Then> void SiteInventory::ask(Request request, Then then)
{
    if (!m_link.isConnected())
        return then(tl::unexpected(m_link.lastError()));
    const auto id = m_link.ask(std::move(request));
    if (!id)
        return then(tl::unexpected(id.error()));
    const auto take = [then = std::move(then)](const Result<wire::Message>& answer) {
        if (!answer)
            return then(tl::unexpected(answer.error()));
        if (const auto* refused = std::get_if<wire::ErrorReply>(&*answer))
            return then(tl::unexpected(refused->error));
        if (const auto* reply = std::get_if<Reply>(&*answer))
            return then(*reply);
        then(fail(ErrorCode::damaged, Words::tr("The site answered something else than was asked."),
                  Words::tr("Ringside there may be of another version: test the site.")));
    };
    m_questions.emplace(*id, Question{take, monotonicNs()});
}

void SiteInventory::list(Completion<std::vector<wire::InstalledItem>> done)
{
    ask<wire::InventoryReply>(wire::InventoryRequest{}, [done = std::move(done)](Result<wire::InventoryReply> reply) {
        done(std::move(reply).map([](wire::InventoryReply&& all) { return std::move(all.items); }));
    });
}

void SiteInventory::remove(wire::DeleteRequest request, Completion<wire::DeleteReply> done)
{
    ask<wire::DeleteReply>(std::move(request), std::move(done));
}

void SiteInventory::onDisconnected(const Error& error)
{
    for (const auto& [id, question] : std::exchange(m_questions, {}))
        question.take(tl::unexpected(error));
}

bool SiteInventory::handle(const wire::Message& message)
{
    const auto found = m_questions.find(wire::requestIdOf(message));
    if (found == m_questions.end())
        return false;
    const Question question = std::move(found->second);
    m_questions.erase(found);
    question.take(message);
    return true;
}

void SiteInventory::tick()
{
    const std::int64_t beforeNs = monotonicNs() - std::chrono::nanoseconds(m_limit).count();
    std::vector<Question> overdue;
    for (auto next = m_questions.begin(); next != m_questions.end();) {
        const auto each = next++;
        if (each->second.askedNs <= beforeNs)
            overdue.push_back(std::move(m_questions.extract(each).mapped()));
    }
    for (const Question& question : overdue)
        question.take(fail(ErrorCode::timeout,
                           Words::tr("{} answers, but has not said within {} min what lies there.", m_link.name(),
                                     m_limit.count() / 60),
                           Words::tr("Look whether its folders answer. What was asked for there may still be done.")));
}

} // namespace ringside
