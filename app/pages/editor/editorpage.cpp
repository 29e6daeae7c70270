// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/editorpage.h"

#include "app/pages/editor/constantfields.h"
#include "app/pages/editor/drafthistory.h"
#include "app/pages/editor/experimentform.h"
#include "app/pages/editor/experimentopener.h"
#include "app/pages/editor/launchoffer.h"
#include "app/pages/editor/previewtabs.h"
#include "app/pages/editor/summarycard.h"
#include "app/pages/editor/tomlexport.h"
#include "app/pages/editor/tomltab.h"
#include "app/session/background.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/text/text.h"
#include "app/widgets/actionbutton.h"
#include "app/widgets/arrange.h"
#include "app/widgets/card.h"
#include "app/widgets/checkslist.h"
#include "app/widgets/columnscroll.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"
#include "core/sites/localsite.h"
#include "core/sites/sitebook.h"
#include "core/store/queries.h"

#include <QApplication>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTimer>
#include <chrono>

namespace ringside {

namespace {

/// After the last key, so that the matrix does not flicker while a level is typed.
constexpr std::chrono::milliseconds kEvaluationDelay{150};

const QString kLaunch = QStringLiteral("launch"), kField = QStringLiteral("field:"); // Target::show

/// Lists the parts of a draft that its experiment lacks: "“fp8”, Precision (no levels)".
QString leftOutOf(const ReadDraft& read)
{
    QStringList parts;
    for (const std::string& level : read.notCounted)
        parts << EditorPage::tr("“%1”").arg(toQt(level));
    for (const std::string& key : read.empty)
        parts << EditorPage::tr("%1 (no levels)", "a factor").arg(toQt(spec::shownLabelOf(key)));
    return parts.join(QStringLiteral(", "));
}

QString whyNothingIsMissing()
{
    return EditorPage::tr("No run is missing: each is done, under way or has failed. More repeats or levels make more "
                          "runs, and page Monitor retries failed ones.");
}

} // namespace

EditorPage::EditorPage(const PageContext& context)
    : Page(context)
    , m_opened(context.preferences)
    , m_systems(context.session)
    , m_opener(new ExperimentOpener(context, this))
    , m_form(new ExperimentForm(context.theme))
    , m_history(new DraftHistory(*m_form))
    , m_summary(new SummaryCard)
    , m_tabs(new PreviewTabs(context.theme))
    , m_checksCard(new Card)
    , m_checks(new ChecksList(context.theme, 2))
    , m_unsaved(makeLabel(LabelKind::warning, tr("Unsaved changes")))
    , m_delay(new QTimer(this))
    , m_probe("site probe")
{
    build();
    bindActions();
    bindUndo();
    m_delay->setSingleShot(true);
    m_delay->setInterval(kEvaluationDelay);
    connect(m_delay, &QTimer::timeout, this, [this] {
        m_opened.leave(m_form->draft()); // whatever ends the program, what was typed is there again
        evaluateNow();
    });
    connect(m_opener, &ExperimentOpener::opened, this, &EditorPage::showOpened);
    connect(m_opener, &ExperimentOpener::failed, this, &EditorPage::showError);
    connect(m_opener, &ExperimentOpener::loading, this, &EditorPage::setLoading);
    connect(m_form, &ExperimentForm::edited, this, &EditorPage::draftEdited);
    connect(m_form, &ExperimentForm::tomlAsked, m_tabs, &PreviewTabs::showToml);
    connect(m_form, &ExperimentForm::tomlDiscarded, this, &EditorPage::discardToml);
    connect(m_tabs, &PreviewTabs::tickedChanged, m_form, &ExperimentForm::setCounted);
    connect(m_tabs, &PreviewTabs::tomlEdited, this, &EditorPage::takeToml);
    connect(m_tabs, &PreviewTabs::tomlDiscarded, this, &EditorPage::discardToml);
    connect(m_checks, &ChecksList::fieldAsked, this, &EditorPage::goToField);
    connect(m_tabs, &PreviewTabs::fieldAsked, this, &EditorPage::goToField);
    connect(&context.session, &Session::accessChanged, this, &EditorPage::refreshActions);
    connect(&m_systems, &SiteSystems::changed, this, &EditorPage::evaluateNow);
    refreshActions();
}

void EditorPage::build()
{
    auto* formCard = new Card;
    formCard->body()->setContentsMargins(1, 1, 1, 1);
    formCard->body()->addWidget(m_form);
    m_checksCard->body()->addWidget(m_checks);
    m_checksCard->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* right = new QWidget;
    fillColumn(right, {m_summary, {m_tabs, 1}, m_checksCard}, space::kGap);
    auto* side = scrolled(right);
    auto* columns = makeSplitter(Qt::Horizontal, {formCard, side});
    setSidePanel(side);
    columns->setSizes({526, 610});
    columns->setStretchFactor(1, 1);
    keepState(*columns, QStringLiteral("editor/columns"));
    addTo(*content(), {{columns, 1}, makeFooter()});
}

QWidget* EditorPage::makeFooter()
{
    auto* footer = new QWidget;
    auto* row = fillRow(footer, {m_unsaved, stretch()}, 8);
    for (const ActionId id : {ActionId::exportToml, ActionId::save, ActionId::tryOneRun})
        row->addWidget(new ActionButton(action(id)));
    row->addWidget(primary(new ActionButton(action(ActionId::launch))));
    return footer;
}

void EditorPage::bindActions()
{
    bind(ActionId::save, [this] { save(); });
    bind(ActionId::exportToml, [this] { exportToml(); });
    bind(ActionId::tryOneRun, [this] { tryOneRun(); });
    bind(ActionId::launch, [this] { launch(); });
    const auto onKeys = [this](const QKeySequence& keys, auto act) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, act);
    };
    onKeys(Qt::Key_F8, [this] { goToCheck(1); });
    onKeys(Qt::SHIFT | Qt::Key_F8, [this] { goToCheck(-1); });
    onKeys(Qt::ALT | Qt::Key_Insert, [this] { m_form->addFactor(); });
    onKeys(Qt::CTRL | Qt::Key_Tab, [this] { m_tabs->step(1); });
    onKeys(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab, [this] { m_tabs->step(-1); });
}

