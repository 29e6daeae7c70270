// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of the dialog Import logs about runs and tables of links. Pure.
#pragma once

#include "app/widgets/messagebar.h"

#include "core/imports/findings.h"
#include "core/imports/importing.h"

#include <QStringList>

namespace ringside {

/// The cells of its row: log, form, ranks, records, rate.
QStringList rowOf(const imports::LogPreview& log, const imports::RunPreview& run);
QStringList rowOf(const imports::LogPreview& log, const imports::LinkPreview& link);
/// Says line by line how it was understood.
QStringList textOf(const imports::LogPreview& log, const imports::RunPreview& run);
QStringList textOf(const imports::LogPreview& log, const imports::LinkPreview& link);
/// "train.log:3: …".
QString noteText(const imports::Note& note);
/// Names each log or run that was not stored, or could not be read, and says why. Logs that the user left out are none
/// of them.
QStringList leftOutTexts(const imports::Previews& previews, const imports::Imported& imported);
/// The message that reports these; at least one.
Message leftOutMessage(const QStringList& leftOut);

} // namespace ringside
