// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/comparepage.h"

#include "app/charts/figureview.h"
#include "app/figures/figureimage.h"
#include "app/pages/compare/exportdialog.h"
#include "app/pages/compare/facetscard.h"
#include "app/pages/compare/figurecard.h"
#include "app/pages/compare/summarytable.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/shell/pageheader.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/emptystate.h"
#include "app/widgets/numbers.h"
#include "app/widgets/segmentedcontrol.h"
#include "app/widgets/styled.h"

#include "core/report/analyse.h"
#include "core/report/flagnotes.h"
#include "core/report/tableforms.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>

namespace ringside {

namespace {

const QString kLastShown = QStringLiteral("compare/experiment");

report::NumberStyle localeStyle()
{
    const QLocale locale;
    return {toUtf8(locale.groupSeparator()), toUtf8(locale.decimalPoint())};
}

/// Among the buttons.
int placeOf(const report::FigureKind& kind)
{
    const auto kinds = report::figureKinds();
    return int(std::ranges::find(kinds, &kind) - kinds.begin());
}

/// The newest one with results, else the newest; empty if there is none.
QString bestOf(const std::vector<store::ExperimentRow>& rows)
{
    const store::ExperimentRow* best = nullptr;
    const auto rank = [](const store::ExperimentRow& row) { return std::pair(row.runs.done > 0, row.changedAt); };
    for (const store::ExperimentRow& row : rows)
        if (isOffered(row) && (!best || rank(row) > rank(*best)))
            best = &row;
    return best ? toQt(best->name) : QString();
}

/// Runs may be there and yet all be left out, by the user or for what they lack.
QString whyNothingMatches(const report::Comparison& comparison)
{
    if (comparison.groups.empty() && comparison.total > 0)
        return ComparePage::tr("All runs are left out (%1): each has a level that is not ticked.")
            .arg(Numbers::count(comparison.total));
    const auto why = report::whyAllLeftOut(comparison);
    return why ? messageOf(*why) : ComparePage::tr("No finished runs match.");
}

} // namespace

ComparePage::ComparePage(const PageContext& context)
    : Page(context)
    , m_kinds(new SegmentedControl(tr("Quantity that is compared")))
    , m_choice(new FacetsCard(m_facets))
    , m_figure(new FigureCard(context.theme))
    , m_table(new SummaryTable(context.theme))
{
    setTitle(tr("Compare"));
    m_experiment = context.preferences.windowValue(kLastShown).toString();
    build();
    bindActions();
    joinFigureAndTable();
    connect(&m_facets, &FacetModel::choiceChanged, this, &ComparePage::computeAnew);
    connect(m_choice, &FacetsCard::experimentChosen, this, &ComparePage::choose);
    connect(&m_figure->choices(), &ChoiceBar::layoutChanged, this, &ComparePage::computeAnew);
    connect(&m_figure->choices(), &ChoiceBar::baseChanged, this, &ComparePage::computeAnew);
    connect(&m_figure->timeline(), &TimelineChoice::chosen, this, &ComparePage::computeAnew);
    connect(m_figure, &FigureCard::wayOutChosen, this, [this] { m_wayOut(); });
    followSession();
}

void ComparePage::followSession()
{
    Session& session = context().session;
    connect(&session.experiments(), &ExperimentList::changed, this, &ComparePage::takeExperiments);
    connect(&session.experiments(), &ExperimentList::failed, this, [this](const Error& error) {
        if (m_active)
            showFailure(error);
    });
    connect(&session.live(), &QtSink::runsOutdated, this, [this](const QStringList& names) {
        if (m_active && names.contains(m_experiment))
            loadRuns();
    });
    connect(&session.live(), &QtSink::runsUpdated, this, [this](const std::vector<store::RunRow>& runs) {
        if (m_active && std::ranges::any_of(runs, [this](const store::RunRow& run) { return isNews(run); }))
            loadRuns();
    });
    connect(&session, &Session::readAgain, this, [this] {
        if (m_active && m_loaded == m_experiment && !m_experiment.isEmpty())
            loadRuns();
    });
    connect(&session, &Session::accessChanged, this, [this] {
        m_isOutdated = true;
        if (context().session.access() == Session::Access::opening)
            forget();
    });
}

/// A run's progress changes nothing here; its end, or its beginning, does.
bool ComparePage::isNews(const store::RunRow& run) const
{
    if (toQt(run.experiment) != m_experiment)
        return false;
    if (isFinal(run.state) || !m_measured || m_runsJob.isUnderWay())
        return true;
    const auto known = std::ranges::find(m_measured->runs, run.id, [](const auto& each) { return each.row.id; });
    return known == m_measured->runs.end() || known->row.state != run.state;
}

void ComparePage::build()
{
    header().addWidget(makeCopyButton());
    header().addAction(action(ActionId::exportFigure), true);
    content()->addWidget(makeControls());
    auto* right = makeSplitter(Qt::Vertical, {m_figure, m_table});
    right->setSizes({390, qRound(210 * context().theme.textScale())});
    right->setStretchFactor(0, 3); // a window that was small gives the table rows again, too
    right->setStretchFactor(1, 1);
    auto* columns = makeSplitter(Qt::Horizontal, {m_choice, right});
    columns->setSizes({232, 900});
    columns->setStretchFactor(1, 1);
    keepState(*columns, QStringLiteral("compare/columns"));
    keepState(*right, QStringLiteral("compare/rows"));
    content()->addWidget(columns, 1);
    setSidePanel(right);
}

QWidget* ComparePage::makeCopyButton()
{
    auto* button = new QPushButton(context().theme.icon(QStringLiteral("copy")), tr("Copy"));
    auto* menu = new QMenu(button);
    for (const ActionId id : copyActions())
        menu->addAction(action(id));
    button->setMenu(menu);
    return button;
}

void ComparePage::allowExport()
{
    setActionEnabled(ActionId::exportFigure, m_hasFigure);
    for (const ActionId id : copyActions())
        setActionEnabled(id, m_hasFigure);
}

/// A point chosen is its row chosen, and the other way round.
void ComparePage::joinFigureAndTable()
{
    FigureView& view = m_figure->view();
    view.setDescribe([this](const std::vector<RunId>& runs) { return describe(runs); });
    connect(&view, &FigureView::chosen, m_table, &SummaryTable::chooseRowOf);
    connect(m_table, &SummaryTable::chosen, this,
            [this, &view](const std::vector<RunId>& runs) { chooseRuns(view, runs); });
}

void ComparePage::chooseRuns(FigureView& view, const std::vector<RunId>& runs)
{
    if (m_kind->isOfOneRun())
        m_figure->timeline().chooseOneOf(runs);
    else
        view.setCurrent(runs);
}

/// The table's text about it, and the runs that it covers.
QString ComparePage::describe(const std::vector<RunId>& runs) const
{
    QStringList lines = m_table->describe(runs);
    if (lines.isEmpty() || !m_analysed)
        return {};
    QStringList numbers;
    for (const store::MeasuredRun& run : m_analysed->runs)
        if (std::find(runs.begin(), runs.end(), run.row.id) != runs.end())
            numbers << Numbers::count(run.row.number);
    lines << tr("Runs: %1").arg(numbers.join(QStringLiteral(", ")));
    return lines.join(QLatin1Char('\n'));
}

QWidget* ComparePage::makeControls()
{
    for (const report::FigureKind* kind : report::figureKinds())
        m_kinds->addSegment(coreText(kind->title()));
    m_kinds->enableShortcuts();
    m_kinds->setCurrent(placeOf(*m_kind));
    connect(m_kinds, &SegmentedControl::chosen, this, [this](int kind) {
        m_kind = report::figureKinds()[std::size_t(kind)];
        computeAnew();
    });
    auto* row = new QWidget;
    fillRow(row, {m_kinds, stretch()});
    return row;
}

void ComparePage::bindActions()
{
    bind(ActionId::exportFigure, [this] { exportFigure(); });
    const auto give = [](const std::string& text) { QApplication::clipboard()->setText(toQt(text)); };
    bind(ActionId::copyFigure, [this] { copyFigure(); });
    bind(ActionId::copyCaption, [this, give] { give(m_analysis.figure.caption); });
    bind(ActionId::copy, [this, give] {
        if (m_hasFigure) // the key is that of the whole window
            give(report::tableForms().front().write(m_analysis.table));
    });
    for (const report::TableForm& form : report::tableForms())
        bind(copyTableAs(form), [this, give, &form] { give(form.write(m_analysis.table)); });
    allowExport();
}

void ComparePage::activate(const Target& target)
{
    m_active = m_isOutdated = true;
    if (const auto* kind = report::findFigureKind(toUtf8(target.show)); kind && std::exchange(m_kind, kind) != kind)
        withdraw();
    m_kinds->setCurrent(placeOf(*m_kind));
    if (!target.experiment.isEmpty() && target.experiment != m_experiment)
        replace(target.experiment);
    context().session.experiments().visit(m_experiment);
    takeExperiments();
}

/// An experiment just made and to be compared may yet be missing.
void ComparePage::takeExperiments()
{
    const ExperimentList& list = context().session.experiments();
    if (!m_active)
        return;
    if (!list.knows(m_experiment))
        return setLoading(true);
    QStringList names;
    for (const store::ExperimentRow& row : list.rows())
        if (isOffered(row) || toQt(row.name) == m_experiment)
            names << toQt(row.name);
    if (!names.contains(m_experiment))
        replace(bestOf(list.rows()));
    if (m_experiment.isEmpty())
        forget();
    m_choice->setExperiments(names, m_experiment);
    if (!m_experiment.isEmpty()) {
        if (std::exchange(m_isOutdated, false) || m_loaded != m_experiment)
            loadRuns();
    } else if (!m_empty) {
        m_empty =
            new EmptyState(context().theme, QStringLiteral("bars"), tr("Choose an experiment to compare its runs."));
        m_empty->addAction(action(ActionId::goExperiments));
        showEmpty(m_empty);
    }
}

/// Another database, or none of its experiments: data of the one before are no longer shown, exported or answered.
void ComparePage::forget()
{
    for (JobTracker* job : {&m_runsJob, &m_analysisJob})
        job->cancel();
    setLoading(false);
    m_loaded.clear();
    m_choice->setExperiments({}, {});
    m_figure->forget();
    showNothing();
}

void ComparePage::showNothing()
{
    m_measured.reset();
    m_analysed.reset();
    m_analysis = {};
    m_wayOut = {};
    m_hasFigure = false;
    m_facets.setRuns({}, {});
    m_choice->setChosen(0, 0);
    m_figure->refuse({});
    m_table->clear();
    setTitle(tr("Compare"));
    setWindowName({});
    allowExport();
}

/// Base case and layout were chosen for the experiment before, whose figure stays until there is another one.
void ComparePage::replace(const QString& experiment)
{
    m_experiment = experiment;
    m_measured.reset();
    m_figure->forget();
    withdraw();
}

void ComparePage::choose(const QString& experiment)
{
    replace(experiment);
    loadRuns();
}

void ComparePage::loadRuns()
{
    if (m_empty) {
        showEmpty(nullptr);
        m_empty = nullptr;
    }
    if (std::exchange(m_loaded, m_experiment) != m_experiment) {
        m_runsJob.cancel();
        withdraw();
    }
    setLoading(true);
    context().session.queries().askRepeatedly(
        m_runsJob,
        [name = toUtf8(m_experiment)](const store::Database& db, std::stop_token) {
            return report::loadMeasured(db, name);
        },
        [this](Result<report::MeasuredExperiment> measured) {
            setLoading(false);
            if (measured)
                return takeRuns(std::move(*measured));
            if (!m_measured)
                showNothing();
            showFailure(measured.error());
        });
}

void ComparePage::takeRuns(report::MeasuredExperiment measured)
{
    m_measured = std::make_shared<const report::MeasuredExperiment>(std::move(measured));
    context().preferences.setWindowValue(kLastShown, m_experiment);
    if (m_facets.setRuns(m_measured->experiment, m_measured->runs))
        m_choice->expand();
    recompute();
}

report::AnalysisRequest ComparePage::request() const
{
    report::AnalysisRequest request{m_kind, {}, m_figure->choices().request(), localeStyle()};
    request.compare.experiment = m_measured->experiment;
    request.compare.base = m_figure->choices().base();
    request.compare.leftOut = m_facets.leftOut();
    request.compare.leaveOutDisturbed = m_facets.leaveOutDisturbed();
    request.compare.keepNan = m_facets.keepNan();
    request.run = m_figure->timeline().run();
    request.iteration = m_figure->timeline().iteration();
    return request;
}

/// The user asks something else: neither what is shown nor what is under way answers it.
void ComparePage::withdraw()
{
    m_analysisJob.cancel();
    m_hasFigure = false;
    allowExport();
}

void ComparePage::computeAnew()
{
    withdraw();
    recompute();
}

/// Bootstraps take some time: on the query thread, from values that do not change.
void ComparePage::recompute()
{
    if (!m_measured)
        return;
    context().session.queries().askRepeatedly(
        m_analysisJob,
        [measured = m_measured, request = request()](const store::Database& db, std::stop_token) {
            return report::analyse(db, *measured, request);
        },
        [this, measured = m_measured](Result<report::Analysis> analysis) {
            analysis ? takeAnalysis(measured, std::move(*analysis)) : showFailure(analysis.error());
        });
}

void ComparePage::takeAnalysis(const Measured& measured, report::Analysis analysis)
{
    m_analysis = std::move(analysis);
    m_analysed = measured;
    m_hasFigure = !m_analysis.figure.isEmpty();
    m_figure->choices().offer(m_analysis.comparison, measured->experiment, *m_kind);
    m_figure->choices().offerColours(m_analysis.figure);
    if (m_kind->isOfOneRun()) { // else thousands of runs would be offered unseen
        m_figure->timeline().offer(m_analysis.comparison, measured->runs, m_analysis.run);
        m_figure->timeline().offerIterations(m_analysis.recorded, m_analysis.iteration);
    }
    m_figure->chooseTimeline(m_kind->isOfOneRun());
    showFigure();
    m_table->setAnalysis(m_analysis);
    m_choice->setChosen(m_analysis.comparison.chosen, m_analysis.comparison.total);
    setTitle(tr("Compare"),
             m_experiment + QStringLiteral(" · ") + siteNames(measured->sites(), measured->experiment.site));
    setWindowName(m_experiment);
    allowExport();
}

/// Without a figure: the reason, and the choice that would make one.
void ComparePage::showFigure()
{
    if (m_hasFigure)
        return m_figure->show(m_analysis.figure);
    m_wayOut = {};
    if (!m_analysis.refusal) {
        m_wayOut = [this] { m_facets.tickAll(); };
        return m_figure->refuse(whyNothingMatches(m_analysis.comparison), tr("Show all runs again"));
    }
    if (!m_kind->isRatio()) // no base case would help
        return m_figure->refuse(messageOf(*m_analysis.refusal));
    const int base = m_figure->choices().measuredBase(m_analysis.comparison);
    if (base < 0)
        return m_figure->refuse(messageOf(*m_analysis.refusal));
    m_wayOut = [this, base] { m_figure->choices().chooseBase(base); };
    m_figure->refuse(messageOf(*m_analysis.refusal), m_figure->choices().baseText(base));
}

/// As one column of a paper: the renderer of the export.
void ComparePage::copyFigure()
{
    QApplication::clipboard()->setImage(figures::figureImage(m_figure->figure(), {}));
}

void ComparePage::exportFigure()
{
    ExportContent content{m_analysis.comparison, m_figure->figure(), m_analysed->runs}; // as it is zoomed
    auto* dialog = new ExportDialog(context(), std::move(content), this);
    dialog->open();
}

} // namespace ringside
