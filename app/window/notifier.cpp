// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/notifier.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QVariantMap>

namespace ringside {

void sendDesktopNotification(const QString& summary, const QString& body)
{
    if (!qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS"))
        return;
    const auto service = QStringLiteral("org.freedesktop.Notifications");
    auto call = QDBusMessage::createMethodCall(service, QStringLiteral("/org/freedesktop/Notifications"), service,
                                               QStringLiteral("Notify"));
    // Body is markup for some servers: escaped, so that foreign text stays text.
    call << QStringLiteral("Ringside") << 0u << QStringLiteral("ringside") << summary << body.toHtmlEscaped()
         << QStringList() << QVariantMap() << -1;
    QDBusConnection::sessionBus().send(call);
}

} // namespace ringside
