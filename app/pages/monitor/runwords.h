// SPDX-License-Identifier: GPL-3.0-or-later
// Monitor's texts about a run as the store knows it.
#pragma once

#include "app/widgets/statelook.h"
#include "core/store/rows.h"

#include <QCoreApplication>

namespace ringside {

class RunWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::RunWords)
public:
    static StateLook look(const store::RunRow& run);
    /// Beside its state: why, and which attempt. May be empty.
    static QString stateTip(const store::RunRow& run);
    /// The reason of a run that did not end as it should, or is flagged. Empty where there is none.
    static QString why(const store::RunRow& run);
    /// A sentence for each of its flags.
    static QString flags(const store::RunRow& run);
    /// By the gravest of its flags; it has one.
    static StateLook flagLook(const store::RunRow& run);

private:
    /// One or two words, for the chip.
    static QString shortReason(Cause cause);
};

} // namespace ringside