/// Undoes in the form; a text beside it, such as the TOML, undoes its own.
void EditorPage::bindUndo()
{
    const auto text = [this] { return m_tabs->editedText(); };
    bind(ActionId::undo, [this, text] { text() ? text()->undo() : m_history->undo(); });
    bind(ActionId::redo, [this, text] { text() ? text()->redo() : m_history->redo(); });
    const auto refresh = [this, text] {
        setActionEnabled(ActionId::undo, text() || m_history->canUndo());
        setActionEnabled(ActionId::redo, text() || m_history->canRedo());
    };
    connect(m_history, &DraftHistory::restored, this, &EditorPage::setDraft);
    connect(m_history, &DraftHistory::changed, this, refresh);
    connect(qApp, &QApplication::focusChanged, this, [this, refresh](const QWidget*, const QWidget* now) {
        if (now && isAncestorOf(now)) // not while the window goes, and its actions have gone
            refresh();
    });
}

void EditorPage::activate(const Target& target)
{
    learnSites();
    learnSite();
    m_opener->open(target, !m_opened.isAny());
}

void EditorPage::deactivate()
{
    m_opener->stop();
    m_whenEvaluated = {};
    m_systems.follow({});
    m_opened.leave(m_form->draft());
}

/// Shows what was opened, or the draft that was made of it before.
void EditorPage::showOpened(const Opening& opening)
{
    m_opened.leave(m_form->draft());
    m_evaluation = {};
    m_evaluated.reset();
    m_evaluationJob.cancel();
    m_whenEvaluated = {};
    m_tabs->toml().begin();
    setDraft(m_opened.begin(opening.origin, opening.base));
    m_history->begin();
    if (!opening.unreadable)
        return showAsked(opening.show);
    m_tabs->showToml();
    showError(*opening.unreadable);
}

