// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/summarycard.h"

#include "app/widgets/arrange.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include <QCoreApplication>
#include <algorithm>

namespace ringside {

SummaryCard::SummaryCard()
    : m_runs(new KeyNumber(tr("Runs")))
    , m_ranks(new KeyNumber(tr("Ranks at once")))
    , m_time(new KeyNumber(tr("Run time")))
{
    const int spacing = space::kField / 2; // with large text there is no room to spare
    body()->addLayout(makeRow({{m_runs, 1}, {m_ranks, 1}, {m_time, 1}}, spacing));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void SummaryCard::show(const Evaluation& evaluation)
{
    if (!evaluation.matrix) {
        for (KeyNumber* number : {m_runs, m_ranks, m_time})
            number->setNumber(QStringLiteral("–"), tr("settle the checks first"));
        return;
    }
    const spec::Matrix& matrix = *evaluation.matrix;
    showRuns(evaluation);
    std::int64_t ranks = 0, cores = 0;
    for (const spec::Configuration& configuration : matrix.configurations) {
        ranks = std::max(ranks, integerOf(configuration.settings, "ranks").value_or(1));
        cores = std::max(cores, integerOf(configuration.settings, "cores_per_rank").value_or(1));
    }
    m_ranks->setNumber(Numbers::count(ranks), tr("with %n core(s) each", "", int(cores)));
    showTime(evaluation);
}

/// The runs that a launch would make; and of how many, where some are there already.
void SummaryCard::showRuns(const Evaluation& evaluation)
{
    const int all = int(evaluation.matrix->runs.size()), missing = int(evaluation.missing.size());
    const QString product = tr("%n configuration(s)", "", int(evaluation.matrix->configurations.size())) +
                            QStringLiteral(" × ") + tr("%n repeat(s)", "", evaluation.experiment.runs.repeats);
    m_runs->setNumber(Numbers::count(missing), missing == all ? product : tr("missing of %n", "runs", all));
}

void SummaryCard::showTime(const Evaluation& evaluation)
{
    const auto seconds = evaluation.secondsMissing();
    if (evaluation.missing.empty())
        m_time->setNumber(QStringLiteral("0"), tr("nothing is missing"));
    else if (seconds)
        m_time->setNumber(QStringLiteral("≈ ") + Numbers::duration(*seconds), tr("from earlier runs"));
    else
        m_time->setNumber(tr("unknown"), tr("until a first run of each"));
}

QString timeText(const Evaluation& evaluation)
{
    const auto seconds = evaluation.secondsMissing();
    return seconds ? SummaryCard::tr("About %1, from earlier runs of these configurations.")
                         .arg(Numbers::duration(*seconds))
                   : SummaryCard::tr("Time unknown until a first run of each configuration.");
}

QString scalingText(const Evaluation& evaluation)
{
    if (!evaluation.matrix)
        return {};
    switch (evaluation.matrix->scaling) {
    case spec::Scaling::weak:
        return SummaryCard::tr("Fixed per rank, so this is weak scaling.");
    case spec::Scaling::strong:
        return SummaryCard::tr("Fixed over all ranks, so this is strong scaling.");
    case spec::Scaling::mixed:
        return SummaryCard::tr("Neither batch is fixed everywhere: scaling is mixed.");
    case spec::Scaling::none:
        break;
    }
    return {};
}

} // namespace ringside
