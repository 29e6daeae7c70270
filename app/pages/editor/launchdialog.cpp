// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/launchdialog.h"

#include "app/pages/editor/checkscard.h"
#include "app/pages/editor/summarycard.h"
#include "app/style/fonts.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"
#include "app/widgets/text.h"

#include "core/conductor/probewords.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

int runsOf(const Evaluation& evaluation, bool isTrial)
{
    return isTrial ? 1 : int(evaluation.missing.size());
}

DialogHead headOf(const Evaluation& evaluation, int runs)
{
    return {LaunchDialog::tr("Launch"),
            LaunchDialog::tr("Launch %n run(s) on %1?", nullptr, runs).arg(siteInSentence(evaluation.experiment.site)),
            QStringLiteral("play")};
}

/// The step that is under way; empty if none is.
QString stepText(const SiteStates::Steps& steps)
{
    for (const auto& [kind, step] : steps)
        if (step.state == SiteStep::State::running)
            return step.percent
                       ? LaunchDialog::tr("%1: %2 (%3 %)").arg(toQt(titleOf(kind)), toQt(step.text)).arg(*step.percent)
                       : LaunchDialog::tr("%1: %2").arg(toQt(titleOf(kind)), toQt(step.text));
    return {};
}

} // namespace

LaunchDialog::LaunchDialog(const ThemeController& theme, QWidget* parent, const Evaluation& evaluation, bool isTrial)
    : QuestionDialog(parent, theme, headOf(evaluation, runsOf(evaluation, isTrial)))
    , m_status(makeParagraph(LabelKind::text))
    , m_queue(makeParagraph(LabelKind::caption))
    , m_title(makeLabel(LabelKind::strong, tr("What is run")))
    , m_script(new QPlainTextEdit)
{
    setMinimumSize(640, 560);
    if (!isTrial)
        body()->addWidget(makeParagraph(LabelKind::text, timeText(evaluation)));
    body()->addWidget(makeParagraph(
        LabelKind::text,
        isTrial ? tr("The smallest configuration once, 20 iterations; kept apart from the results.")
                : tr("Runs that are done already are not repeated. You can close Ringside; the runs go on.")));
    body()->addWidget(m_queue);
    m_queue->hide();
    if (!evaluation.checks.empty()) {
        auto* checks = new ChecksList(theme, 3);
        checks->show(evaluation.checks);
        connect(checks, &ChecksList::fieldAsked, this, [this](const QString& field) {
            reject();
            Q_EMIT fieldAsked(field);
        });
        body()->addWidget(checks);
    }
    addScript();
    body()->addWidget(m_status);
    m_status->setText(tr("Asking %1…").arg(siteInSentence(evaluation.experiment.site)));
    auto* cancel = addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
    m_launch = addButton(tr("Launch %n run(s)", "", runsOf(evaluation, isTrial)), QDialogButtonBox::AcceptRole);
    m_launch->setEnabled(false);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_launch, &QPushButton::clicked, this, [this] { Q_EMIT launchWanted(m_preview), accept(); });
    setStandard(m_launch);
    cancel->setFocus();
}

void LaunchDialog::addScript()
{
    auto* head = new QHBoxLayout;
    head->addWidget(m_title);
    head->addStretch();
    auto* copy = link(new QPushButton(tr("Copy")));
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_script->toPlainText()); });
    head->addWidget(copy);
    body()->addLayout(head);
    m_script->setReadOnly(true);
    m_script->setFont(monospaceFont(font()));
    m_script->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_script->setTabChangesFocus(true);
    m_title->setBuddy(m_script);
    body()->addWidget(m_script, 1);
}

void LaunchDialog::showSite(const SiteStates::Steps& steps, const std::vector<SiteFact>& facts)
{
    if (const QString step = stepText(steps); !step.isEmpty() && !m_isDecided)
        m_status->setText(step);
    for (const SiteFact& fact : facts)
        if (fact.label == schedulerLabel())
            m_queue->setText(tr("%1: %2").arg(toQt(fact.label), toQt(fact.text)));
    m_queue->setVisible(!m_queue->text().isEmpty());
}

void LaunchDialog::showPreview(const LaunchPreview& preview)
{
    m_preview = preview;
    m_isDecided = true;
    m_title->setText(preview.scheduler.empty() ? tr("What is run")
                     : preview.jobs > 1 ? tr("The first of %n job script(s), as it is submitted", "", int(preview.jobs))
                                        : tr("Job script, as it is submitted"));
    m_script->setPlainText(toQt(preview.script));
    m_status->setText(preview.runs > 0 ? QString() : tr("Nothing is missing: a launch would run nothing."));
    m_status->setVisible(!m_status->text().isEmpty());
    m_launch->setText(tr("Launch %n run(s)", "", int(preview.runs)));
    m_launch->setEnabled(preview.runs > 0);
    m_launch->setFocus();
}

void LaunchDialog::showProblem(const Error& error)
{
    m_isDecided = true;
    m_launch->setEnabled(false);
    setStyled(*m_status, "kind", QStringLiteral("error"));
    m_status->setText(messageOf(error));
    m_status->show();
}

} // namespace ringside
