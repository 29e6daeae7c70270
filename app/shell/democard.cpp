// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/democard.h"

#include "app/session/background.h"
#include "app/text/text.h"
#include "app/widgets/actioncard.h"
#include "app/widgets/arrange.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"

#include "core/base/files.h"
#include "core/jobs/schedulers/table.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QPushButton>
#include <sys/sysinfo.h>

namespace ringside {

namespace {

constexpr qsizetype kErrorBytes = 4096;

/// The demo cluster has the scheduler that is meant where none is named.
QString titleOfScheduler()
{
    return toQt(std::string(jobs::schedulers().front()->title()));
}

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
        return DemoCard::tr("%1 and sshd").arg(titleOfScheduler());
    if (step == QStringLiteral("site"))
        return DemoCard::tr("The site “demo”");
    return step;
}

QString idleNote()
{
    return DemoCard::tr("About 1 minute to start · may ask for your password");
}

/// As far as it can be known without root's rights: it came up since this computer was started, and its first process,
/// where it has one of its own, is there.
bool isUpNow()
{
    const fs::path folder = dataFolder().value_or(fs::path()) / "demo-cluster";
    const QFileInfo up(toQt((folder / "up").string()));
    struct sysinfo machine
    {
    };
    if (!up.exists() || ::sysinfo(&machine) != 0 ||
        up.lastModified() < QDateTime::currentDateTime().addSecs(-machine.uptime))
        return false;
    const auto first = readFile(folder / "hosts/switch");
    return !first || QFileInfo::exists(QStringLiteral("/proc/") + toQt(*first).section(QLatin1Char(' '), 0, 0));
}

} // namespace

QString DemoCard::script()
{
    const QFileInfo file(QCoreApplication::applicationDirPath() + QStringLiteral("/../../../tests/cluster/up.sh"));
    return file.isExecutable() ? file.canonicalFilePath() : QString();
}

DemoCard::DemoCard(const PageContext& context)
    : m_context(context)
    , m_problem(makeParagraph(LabelKind::error))
    , m_button(new QPushButton(tr("Start the demo cluster")))
    , m_icon(new IconLabel(context.theme, QStringLiteral("play"), Ink::running, 12))
    , m_note(makeParagraph(LabelKind::caption, idleNote()))
    , m_files("demo cluster")
{
    auto* note =
        makeRow({m_icon, {m_note, 1}}, 6); // where the steps stand too, so that the card's height does not change
    m_icon->hide();
    fillActionCard(*this, context.theme, QStringLiteral("server"), tr("Try a cluster without a cluster"),
                   tr("Starts a small %1 cluster with a login node and three compute nodes on this computer, so that "
                      "connecting, submitting and watching can be tried safely.")
                       .arg(titleOfScheduler()),
                   m_button, note);
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
        m_context.shell.go({.page = PageId::sites, .show = QString::fromLatin1(kDemoSite)});
    else
        start();
}

void DemoCard::showEvent(QShowEvent* event)
{
    Card::showEvent(event);
    const auto look = [](const std::stop_token&) { return isUpNow(); };
    runLatest(m_files, m_job, this, look, [this](bool isUp) {
        if (m_process.state() == QProcess::NotRunning && isUp != m_isUp)
            take(isUp);
    });
}

/// One that is up already is left as it is, and one that came halfway is begun again.
void DemoCard::start()
{
    m_errorText.clear();
    m_problem->hide();
    showStep({}, Ink::text2, idleNote());
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
    showStep(QStringLiteral("play"), Ink::running, titleOf(step));
}

void DemoCard::end(bool isUp)
{
    if (isUp)
        return take(true);
    m_button->setEnabled(true);
    m_button->setText(tr("Try again"));
    if (!m_icon->isHidden())
        m_icon->setIcon(QStringLiteral("cross"), Ink::failed);
    // Its own words are the last that it says, after those of apt and others.
    const QString own = m_errorText.section(QStringLiteral("ringside: "), -1).trimmed();
    m_problem->setText(own.isEmpty() ? tr("The demo cluster did not come up, and did not say why. Start %1 in a "
                                          "terminal to see more.")
                                           .arg(shortPath(script()))
                                     : own);
    m_problem->show();
}

void DemoCard::take(bool isUp)
{
    m_isUp = isUp;
    m_button->setEnabled(true);
    m_button->setText(isUp ? tr("Show the site") : tr("Start the demo cluster"));
    m_problem->hide();
    if (isUp)
        showStep(QStringLiteral("tick"), Ink::done, tr("It is up, as the site “demo”"));
    else
        showStep({}, Ink::text2, idleNote());
}

/// Without an icon where nothing is under way.
void DemoCard::showStep(const QString& icon, Ink ink, const QString& text)
{
    m_icon->setVisible(!icon.isEmpty());
    if (!icon.isEmpty())
        m_icon->setIcon(icon, ink);
    m_note->setText(text);
}

} // namespace ringside
