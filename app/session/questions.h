// SPDX-License-Identifier: GPL-3.0-or-later
// Brings what connections ask into the GUI thread, and the answers back to the site's thread, which waits for them.
#pragma once

#include "app/session/keychain.h"

#include "core/base/words.h"
#include "core/remote/interaction.h"

#include <QObject>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace ringside {

/// The answer that a site's thread waits for. Dropped without one, it reports that there was no answer.
class PendingAnswer
{
public:
    virtual ~PendingAnswer() = default;
    virtual void giveUp() = 0;
};

template <class Value> class Reply final : public PendingAnswer
{
public:
    ~Reply() override { giveUp(); }
    /// The first word counts.
    void give(Result<Value> answer)
    {
        const std::lock_guard lock(m_mutex);
        if (!std::exchange(m_isGiven, true))
            m_promise.set_value(std::move(answer));
    }
    void giveUp() override
    {
        give(fail(ErrorCode::cancelled, Words::tr("The question was not answered."), Words::tr("Connect again.")));
    }
    std::future<Result<Value>> future() { return m_promise.get_future(); }

private:
    std::mutex m_mutex;
    std::promise<Result<Value>> m_promise;
    bool m_isGiven = false;
};

struct SignIn
{
    std::vector<Secret> answers; ///< one per prompt
    bool toBeKept = false;       ///< once the server has accepted it
    bool wasKept = false;        ///< without asking the user
};

using HostKeyReply = std::shared_ptr<Reply<bool>>;
using PromptReply = std::shared_ptr<Reply<SignIn>>;

/// One question at a time and site.
class Questions : public QObject, public Interaction
{
    Q_OBJECT
public:
    using QObject::QObject;

    // Called on the sites' threads; the first two wait for a person. A stored password or passphrase is sent once; one
    // that is refused is forgotten, and the next time a person is asked.
    Result<bool> trustHostKey(const HostKeyQuestion& question) override;
    Result<std::vector<Secret>> answer(const PromptRound& round) override;
    bool judged(const PromptRound& round, bool isAccepted) override;
    void notice(const std::string& subject, const std::string& text) override;
    void hostKeyAlarm(const HostKeyAlarm& alarm) override;

    /// Ends all waits without an answer, now and from now on: the user can no longer be asked.
    void close();

Q_SIGNALS:
    void hostKeyAsked(const ringside::HostKeyQuestion& question, const ringside::HostKeyReply& reply);
    void signInAsked(const ringside::PromptRound& round, bool canBeKept, const ringside::PromptReply& reply);
    void noticeGiven(const QString& subject, const QString& text);
    void hostKeyRefused(const ringside::HostKeyAlarm& alarm);

private:
    /// The origin of the latest answer, until it is judged.
    struct Given
    {
        bool wasKept = false;
        std::optional<Secret> toKeep;
    };
    template <class Value, class Ask> Result<Value> ask(Ask ask);
    void findOrAsk(const PromptRound& round, const PromptReply& reply);
    bool isRefused(const QString& name);

    Keychain m_keychain; ///< GUI thread
    std::mutex m_mutex;  // of the rest
    std::map<QString, Given> m_given;
    std::set<QString> m_refused; ///< were stored, and are not valid any more
    bool m_isClosed = false;
    std::vector<std::weak_ptr<PendingAnswer>> m_pending;
};

} // namespace ringside
