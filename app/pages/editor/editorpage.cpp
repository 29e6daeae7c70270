// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/editorpage.h"

#include "app/pages/editor/checkscard.h"
#include "app/pages/editor/experimentform.h"
#include "app/pages/editor/launchdialog.h"
#include "app/pages/editor/previewtabs.h"
#include "app/pages/editor/summarycard.h"
#include "app/session/aside.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/shell/pageheader.h"
#include "app/widgets/actionbutton.h"
#include "app/widgets/card.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"
#include "app/widgets/text.h"
#include "core/conductor/localsite.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <chrono>

namespace ringside {

namespace {

/// After the last key, so that the matrix does not flicker while a level is typed.
constexpr std::chrono::milliseconds kEvaluationDelay{150};

const QString kDraftKey = QStringLiteral("editor/draft");

QString scalingText(const Evaluation& evaluation)
{
    if (!evaluation.matrix)
        return {};
    switch (evaluation.matrix->scaling) {
    case spec::Scaling::weak:
        return EditorPage::tr("Fixed per rank, so this is weak scaling.");
    case spec::Scaling::strong:
        return EditorPage::tr("Fixed over all ranks, so this is strong scaling.");
    case spec::Scaling::mixed:
        return EditorPage::tr("Neither batch is fixed everywhere: scaling is mixed.");
    case spec::Scaling::none:
        break;
    }
    return {};
}

} // namespace

EditorPage::EditorPage(const PageContext& context, QWidget* parent)
    : Page(context, parent)
    , m_form(new ExperimentForm(context.theme))
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
    m_delay->setSingleShot(true);
    m_delay->setInterval(kEvaluationDelay);
    connect(m_delay, &QTimer::timeout, this, &EditorPage::evaluateNow);
    connect(m_form, &ExperimentForm::edited, this, &EditorPage::draftEdited);
    connect(m_tabs, &PreviewTabs::tickedChanged, this,
            [this](const Settings& combination, bool ticked) { m_form->setExcluded(combination, !ticked); });
    connect(m_tabs, &PreviewTabs::tomlEdited, this, &EditorPage::takeToml);
    for (ChecksList* list : {m_checks})
        connect(list, &ChecksList::fieldAsked, this,
                [this](const QString& field) { m_form->focusField(toUtf8(field)); });
    connect(m_tabs, &PreviewTabs::fieldAsked, this,
            [this](const QString& field) { m_form->focusField(toUtf8(field)); });
    connect(&context.session, &Session::accessChanged, this, &EditorPage::refreshActions);
    learnSite();
}

void EditorPage::build()
{
    auto* formCard = new Card;
    formCard->body()->setContentsMargins(1, 1, 1, 1);
    formCard->body()->addWidget(m_form);
    m_checksCard->body()->addWidget(m_checks);
    m_checksCard->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* right = new QWidget;
    auto* rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins({});
    rightLayout->setSpacing(space::kGap);
    rightLayout->addWidget(m_summary);
    rightLayout->addWidget(m_tabs, 1);
    rightLayout->addWidget(m_checksCard);
    auto* columns = new QSplitter;
    columns->setHandleWidth(space::kGap);
    columns->setChildrenCollapsible(false);
    columns->addWidget(formCard);
    columns->addWidget(right);
    columns->setSizes({526, 610});
    columns->setStretchFactor(1, 1);
    content()->addWidget(columns, 1);
    content()->addWidget(makeFooter());
}

QWidget* EditorPage::makeFooter()
{
    auto* footer = new QWidget;
    auto* row = new QHBoxLayout(footer);
    row->setContentsMargins({});
    row->setSpacing(8);
    row->addWidget(m_unsaved);
    row->addStretch();
    row->addWidget(new ActionButton(action(ActionId::exportToml)));
    row->addWidget(new ActionButton(action(ActionId::save)));
    row->addWidget(new ActionButton(action(ActionId::tryOneRun)));
    row->addWidget(primary(new ActionButton(action(ActionId::launch))));
    return footer;
}