void EditorPage::showAsked(const QString& what)
{
    if (what == kLaunch)
        offerOpened();
    else if (what.startsWith(kField))
        goToField(what.mid(kField.size()));
}

/// The experiment was chosen in a list, or its file was named: what was never saved of it is not launched unseen.
void EditorPage::offerOpened()
{
    if (!m_opened.isEdited(m_form->draft()))
        m_whenEvaluated = [this] { launch(); };
    else
        showMessage({Severity::info, tr("It was changed and not saved. Launch saves and runs what the form shows.")});
}

/// Only the systems of another site are known, and only while there is contact: later more may have been installed.
spec::SiteLimits EditorPage::limits() const
{
    const std::string& site = m_form->draft().experiment.site;
    if (site == spec::kLocalSite)
        return m_site.value_or(spec::SiteLimits{});
    spec::SiteLimits limits = unknownSite(site);
    if (const InstalledEngines* installed = m_systems.find(toQt(site)); installed && m_systems.isReachable())
        setEngines(limits, *installed);
    return limits;
}

Surroundings EditorPage::surroundings() const
{
    const auto& found = context().session.programs();
    Surroundings around{limits(), {}, {}};
    around.programs.agent = found.agent;
    around.programs.worker = found.worker;
    around.programs.localRoot = dataFolder().value_or(fs::path());
    around.opened = toUtf8(m_opened.storedName());
    return around;
}

/// Systems come and go while other pages are shown; what was known holds until the answer. The worker itself is asked
/// once: loading its libraries takes seconds on a cold disk.
void EditorPage::learnSite()
{
    m_systems.follow({}); // until what is opened says which site is asked
    const Asking asking = m_site ? Asking::ifUnknown : Asking::always;
    runRepeatedly(
        m_probe, m_siteJob, this,
        [worker = context().session.programs().worker, asking](std::stop_token) { return localSite(worker, asking); },
        [this](const spec::SiteLimits& site) {
            m_site = site;
            if (m_opened.isAny())
                evaluateNow();
        });
}

void EditorPage::learnSites()
{
    const auto read = [](const std::stop_token&) { return SiteBook::allOfUser(); };
    runLatest(m_probe, m_sitesJob, this, read, [this](const Result<std::vector<SiteBook::Entry>>& sites) {
        QStringList names;
        for (const SiteBook::Entry& site : sites.value_or(std::vector<SiteBook::Entry>{}))
            names << toQt(site.name);
        m_form->setSites(names);
    });
}

/// This computer's are looked for by learnSite().
void EditorPage::followSystems()
{
    const std::string& site = m_form->draft().experiment.site;
    const QString wanted = site == spec::kLocalSite ? QString() : toQt(site);
    if (wanted != m_systems.followed())
        m_systems.follow(wanted);
}

void EditorPage::setDraft(const Draft& draft)
{
    m_form->setDraft(draft);
    m_tabs->toml().setUnread(draft.toml);
    clearMessage();
    draftEdited();
    refreshActions();
    evaluateNow();
}

void EditorPage::draftEdited()
{
    const Draft& draft = m_form->draft();
    setUnsavedChanges(m_opened.storedName().isEmpty() || m_opened.isEdited(draft));
    m_unsaved->setVisible(hasUnsavedChanges());
    const QString name = toQt(draft.experiment.name);
    setTitle(name.isEmpty() ? tr("New experiment") : name, tr("Experiments › edit"));
    setWindowName(name.isEmpty() ? tr("New experiment") : name);
    m_delay->start();
}

