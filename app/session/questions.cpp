// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/questions.h"

#include "app/widgets/text.h"

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
    return ask<std::vector<Secret>>([this, round](const PromptReply& reply) { Q_EMIT signInAsked(round, reply); });
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