void EditorPage::bindActions()
{
    bind(ActionId::save, [this] { save(); });
    bind(ActionId::exportToml, [this] { exportToml(); });
    bind(ActionId::tryOneRun, [this] { save([this] { start(true); }); });
    bind(ActionId::launch, [this] { launch(); });
    auto* next = new QShortcut(QKeySequence(Qt::Key_F8), this);
    auto* previous = new QShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F8), this);
    auto* add = new QShortcut(QKeySequence(Qt::ALT | Qt::Key_Insert), this);
    connect(next, &QShortcut::activated, this, [this] { goToCheck(1); });
    connect(previous, &QShortcut::activated, this, [this] { goToCheck(-1); });
    connect(add, &QShortcut::activated, m_form, &ExperimentForm::addFactor);
}

ConductorOptions EditorPage::programs() const
{
    const Programs found = Programs::beside(toPath(QCoreApplication::applicationDirPath()));
    ConductorOptions options;
    options.agent = found.agent;
    options.worker = found.worker;
    options.localRoot = dataFolder().value_or(fs::path());
    return options;
}

/// Asked once: loading the worker's libraries takes seconds on a cold disk.
void EditorPage::learnSite()
{
    runAside(
        m_probe, m_siteJob, this, [worker = programs().worker](std::stop_token) { return localSite(worker); },
        [this](const spec::SiteLimits& site) {
            m_site = site;
            evaluateNow();
        });
}

void EditorPage::activate(const Target& target)
{
    if (!target.toml.isEmpty())
        openText(target.toml);
    else if (!target.experiment.isEmpty())
        openStored(target.experiment);
    else
        openNew();
}

void EditorPage::deactivate()
{
    keepDraft();
}

/// Leaving with changes asks nothing: the draft is there again when its experiment is opened.
void EditorPage::keepDraft()
{
    const bool changed = hasUnsavedChanges();
    const std::string text = spec::writeExperiment(readDraft(m_form->draft()).experiment);
    context().preferences.setWindowValue(kDraftKey, changed ? QStringList{toQt(m_saved.experiment.name), toQt(text)}
                                                            : QStringList());
}

void EditorPage::openStored(const QString& name)
{
    setLoading(true);
    context().session.queries().ask(
        m_openJob,
        [name = toUtf8(name)](const store::Database& db, std::stop_token) -> Result<spec::Experiment> {
            TRY_ASSIGN(const std::string text, store::experimentText(db, name));
            return spec::parseExperiment(text, name);
        },
        [this](const Result<spec::Experiment>& experiment) {
            setLoading(false);
            if (!experiment)
                return showError(experiment.error());
            setDraft(draftOf(*experiment), true);
            const QStringList kept = context().preferences.windowValue(kDraftKey).toStringList();
            if (kept.size() == 2 && kept[0] == toQt(experiment->name))
                if (const auto draft = spec::parseExperiment(toUtf8(kept[1])))
                    setDraft(draftOf(*draft), false);
        });
}

void EditorPage::openText(const QString& toml)
{
    const auto experiment = spec::parseExperiment(toUtf8(toml));
    if (!experiment)
        return showError(experiment.error());
    setDraft(draftOf(*experiment), false);
}

void EditorPage::openNew()
{
    spec::Experiment experiment;
    experiment.name = toUtf8(tr("untitled", "name of a new experiment"));
    experiment.factors = {{"ranks", {Value(std::int64_t{1}), Value(std::int64_t{2})}}};
    experiment.fixed = {{"model", Value(std::string("alexnet"))},
                        {"batch_per_rank", Value(std::int64_t{16})},
                        {"image_size", Value(std::int64_t{128})}};
    experiment.base = {{"ranks", Value(std::int64_t{1})}};
    experiment.runs.repeats = context().preferences.repeats();
    experiment.runs.warmup = context().preferences.warmup();
    experiment.runs.iterations = experiment.runs.warmup + 15;
    setDraft(draftOf(experiment), false);
}

void EditorPage::setDraft(const Draft& draft, bool saved)
{
    if (saved)
        m_saved = draft;
    m_form->setDraft(draft);
    clearMessage();
    draftEdited();
    evaluateNow();
}

void EditorPage::draftEdited()
{
    const Draft& draft = m_form->draft();
    setUnsavedChanges(!(draft == m_saved));
    m_unsaved->setVisible(hasUnsavedChanges());
    const QString name = toQt(draft.experiment.name);
    setTitle(name.isEmpty() ? tr("New experiment") : name, tr("Experiments › edit"));
    setWindowName(name.isEmpty() ? tr("New experiment") : name);
    m_delay->start();
}

