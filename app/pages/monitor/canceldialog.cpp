// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/canceldialog.h"

#include "app/pages/monitor/runmodel.h"
#include "app/text/text.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include <QButtonGroup>
#include <QPushButton>
#include <QRadioButton>

namespace ringside {

CancelChoice CancelChoice::of(const RunModel& model, const QString& experiment, const RunId& shown)
{
    const store::RunRow* run = model.run(shown);
    if (!run || isFinal(run->state))
        run = model.trial();
    CancelChoice choice{
        .experiment = experiment, .waiting = model.counts().queued, .unfinished = model.counts().unfinished()};
    if (run && !isFinal(run->state))
        choice.run = *run;
    return choice;
}

CancelDialog::CancelDialog(QWidget* parent, const ThemeController& theme, const CancelChoice& choice,
                           std::function<void(const ControlOrder&)> chosen)
    : QuestionDialog(parent, theme, {tr("Cancel runs"), tr("Cancel runs"), QStringLiteral("cross")})
    , m_group(new QButtonGroup(this))
{
    body()->addWidget(
        makeParagraph(LabelKind::text, tr("Samples that are stored stay. What is cancelled can be launched again.")));
    for (Scope* scope : {&m_run, &m_waiting, &m_all})
        *scope = addScope();
    auto* keep = addButton(tr("Keep running"), QDialogButtonBox::RejectRole);
    m_cancel = danger(addButton({}, QDialogButtonBox::ActionRole, [this, chosen = std::move(chosen)] {
        chosen(chosenScope()->order);
        accept();
    }));
    connect(m_group, &QButtonGroup::buttonToggled, this, &CancelDialog::showChosen);
    offer(choice);
    for (QAbstractButton* button : m_group->buttons())
        if (!button->isHidden()) {
            button->setChecked(true);
            break;
        }
    setStandard(keep);
    keep->setFocus();
}

CancelDialog::Scope CancelDialog::addScope()
{
    auto* button = new QRadioButton;
    m_group->addButton(button);
    body()->addWidget(button);
    return {button};
}

void CancelDialog::offer(const CancelChoice& choice)
{
    if (choice.isEmpty())
        return reject();
    const std::string experiment = toUtf8(choice.experiment);
    const QString number = choice.run ? Numbers::count(choice.run->number) : QString();
    const RunId run = choice.run ? choice.run->id : RunId();
    set(m_run, choice.run.has_value(),
        {nullptr,
         tr("This run (run %1)").arg(number),
         tr("Cancel run %1").arg(number),
         {{Control::Kind::cancelRun, run}}});
    set(m_waiting, choice.waiting > 0 && choice.waiting < choice.unfinished, // else it is everything
        {nullptr,
         tr("All that are waiting (%n run(s)); what is running continues", "", choice.waiting),
         tr("Cancel %n run(s)", "", choice.waiting),
         {{Control::Kind::cancelWaiting}, experiment}});
    set(m_all, choice.unfinished > 0, // else it is a trial, which is counted among no runs
        {nullptr,
         tr("Everything (%n run(s))", "", choice.unfinished),
         tr("Cancel %n run(s)", "", choice.unfinished),
         {{Control::Kind::cancel}, experiment}});
    showChosen();
}

void CancelDialog::set(Scope& scope, bool isOffered, const Scope& now)
{
    const bool isSame = scope.order.control == now.order.control;
    scope = {scope.button, now.text, now.verb, now.order};
    scope.button->setText(now.text);
    scope.button->setVisible(isOffered);
    if (isOffered && isSame)
        return;
    m_group->setExclusive(false);
    scope.button->setChecked(false);
    m_group->setExclusive(true);
}

void CancelDialog::showChosen()
{
    const Scope* scope = chosenScope();
    m_cancel->setEnabled(scope);
    if (scope)
        m_cancel->setText(scope->verb);
}

const CancelDialog::Scope* CancelDialog::chosenScope() const
{
    for (const Scope* scope : {&m_run, &m_waiting, &m_all})
        if (scope->button->isChecked())
            return scope;
    return nullptr;
}

} // namespace ringside
