// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/questions.h"

#include "app/text/text.h"

#include <algorithm>

namespace ringside {

/// Only the GUI thread holds the reply while it is asked: with its events and dialogs the last copy goes.
template <class Value, class Ask> Result<Value> Questions::ask(Ask ask)
{
    auto reply = std::make_shared<Reply<Value>>();
    auto answer = reply->future();
    {
        const std::lock_guard lock(m_mutex);
        if (m_isClosed)
            reply->giveUp();
        std::erase_if(m_pending, [](const auto& pending) { return pending.expired(); });
        m_pending.push_back(reply);
    }
    QMetaObject::invokeMethod(
        this, [ask, reply = std::move(reply)] { ask(reply); }, Qt::QueuedConnection);
    return answer.get();
}

Result<bool> Questions::trustHostKey(const HostKeyQuestion& question)
{
    return ask<bool>([this, question](const HostKeyReply& reply) { Q_EMIT hostKeyAsked(question, reply); });
}

Result<std::vector<Secret>> Questions::answer(const PromptRound& round)
{
    TRY_ASSIGN(SignIn given, ask<SignIn>([this, round](const PromptReply& reply) { findOrAsk(round, reply); }));
    if (round.kind != PromptRound::Kind::challenge && given.answers.size() == 1) {
        const Secret& answer = given.answers.front();
        const std::lock_guard lock(m_mutex);
        Given& last = m_given[Keychain::nameOf(round)];
        last.wasKept = given.wasKept;
        last.toKeep.reset();
        if (given.toBeKept)
            last.toKeep.emplace(std::string_view(answer.c_str(), answer.size()));
    }
    return std::move(given.answers);
}

void Questions::findOrAsk(const PromptRound& round, const PromptReply& reply)
{
    const QString name = Keychain::nameOf(round);
    if (round.kind == PromptRound::Kind::challenge || isRefused(name))
        return Q_EMIT signInAsked(round, round.kind != PromptRound::Kind::challenge, reply);
    m_keychain.read(name, [this, round, reply](Keychain::Found found) {
        if (!found.secret)
            return Q_EMIT signInAsked(round, found.isThere, reply);
        SignIn given;
        given.answers.push_back(std::move(*found.secret));
        given.wasKept = true;
        reply->give(std::move(given));
    });
}

bool Questions::isRefused(const QString& name)
{
    const std::lock_guard lock(m_mutex);
    return m_refused.contains(name);
}

bool Questions::judged(const PromptRound& round, bool isAccepted)
{
    const QString name = Keychain::nameOf(round);
    Given given;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_given.extract(name))
            given = std::move(found.mapped());
        if (isAccepted)
            m_refused.erase(name);
        else if (given.wasKept)
            m_refused.insert(name);
    }
    if (given.wasKept && !isAccepted)
        QMetaObject::invokeMethod(
            this, [this, name] { m_keychain.forget(name); }, Qt::QueuedConnection);
    else if (given.toKeep && isAccepted)
        QMetaObject::invokeMethod(
            this,
            [this, name, secret = std::make_shared<Secret>(std::move(*given.toKeep))] {
                m_keychain.keep(name, *secret);
            },
            Qt::QueuedConnection);
    return given.wasKept;
}

void Questions::notice(const std::string& subject, const std::string& text)
{
    QMetaObject::invokeMethod(
        this, [this, subject, text] { Q_EMIT noticeGiven(toQt(subject), toQt(text)); }, Qt::QueuedConnection);
}

void Questions::hostKeyAlarm(const HostKeyAlarm& alarm)
{
    QMetaObject::invokeMethod(
        this, [this, alarm] { Q_EMIT hostKeyRefused(alarm); }, Qt::QueuedConnection);
}

void Questions::close()
{
    const std::lock_guard lock(m_mutex);
    m_isClosed = true;
    for (const auto& each : m_pending)
        if (const auto pending = each.lock())
            pending->giveUp();
}

} // namespace ringside
