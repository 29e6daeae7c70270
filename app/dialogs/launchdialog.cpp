// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/launchdialog.h"

#include "app/style/fonts.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/checkslist.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include "core/sites/findings.h"
#include "core/store/queries.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <algorithm>

namespace ringside {

namespace {

DialogHead headOf(const QString& site, int runs)
{
    return {LaunchDialog::tr("Launch"),
            LaunchDialog::tr("Launch %n run(s) on %1?", nullptr, runs).arg(siteInSentence(toUtf8(site))),
            QStringLiteral("play")};
}

constexpr int kMostChecks = 3;

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

/// Digits further back would only be noise.
QString aboutHours(double hours)
{
    constexpr double kLeast = 0.01;
    return hours < kLeast ? QStringLiteral("< ") + QLocale().toString(kLeast)
                          : QStringLiteral("≈ ") + Numbers::threeDigits(hours);
}

} // namespace

LaunchDialog::LaunchDialog(const ThemeController& theme, QWidget* parent, const QString& site, int runs)
    : QuestionDialog(parent, theme, headOf(site, runs))
    , m_theme(theme)
    , m_runs(new KeyNumber(tr("Runs")))
    , m_jobs(new KeyNumber(tr("Jobs")))
    , m_nodeHours(new KeyNumber(tr("Node-hours")))
    , m_above(new QVBoxLayout)
    , m_status(makeParagraph(LabelKind::text))
    , m_queue(makeParagraph(LabelKind::caption))
    , m_waiting(makeParagraph(LabelKind::caption))
    , m_title(makeLabel(LabelKind::strong, tr("Commands")))
    , m_script(new QPlainTextEdit)
{
    setMinimumSize(640, 560);
    addNumbers(runs);
    body()->addLayout(m_above);
    for (QLabel* label : {m_queue, m_waiting}) {
        body()->addWidget(label);
        label->hide();
    }
    addScript();
    body()->addWidget(m_status);
    m_status->setText(tr("Asking %1…").arg(siteInSentence(toUtf8(site))));
    addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
    m_launch = addButton(tr("Launch %n run(s)", "", runs), QDialogButtonBox::AcceptRole,
                         [this] { Q_EMIT launchWanted(m_preview), accept(); });
    m_launch->setEnabled(false);
    setStandard(m_launch);
    m_script->setFocus(); // where no key does anything until the site has answered
}

void LaunchDialog::addNumbers(int runs)
{
    auto* row = makeRow({}, 16);
    for (KeyNumber* number : {m_runs, m_jobs, m_nodeHours})
        row->addWidget(number, 1, Qt::AlignTop);
    body()->addLayout(row);
    m_runs->setNumber(Numbers::count(runs), tr("missing and to be done"));
    m_jobs->setNumber(QStringLiteral("–"), tr("known once the site has answered"));
    showNodeHours();
}

void LaunchDialog::expect(double nodeSeconds)
{
    m_expected = nodeSeconds;
    showNodeHours();
}

/// A job ends at its time limit, so it cannot use more than that; as a rule it uses less.
void LaunchDialog::showNodeHours()
{
    const QString expected =
        m_expected > 0 ? tr("%1 expected, from earlier runs").arg(aboutHours(m_expected / 3600)) : QString();
    const double most = m_preview.mostNodeSeconds / 3600;
    if (most > 0)
        m_nodeHours->setNumber(tr("at most %1", "node-hours").arg(Numbers::threeDigits(most)),
                               expected.isEmpty() ? tr("by the time limit of the jobs") : expected);
    else if (m_expected > 0)
        m_nodeHours->setNumber(aboutHours(m_expected / 3600), tr("from earlier runs"));
    else
        m_nodeHours->setNumber(tr("unknown"), tr("before such runs were made"));
}

void LaunchDialog::addAbove(const QString& paragraph)
{
    addAbove(makeParagraph(LabelKind::text, paragraph));
}

void LaunchDialog::addAbove(QWidget* widget)
{
    m_above->addWidget(widget);
}

/// They may come while the dialog is shown: it grows by them, or the script would be squeezed.
void LaunchDialog::showChecks(const std::vector<spec::Check>& checks)
{
    if (checks.empty())
        return;
    auto* list = new ChecksList(m_theme, kMostChecks);
    list->show(checks);
    connect(list, &ChecksList::fieldAsked, this, [this](const QString& field) { reject(), Q_EMIT fieldAsked(field); });
    addAbove(list);
    if (isVisible())
        resize(width(), height() + list->heightForWidth(width()) + space::kGap);
}

void LaunchDialog::offerToTell(Preferences& preferences, const std::string& experiment)
{
    auto* tick = new QCheckBox(tr("Tell me when it ends"));
    tick->setToolTip(tr("By a notification of the desktop, while the window is not in front"));
    tick->setChecked(preferences.desktopNotifications());
    addBesideButtons(tick);
    connect(this, &LaunchDialog::launchWanted, tick,
            [tick, &preferences, name = toQt(experiment)] { preferences.setAnnouncesEndOf(name, tick->isChecked()); });
}

void LaunchDialog::ask(Session& session, const LaunchRequest& request)
{
    SiteStates& sites = session.sites();
    const QString site = toQt(request.site);
    connect(&sites, &SiteStates::changed, this,
            [this, &sites, site] { showSite(sites.stepsOf(site), sites.factsOf(site)); });
    countWaiting(session, request.site);
    session.request<LaunchPreview>(this, calling(&Conductor::preview, request),
                                   [this](const Result<LaunchPreview>& preview) {
                                       preview ? showPreview(*preview) : showProblem(preview.error());
                                   });
}

/// Counts runs of this database: others' are in the load of the partitions.
void LaunchDialog::countWaiting(Session& session, const std::string& site)
{
    struct Waiting
    {
        int jobs = 0, runs = 0;
    };
    const auto count = [site](const store::Database& db, std::stop_token) -> Result<Waiting> {
        Waiting waiting;
        TRY_ASSIGN(const auto campaigns, store::campaigns(db, true));
        TRY_ASSIGN(const auto runs, store::runs(db));
        waiting.jobs = int(std::ranges::count(campaigns, site, &store::CampaignRow::site));
        waiting.runs = int(std::ranges::count_if(
            runs, [&](const store::RunRow& run) { return run.site == site && run.inCampaign && !isFinal(run.state); }));
        return waiting;
    };
    session.queries().ask(m_waitingJob, count, [this, site](const Result<Waiting>& waiting) {
        if (!waiting || waiting->jobs == 0)
            return;
        m_waiting->setText(tr("Already on %1 from here: %2, %3.", "site, jobs, runs")
                               .arg(siteInSentence(site), tr("%n job(s)", "", waiting->jobs),
                                    tr("%n run(s) to be done", "", waiting->runs)));
        m_waiting->show();
    });
}

void LaunchDialog::addScript()
{
    auto* head = makeRow({m_title, stretch()});
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
    m_title->setText(preview.scheduler.empty() ? tr("Commands")
                     : preview.jobs > 1 ? tr("The first of %n job script(s), as it is submitted", "", int(preview.jobs))
                                        : tr("Job script, as it is submitted"));
    m_script->setPlainText(toQt(preview.script));
    const bool isJob = !preview.scheduler.empty() && preview.runs > 0;
    m_runs->setNumber(Numbers::count(qint64(preview.runs)), tr("missing and to be done"));
    m_jobs->setNumber(isJob ? Numbers::count(qint64(preview.jobs)) : QStringLiteral("–"),
                      !isJob              ? tr("the runs start at once, one after another")
                      : preview.jobs == 1 ? tr("with all runs interleaved")
                                          : tr("one for each run"));
    showNodeHours();
    m_status->setText(preview.runs > 0 ? QString() : tr("Nothing is missing: a launch would run nothing."));
    m_status->setVisible(!m_status->text().isEmpty());
    m_launch->setText(tr("Launch %n run(s)", "", int(preview.runs)));
    m_launch->setEnabled(preview.runs > 0);
    if (focusWidget() == m_script) // else a key may be on its way to a button that the user chose
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
