// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the window that name what a model is trained with: a whole one for images, sequences, tokens and all of
// them, so that each can be translated. Single words and units: coreText() of report::itemWords().
#pragma once

#include "core/report/items.h"

#include <QString>

namespace ringside {

enum class ItemText
{
    batch,       ///< "Batch, images"
    rate,        ///< "%1 images/s"
    rateNow,     ///< "%1 images/s now"
    sinceWarmup, ///< "%1 images/s since warm-up."
    rateHead,    ///< "images/s": the head of a narrow column
    rateSoFar,   ///< "images/s so far"
    baseCase,    ///< "%1 · %2 images/s · n = %3": the rule, its throughput and its runs
    work,        ///< "%1 GFLOP per image, forward and backward"
};

/// In the user's language.
QString itemText(ItemText text, report::Items items);

} // namespace ringside
