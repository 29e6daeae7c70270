// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the window: Ringside's own texts, core's included, and Qt's.
#pragma once

#include <QStringList>

class QCoreApplication;

namespace ringside {

/// Languages that this build carries, as "en".
QStringList bundledLanguages();

/// Installs `language`, or the system's if empty; English (for its plurals) where there is nothing better.
/// Replaces what an earlier call installed.
void installLanguage(QCoreApplication& application, const QString& language);

} // namespace ringside