void EditorPage::evaluateNow()
{
    m_delay->stop();
    followSystems();
    const auto draft = m_form->draft();
    const auto around = surroundings();
    m_form->setLimits(around.site);
    context().session.queries().askRepeatedly(
        m_evaluationJob,
        [draft, around](const store::Database& db, std::stop_token) -> Result<Evaluation> {
            return evaluate(draft, around, &db);
        },
        [this, draft, around](Result<Evaluation> evaluation) {
            // Without a database there are no earlier runs to ask for; the rest is pure and quick.
            takeEvaluation(draft, evaluation ? std::move(*evaluation) : evaluate(draft, around, nullptr));
        });
}

void EditorPage::takeEvaluation(const Draft& draft, Evaluation evaluation)
{
    const Evaluation last = std::exchange(m_evaluation, std::move(evaluation));
    m_evaluated = draft;
    if (!m_evaluation.matrix && spec::hasBlocking(m_evaluation.checks))
        m_evaluation.keepMatrixOf(last); // the last valid matrix stays in sight while a level is wrong
    m_summary->show(m_evaluation);
    m_tabs->show(m_evaluation, m_form->draft());
    m_checks->show(m_evaluation.checks);
    m_checksCard->setVisible(!m_evaluation.checks.empty());
    m_form->constants().setScaling(scalingText(m_evaluation));
    if (m_evaluation.matrix)
        m_form->constants().setItems(
            report::itemsOfAll(m_evaluation.matrix->configurations, &spec::Configuration::settings));
    m_form->setChecks(m_evaluation.checks);
    m_check = -1;
    refreshActions();
    if (m_evaluated == m_form->draft() && m_site) // without the site too little was checked
        if (const auto act = std::exchange(m_whenEvaluated, {}))
            act();
}

/// A key may have been pressed since the last evaluation: what is launched is what was checked and shown.
void EditorPage::whenEvaluated(const std::function<void()>& act)
{
    if (m_evaluated == m_form->draft())
        return act();
    m_whenEvaluated = act;
    evaluateNow();
}

void EditorPage::refreshActions()
{
    const bool writing = context().session.access() == Session::Access::writing;
    const bool blocked = m_evaluation.blocked();
    const int runs = int(m_evaluation.missing.size());
    const bool nothingMissing = m_evaluation.matrix && !m_evaluation.matrix->runs.empty() && runs == 0;
    setActionText(ActionId::launch, runs > 0 ? tr("Launch %n run(s)…", "", runs) : QString());
    const QString whyNot = !writing                                  ? tr("The database can only be read here.")
                           : blocked && !m_evaluation.checks.empty() ? toQt(m_evaluation.checks.front().message)
                           : nothingMissing                          ? whyNothingIsMissing()
                                                                     : QString();
    setActionEnabled(ActionId::launch, writing && !blocked && !nothingMissing, whyNot);
    setActionEnabled(ActionId::tryOneRun, writing && !blocked, whyNot);
    setActionEnabled(ActionId::save, writing && !m_form->draft().experiment.name.empty(), writing ? QString() : whyNot);
}

/// The form follows each key that leaves a text which can be read.
void EditorPage::takeToml(const QString& text)
{
    const Draft draft = withToml(m_form->draft(), toUtf8(text));
    m_form->setDraft(draft);
    m_tabs->toml().setUnread(draft.toml);
    if (!draft.toml)
        clearMessage();
    m_history->noteEdit();
    draftEdited();
    refreshActions();
}

void EditorPage::discardToml()
{
    Draft draft = m_form->draft();
    draft.toml.reset();
    setDraft(draft);
    m_history->note();
}