void EditorPage::evaluateNow()
{
    m_delay->stop();
    const auto work = [draft = m_form->draft(), site = m_site,
                       programs = programs()](const store::Database& db, std::stop_token) -> Result<Evaluation> {
        return evaluate(draft, site, programs, &db);
    };
    context().session.queries().ask(m_evaluationJob, work, [this](Result<Evaluation> evaluation) {
        if (evaluation)
            return takeEvaluation(std::move(*evaluation));
        // Without a database there are no earlier runs to ask for; the rest is pure and quick.
        takeEvaluation(evaluate(m_form->draft(), m_site, programs(), nullptr));
    });
}

void EditorPage::takeEvaluation(Evaluation evaluation)
{
    const std::optional<spec::Matrix> last = m_evaluation.matrix;
    m_evaluation = std::move(evaluation);
    if (!m_evaluation.matrix && last && !m_evaluation.checks.empty())
        m_evaluation.matrix = last; // the last valid matrix stays in sight while a level is wrong
    m_summary->show(m_evaluation);
    m_tabs->show(m_evaluation);
    m_checks->show(m_evaluation.checks);
    m_checksCard->setVisible(!m_evaluation.checks.empty());
    m_form->setScaling(scalingText(m_evaluation));
    m_check = -1;
    refreshActions();
}

void EditorPage::refreshActions()
{
    const bool writing = context().session.access() == Session::Access::writing;
    const bool blocked = m_evaluation.blocked();
    const int runs = m_evaluation.matrix ? int(m_evaluation.matrix->runs.size()) : 0;
    setActionText(ActionId::launch, tr("Launch %n run(s)…", "", runs));
    setActionEnabled(ActionId::launch, writing && !blocked);
    setActionEnabled(ActionId::tryOneRun, writing && !blocked);
    setActionEnabled(ActionId::save, writing && !m_form->draft().experiment.name.empty());
    action(ActionId::launch)
        ->setToolTip(blocked && !m_evaluation.checks.empty() ? toQt(m_evaluation.checks.front().message) : QString());
}

void EditorPage::takeToml(const QString& text)
{
    const auto experiment = spec::parseExperiment(toUtf8(text), toUtf8(tr("this text")));
    if (!experiment)
        return m_tabs->setTomlProblem(messageOf(experiment.error()) + QLatin1Char(' ') + tr("The form is unchanged."));
    m_tabs->setTomlProblem({});
    setDraft(draftOf(*experiment), false);
}

void EditorPage::goToCheck(int step)
{
    const int count = int(m_evaluation.checks.size());
    if (count == 0)
        return;
    m_check = (m_check + step + count) % count;
    m_form->focusField(m_evaluation.checks[std::size_t(m_check)].field);
}

void EditorPage::save(std::function<void()> then)
{
    const Draft draft = m_form->draft();
    const spec::Experiment experiment = readDraft(draft).experiment;
    context().session.run(
        this, [experiment](Conductor& conductor) { return conductor.saveExperiment(experiment); },
        [this, draft, then](const Result<void>& result) {
            if (!result)
                return showError(result.error());
            m_saved = draft;
            draftEdited();
            if (then)
                then();
        });
}

void EditorPage::launch()
{
    askToLaunch(context().theme, this, m_evaluation, [this] { save([this] { start(false); }); });
}

void EditorPage::start(bool trial)
{
    LaunchRequest request;
    request.experiment = m_saved.experiment.name;
    request.trial = trial;
    context().session.run(
        this, [request](Conductor& conductor) { return conductor.launch(request); },
        [this, name = toQt(request.experiment)](const Result<void>& result) {
            if (!result)
                return showError(result.error());
            context().shell.go({PageId::monitor, name, {}, {}, {}});
        });
}

void EditorPage::exportToml()
{
    const QString name = toQt(m_form->draft().experiment.name) + QStringLiteral(".toml");
    auto* dialog = new QFileDialog(this, tr("Export TOML"), name, tr("Experiments (*.toml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("toml"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        runAside(
            m_probe, m_siteJob, this,
            [path = toPath(file), text = m_evaluation.toml](std::stop_token) {
                return writeFileAtomically(path, text);
            },
            [this, file](const Result<void>& result) {
                if (!result)
                    return showError(result.error());
                context().shell.notify({Severity::done, tr("Exported to %1.").arg(shortPath(file)), {}, {}, {}}, true);
            });
    });
    dialog->open();
}

} // namespace ringside
