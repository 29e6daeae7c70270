// SPDX-License-Identifier: GPL-3.0-or-later
// A desktop notification (org.freedesktop.Notifications), sent and forgotten.
#pragma once

#include <QString>

namespace ringside {

/// Returns at once; nothing happens where no service answers.
void sendDesktopNotification(const QString& summary, const QString& body);

} // namespace ringside
