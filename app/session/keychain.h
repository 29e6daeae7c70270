// SPDX-License-Identifier: GPL-3.0-or-later
// Passwords and passphrases in the desktop's keychain (Secret Service, KWallet), below the name Ringside; without one
// nothing is stored. GUI thread; nothing here waits.
#pragma once

#include "core/remote/interaction.h"

#include <QObject>
#include <functional>
#include <optional>

namespace ringside {

class Keychain : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    struct Found
    {
        bool isThere = false; ///< a keychain that answers
        std::optional<Secret> secret;
    };

    /// As people find it in their keychain: "password of kim@alder.example.org". Safe from any thread.
    static QString nameOf(const PromptRound& round);

    /// `found` is called once, at the latest after a minute, in which the user may unlock it.
    void read(const QString& name, const std::function<void(Found)>& found);
    void keep(const QString& name, const Secret& secret);
    void forget(const QString& name);
};

} // namespace ringside
