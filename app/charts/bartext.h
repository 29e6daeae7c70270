// SPDX-License-Identifier: GPL-3.0-or-later
// A bar of a timeline in words, for tooltips.
#pragma once

#include "core/report/figuredata.h"

#include <QCoreApplication>
#include <QString>

namespace ringside {

class BarText
{
    Q_DECLARE_TR_FUNCTIONS(ringside::BarText)
public:
    /// Name, length, place, and what there is of bytes.
    static QString of(const report::Bar& bar);

private:
    static QString nameOf(const report::Bar& bar);
};

} // namespace ringside
