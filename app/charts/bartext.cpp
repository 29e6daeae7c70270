// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/bartext.h"

#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/numbers.h"
#include "core/protocol/phase.h"

#include <QStringList>

namespace ringside {

namespace {

QString ms(double value)
{
    return Numbers::threeDigits(value);
}

} // namespace

QString BarText::nameOf(const report::Bar& bar)
{
    switch (bar.activity) {
    case report::Activity::phase:
        return coreText(wordsOf(bar.phase).title);
    case report::Activity::forward:
        return tr("%1, forward").arg(toQt(bar.name));
    case report::Activity::backward:
        return tr("%1, backward").arg(toQt(bar.name));
    case report::Activity::communication:
        break;
    }
    return toQt(bar.name);
}

QString BarText::of(const report::Bar& bar)
{
    QStringList lines{nameOf(bar), tr("%1 ms, from %2 to %3 ms").arg(ms(bar.length), ms(bar.start), ms(bar.end()))};
    if (bar.bytes)
        lines << (bar.activity == report::Activity::communication
                      ? tr("%1 sent").arg(Numbers::bytes(*bar.bytes))
                      : tr("%1 of gradients").arg(Numbers::bytes(*bar.bytes)));
    if (bar.ready)
        lines << tr("gradients ready at %1 ms").arg(ms(*bar.ready));
    return lines.join(QLatin1Char('\n'));
}

} // namespace ringside
