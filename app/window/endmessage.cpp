// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/endmessage.h"

#include "app/text/text.h"
#include "app/widgets/numbers.h"

#include <QCoreApplication>

namespace ringside {

namespace {

struct EndWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::EndWords)
};

Severity severityOf(const store::RunCounts& runs)
{
    if (runs.failed > 0)
        return runs.done > 0 ? Severity::warning : Severity::error;
    return runs.cancelled > 0 ? Severity::info : Severity::done;
}

} // namespace

Message endMessage(const store::ExperimentRow& experiment)
{
    const store::RunCounts& runs = experiment.runs;
    QStringList parts{EndWords::tr("%1 runs done", "154 of 156").arg(Numbers::ofTotal(runs.done, runs.total))};
    if (runs.failed > 0)
        parts << EndWords::tr("%n failed", "runs", runs.failed);
    if (runs.cancelled > 0)
        parts << EndWords::tr("%n cancelled", "runs", runs.cancelled);
    return {.severity = severityOf(runs),
            .text = EndWords::tr("%1: %2.", "experiment, what became of its runs")
                        .arg(toQt(experiment.name), parts.join(QStringLiteral(", "))),
            .about = toQt(experiment.name)};
}

} // namespace ringside
