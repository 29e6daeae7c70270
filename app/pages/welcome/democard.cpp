// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/welcome/democard.h"

#include "app/pages/welcome/actioncard.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

constexpr qsizetype kErrorBytes = 4096;

/// The steps that `up.sh --steps` names; one that is not known here is shown by its name.
QString titleOf(const QString& step)
{
    if (step == QStringLiteral("packages"))
        return DemoCard::tr("Packages that it needs");
    if (step == QStringLiteral("loopback"))
        return DemoCard::tr("No namespaces here: all hosts are this computer");
    if (step == QStringLiteral("files"))
        return DemoCard::tr("Keys and configuration");
    if (step == QStringLiteral("hosts"))
        return DemoCard::tr("Hosts");
    if (step == QStringLiteral("services"))
        return DemoCard::tr("Slurm and sshd");
    if (step == QStringLiteral("site"))
        return DemoCard::tr("The site “demo”");
    return step;
}

} // namespace

QString DemoCard::script()
{
    const QFileInfo file(QCoreApplication::applicationDirPath() + QStringLiteral("/../../../tests/cluster/up.sh"));
    return file.isExecutable() ? file.canonicalFilePath() : QString();
}

DemoCard::DemoCard(const PageContext& context, QWidget* parent)
    : Card(parent)
    , m_context(context)
    , m_stepsArea(new QVBoxLayout)
    , m_problem(makeParagraph(LabelKind::error))
    , m_button(new QPushButton(tr("Start the demo cluster")))
{
    fillActionCard(*this, context.theme, QStringLiteral("server"), tr("Try a cluster without a cluster"),
                   tr("Starts a small Slurm cluster with a login node and three compute nodes on this computer, so "
                      "that connecting, submitting and watching can be tried safely."),
                   m_button, tr("About 1 minute to start · may ask for your password"));
    m_stepsArea->setSpacing(4);
    body()->addLayout(m_stepsArea);
    body()->addWidget(m_problem);
    m_problem->hide();
    connect(m_button, &QPushButton::clicked, this, &DemoCard::press);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &DemoCard::readSteps);
    connect(&m_process, &QProcess::readyReadStandardError, this, &DemoCard::readErrors);
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        readSteps();
        readErrors();
        end(status == QProcess::NormalExit && code == 0);
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            m_errorText = m_process.errorString();
            end(false);
        }
    });
}

void DemoCard::press()
{
    if (m_isUp)
        m_context.shell.go({.page = PageId::sites, .show = QStringLiteral("demo")});
    else
        start();
}

/// One that is up already is left as it is, and one that came halfway is begun again.
void DemoCard::start()
{
    clear();
    m_button->setEnabled(false);
    m_button->setText(tr("Starting…"));
    m_process.start(script(), {QStringLiteral("--steps")}, QIODevice::ReadOnly);
}

void DemoCard::readSteps()
{
    m_process.setReadChannel(QProcess::StandardOutput);
    while (m_process.canReadLine()) {
        const QString line = QString::fromUtf8(m_process.readLine()).trimmed();
        const QString mark = QStringLiteral("step: ");
        if (line.startsWith(mark))
            begin(line.mid(mark.size()));
    }
}

void DemoCard::readErrors()
{
    m_errorText = (m_errorText + QString::fromUtf8(m_process.readAllStandardError())).right(kErrorBytes);
}

void DemoCard::begin(const QString& step)
{
    if (!m_steps.empty())
        m_steps.back().icon->setIcon(QStringLiteral("tick"), Ink::done);
    const Step row{new IconLabel(m_context.theme, QStringLiteral("play"), Ink::running, 16),
                   makeParagraph(LabelKind::caption, titleOf(step))};
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(row.icon);
    line->addWidget(row.text, 1);
    m_stepsArea->addLayout(line);
    m_steps.push_back(row);
}

void DemoCard::end(bool isUp)
{
    m_isUp = isUp;
    if (!m_steps.empty())
        m_steps.back().icon->setIcon(isUp ? QStringLiteral("tick") : QStringLiteral("cross"),
                                     isUp ? Ink::done : Ink::failed);
    m_button->setEnabled(true);
    m_button->setText(isUp ? tr("Show the site") : tr("Try again"));
    if (isUp)
        return;
    // Its own words are the last that it says, after those of apt and others.
    const QString own = m_errorText.section(QStringLiteral("ringside: "), -1).trimmed();
    m_problem->setText(own.isEmpty() ? tr("The demo cluster did not come up, and did not say why. Start %1 in a "
                                          "terminal to see more.")
                                           .arg(shortPath(script()))
                                     : own);
    m_problem->show();
}

void DemoCard::clear()
{
    m_steps.clear();
    m_errorText.clear();
    m_problem->hide();
    while (QLayoutItem* line = m_stepsArea->takeAt(0)) {
        while (QLayoutItem* part = line->layout()->takeAt(0)) {
            delete part->widget();
            delete part;
        }
        delete line;
    }
}

} // namespace ringside
