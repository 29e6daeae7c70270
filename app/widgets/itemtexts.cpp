// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/itemtexts.h"

#include <QCoreApplication>
#include <iterator>

namespace ringside {

namespace {

struct ItemTexts
{
    Q_DECLARE_TR_FUNCTIONS(ringside::ItemTexts)
public:
    /// In the order of ItemText and of report::Items.
    static constexpr const char* kTexts[][4] = {
        {QT_TR_NOOP("Batch, images"), QT_TR_NOOP("Batch, sequences"), QT_TR_NOOP("Batch, tokens"),
         QT_TR_NOOP("Batch, images or sequences")},
        {QT_TR_NOOP("%1 images/s"), QT_TR_NOOP("%1 sequences/s"), QT_TR_NOOP("%1 tokens/s"), QT_TR_NOOP("%1 items/s")},
        {QT_TR_NOOP("%1 images/s now"), QT_TR_NOOP("%1 sequences/s now"), QT_TR_NOOP("%1 tokens/s now"),
         QT_TR_NOOP("%1 items/s now")},
        {QT_TR_NOOP("%1 images/s since warm-up."), QT_TR_NOOP("%1 sequences/s since warm-up."),
         QT_TR_NOOP("%1 tokens/s since warm-up."), QT_TR_NOOP("%1 items/s since warm-up.")},
        {QT_TR_NOOP("images/s"), QT_TR_NOOP("seq./s"), QT_TR_NOOP("tokens/s"), QT_TR_NOOP("items/s")},
        {QT_TR_NOOP("images/s so far"), QT_TR_NOOP("sequences/s so far"), QT_TR_NOOP("tokens/s so far"),
         QT_TR_NOOP("items/s so far")},
        {QT_TR_NOOP("%1 · %2 images/s · n = %3"), QT_TR_NOOP("%1 · %2 sequences/s · n = %3"),
         QT_TR_NOOP("%1 · %2 tokens/s · n = %3"), QT_TR_NOOP("%1 · %2 items/s · n = %3")},
        {QT_TR_NOOP("%1 GFLOP per image, forward and backward"),
         QT_TR_NOOP("%1 GFLOP per sequence, forward and backward"),
         QT_TR_NOOP("%1 GFLOP per token, forward and backward"), QT_TR_NOOP("%1 GFLOP per item, forward and backward")},
    };
};

static_assert(std::size(ItemTexts::kTexts) == std::size_t(ItemText::work) + 1);

} // namespace

QString itemText(ItemText text, report::Items items)
{
    return ItemTexts::tr(ItemTexts::kTexts[std::size_t(text)][std::size_t(items)]);
}

} // namespace ringside
