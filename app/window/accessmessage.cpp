// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/accessmessage.h"

#include "app/session/session.h"
#include "app/text/text.h"

#include <QCoreApplication>

namespace ringside {

namespace {

class AccessWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::AccessWords)
public:
    static QString chooseFolder() { return tr("Choose folder…"); }
    static QString tryAgain() { return tr("Try again"); }
    static QString readOnly(const QString& why)
    {
        return tr("Read only: %1 Once that program has ended, this window writes it by itself.",
                  "who writes the database")
            .arg(why);
    }
    static QString notWritten(const QString& why)
    {
        return tr("Read only: %1 It is tried again by itself.", "why the database cannot be written").arg(why);
    }
};

bool helpsToTryAgain(ErrorCode code)
{
    return code == ErrorCode::noSpace || code == ErrorCode::io || code == ErrorCode::busy || code == ErrorCode::timeout;
}

} // namespace

Message accessMessage(Session& session, std::function<void()> chooseFolder)
{
    const auto& why = session.obstacle();
    const auto again = [&session] { session.open(fs::path(session.store())); };
    if (session.access() == Session::Access::reading && why.code != ErrorCode::busy)
        return {Severity::warning, AccessWords::notWritten(messageOf(why)), {}, {}, detailsOf(why)};
    if (session.access() == Session::Access::reading)
        return {Severity::info, AccessWords::readOnly(toQt(why.message)), {}, {}, {}};
    if (session.access() != Session::Access::none || why.message.empty())
        return {};
    if (helpsToTryAgain(why.code))
        return {Severity::error, messageOf(why), AccessWords::tryAgain(), again, {}};
    return {Severity::error, messageOf(why), AccessWords::chooseFolder(), std::move(chooseFolder), {}};
}

} // namespace ringside