/// A text that cannot be read is neither left out of what is written nor lost: nothing is written before it is right.
bool EditorPage::refusesToml(const QString& whatIsNot)
{
    const auto& toml = m_form->draft().toml;
    if (!toml)
        return false;
    const spec::Check problem = tomlProblem(*toml);
    const QString why = toQt(problem.message + " " + problem.hint).trimmed();
    showMessage({.severity = Severity::error,
                 .text = tr("%1 %2 The text is kept.", "Not saved., TOML, line 2: expected …").arg(whatIsNot, why),
                 .button = tr("Show line"),
                 .act = [this] { m_tabs->showToml(); }});
    return true;
}

void EditorPage::goToField(const QString& field)
{
    field == QLatin1String(kTomlField) ? m_tabs->showToml() : void(m_form->focusField(toUtf8(field)));
}

void EditorPage::goToCheck(int step)
{
    const int count = int(m_evaluation.checks.size());
    if (count == 0)
        return;
    m_check = (m_check + step + count) % count;
    goToField(toQt(m_evaluation.checks[std::size_t(m_check)].field));
}

void EditorPage::save()
{
    if (refusesToml(tr("Not saved.")))
        return;
    const auto draft = m_form->draft();
    context().session.request(
        this, calling(&Conductor::saveExperiment, readDraft(draft).experiment),
        [this, draft](const Result<void>& result) { result ? takeSaved(draft) : showError(result.error()); });
}

/// Another experiment may have been opened while this one was written.
void EditorPage::takeSaved(const Draft& draft)
{
    if (m_form->draft().experiment.name != draft.experiment.name)
        return;
    const ReadDraft read = readDraft(draft);
    m_opened.setSaved(read.isWhole() ? draft : draftOf(read.experiment));
    draftEdited();
    if (!read.isWhole())
        showMessage(
            {.severity = Severity::warning,
             .text = tr("Saved without %1. The form stays unsaved until all of it can be read.").arg(leftOutOf(read))});
}

void EditorPage::launch()
{
    whenEvaluated([this] { offer(launchOf(m_evaluation.experiment, m_evaluation.experiment.site)); });
}

/// Shows the meaning before anything is submitted.
void EditorPage::offer(const LaunchRequest& request)
{
    if (m_evaluation.blocked())
        return goToCheck(1);
    if (!request.trial && m_evaluation.missing.empty()) // the list cannot know it
        return showMessage({Severity::info, whyNothingIsMissing()});
    offerLaunch(
        context(), this, m_evaluation, request,
        {[this](const LaunchRequest& wanted) { start(wanted); }, [this](const QString& field) { goToField(field); }});
}

void EditorPage::tryOneRun()
{
    whenEvaluated([this] {
        LaunchRequest request = launchOf(m_evaluation.experiment, m_evaluation.experiment.site);
        request.trial = true;
        if (request.site != spec::kLocalSite)
            return offer(request);
        m_evaluation.blocked() ? goToCheck(1) : start(request);
    });
}

/// The form is saved with its launch, with a trial only where the store has nothing of its name yet.
void EditorPage::start(const LaunchRequest& request)
{
    if (refusesToml(tr("Not saved.")))
        return;
    const QString name = toQt(request.experiment);
    const bool isStored = name == m_opened.storedName() || context().session.experiments().holds(name);
    context().session.request(
        this, calling(&Conductor::launch, request),
        [this, draft = m_form->draft(), name, isSaved = !request.trial || !isStored](const Result<void>& result) {
            if (!result)
                return showError(result.error());
            if (isSaved)
                takeSaved(draft);
            if (isVisible() && toQt(m_form->draft().experiment.name) == name) // else the user is at something else
                context().shell.go({.page = PageId::monitor, .experiment = name});
        });
}

void EditorPage::exportToml()
{
    if (refusesToml(tr("Not exported.")))
        return;
    const ReadDraft read = readDraft(m_form->draft());
    if (!read.isWhole())
        showMessage(
            {.severity = Severity::warning, .text = tr("The file is written without %1.").arg(leftOutOf(read))});
    ringside::exportToml(context(), this, m_probe, read.experiment, [this](const Error& error) { showError(error); });
}

} // namespace ringside
