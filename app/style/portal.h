// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop's setting for light and dark (org.freedesktop.appearance color-scheme), read and followed over D-Bus.
#pragma once

#include <QDBusVariant>
#include <QObject>

namespace ringside {

class Portal : public QObject
{
    Q_OBJECT
public:
    enum class Scheme
    {
        noPreference,
        dark,
        light
    };

    /// Asks without waiting; schemeChanged follows if the portal answers within two seconds, and on every later change.
    void start();

Q_SIGNALS:
    void schemeChanged(ringside::Portal::Scheme scheme);

private Q_SLOTS:
    void settingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void report(const QVariant& value);
};

} // namespace ringside
