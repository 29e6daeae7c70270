// SPDX-License-Identifier: MIT
#include "core/conductor/siteinventory.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/sites/findings.h"

#include <utility>

namespace ringside {

template <class Reply, class Request, class Then>
void SiteInventory::question(Request request, Then then, OnEngineProgress progress)
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
        then(fail(ErrorCode::damaged, Words::tr("The site's answer does not match the request."),
                  Words::tr("Ringside there may be of another version: test the site.")));
    };
    m_questions.emplace(*id, Question{take, monotonicNs(), std::move(progress)});
}

void SiteInventory::list(Completion<std::vector<wire::InstalledItem>> done)
{
    question<wire::InventoryReply>(
        wire::InventoryRequest{}, [done = std::move(done)](Result<wire::InventoryReply> reply) {
            done(std::move(reply).map([](wire::InventoryReply&& all) { return std::move(all.items); }));
        });
}

void SiteInventory::remove(wire::DeleteRequest request, Completion<wire::DeleteReply> done)
{
    question<wire::DeleteReply>(std::move(request), std::move(done));
}

void SiteInventory::listEngines(Completion<InstalledEngines> done)
{
    question<wire::ProbeReply>(wire::ProbeRequest{}, [done = std::move(done)](Result<wire::ProbeReply> reply) {
        done(std::move(reply).map([](const wire::ProbeReply& probed) { return enginesOf(probed.values); }));
    });
}

void SiteInventory::ask(wire::EngineRequest request, OnEngineProgress progress, Completion<InstalledEngine> done)
{
    const auto take = [name = request.name, done = std::move(done)](Result<wire::EngineReply> reply) {
        if (!reply || reply->engine.empty())
            return done(std::move(reply).map([](auto&&) { return InstalledEngine(); }));
        done(installedEnginesFromJson(reply->engine).map([&](InstalledEngines engines) {
            return std::move(engines[name]);
        }));
    };
    question<wire::EngineReply>(std::move(request), take, std::move(progress));
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
    if (const auto* progress = std::get_if<wire::BuildProgress>(&message)) {
        found->second.heardNs = monotonicNs();
        wire::BuildProgress plain = *progress;
        plain.text = plainText(plain.text);
        if (found->second.progress)
            found->second.progress(plain);
        return true;
    }
    const Question question = std::move(found->second);
    m_questions.erase(found);
    question.take(message);
    return true;
}

void SiteInventory::tick()
{
    std::vector<Question> late;
    for (auto next = m_questions.begin(); next != m_questions.end();) {
        const auto each = next++;
        if (isOverdue(each->second))
            late.push_back(std::move(m_questions.extract(each).mapped()));
    }
    for (const Question& question : late)
        question.take(tl::unexpected(overdue(question)));
}

bool SiteInventory::isOverdue(const Question& question) const
{
    const std::chrono::nanoseconds limit =
        question.progress ? std::max<std::chrono::seconds>(m_limit, kInstallSilence) : m_limit;
    return monotonicNs() - question.heardNs >= limit.count();
}

Error SiteInventory::overdue(const Question& question) const
{
    if (question.progress)
        return {ErrorCode::timeout,
                Words::tr("{} answers, but there is no output from the installation.", m_link.name()),
                Words::tr("It may still be running there: ask again to follow it.")};
    return {ErrorCode::timeout,
            Words::tr("{} answers, but has not reported within {} min what is stored there.", m_link.name(),
                      m_limit.count() / 60),
            Words::tr("Check that its folders respond. The request may still be carried out there.")};
}

} // namespace ringside
