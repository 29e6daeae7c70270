// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/experiments/experimentdetails.h"

#include "app/models/experimentmodel.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "app/widgets/actionbutton.h"
#include "app/widgets/arrange.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"

#include <QPushButton>

namespace ringside {

ExperimentDetails::ExperimentDetails(const PageContext& context)
    : m_context(context)
    , m_question(makeParagraph(LabelKind::text))
    , m_configurations(new KeyNumber(tr("Configurations")))
    , m_repeats(new KeyNumber(tr("Repeats per configuration")))
    , m_done(new KeyNumber(tr("Runs done")))
    , m_failed(new KeyNumber(tr("Runs failed")))
{
    for (const auto id : {ActionId::compareExperiment, ActionId::goMonitor, ActionId::editExperiment,
                          ActionId::duplicate, ActionId::launch})
        addToTitle(new ActionButton(context.actions[id]));
    auto* numbers = makeRow({}, 24);
    for (auto* number : {m_configurations, m_repeats, m_done, m_failed})
        numbers->addWidget(number, 1, Qt::AlignTop);
    addTo(*body(), {m_question, numbers});
}

void ExperimentDetails::setExperiment(const store::ExperimentRow& row)
{
    const auto& runs = row.runs;
    setTitle(toQt(row.name));
    m_question->setText(toQt(row.question));
    m_question->setVisible(!row.question.empty());
    m_configurations->setNumber(Numbers::count(row.configurations), tr("%n run(s) in all", nullptr, plannedRuns(row)));
    m_repeats->setNumber(Numbers::count(row.repeats),
                         row.repeats < 6 ? tr("no interval below 6") : tr("enough for a 95 % interval"));
    m_done->setNumber(Numbers::count(runs.done), tr("of %1").arg(Numbers::count(plannedRuns(row))));
    m_failed->setNumber(Numbers::count(runs.failed),
                        runs.failed > 0 ? tr("counted, and left out of values") : tr("none"));
}

} // namespace ringside
