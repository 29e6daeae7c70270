// SPDX-License-Identifier: GPL-3.0-or-later
// What the dialog Import logs says of runs and tables of links. Pure.
#pragma once

#include "core/imports/findings.h"

#include <QStringList>

namespace ringside {

/// The cells of its row: log, form, ranks, records, rate.
QStringList rowOf(const imports::LogPreview& log, const imports::RunPreview& run);
QStringList rowOf(const imports::LogPreview& log, const imports::LinkPreview& link);
/// What was understood of it, line by line.
QStringList textOf(const imports::LogPreview& log, const imports::RunPreview& run);
QStringList textOf(const imports::LogPreview& log, const imports::LinkPreview& link);
/// "train.log:3: …".
QString noteText(const imports::Note& note);

} // namespace ringside
