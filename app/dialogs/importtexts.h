// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of the dialog Import logs about runs and tables of links. Pure.
#pragma once

#include "core/imports/findings.h"

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

} // namespace ringside
