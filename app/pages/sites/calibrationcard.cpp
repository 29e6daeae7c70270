// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/calibrationcard.h"

#include "app/charts/figureview.h"
#include "app/pages/sites/calibratedialog.h"
#include "app/pages/sites/calibrationfacts.h"
#include "app/session/session.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/segmentedcontrol.h"
#include "app/widgets/styled.h"

#include "core/report/linkfigure.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>
#include <tuple>
#include <utility>

namespace ringside {

namespace {

constexpr int kChartHeight = 220;
constexpr int kFactsWidth = 300; // px: beside it the chart still has room in the smallest window

Result<std::vector<store::RunRow>> runsOf(const store::Database& db, const std::string& site)
{
    store::RunFilter filter;
    filter.experiment = spec::calibrationName(site);
    return store::runs(db, filter);
}

spec::CalibrationShape shapeOf(const Calibration& calibration)
{
    return {calibration.nodes, calibration.ranks / std::max(1, calibration.nodes), calibration.coresPerRank,
            calibration.means};
}

bool isSame(const store::SiteCalibration& one, const store::SiteCalibration& other)
{
    return std::tie(one.run, one.importedFrom) == std::tie(other.run, other.importedFrom);
}

} // namespace

CalibrationCard::CalibrationCard(const PageContext& context)
    : Card(tr("Calibration"))
    , m_context(context)
    , m_shape(new QComboBox)
    , m_button(new QPushButton(tr("Measure…")))
    , m_progress(new QWidget)
    , m_state(makeLabel(LabelKind::text))
    , m_bar(new QProgressBar)
    , m_empty(makeParagraph(
          LabelKind::text,
          tr("Not measured yet: what its cores, memory, disk and links can do. Later runs are compared with it.")))
    , m_content(new QWidget)
    , m_flags(makeParagraph(LabelKind::warning))
    , m_rows(new QFormLayout)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    build();
    follow();
    showKnown();
    showRunning();
}

void CalibrationCard::build()
{
    m_shape->setAccessibleName(tr("Measured with"));
    addToTitle(m_shape);
    addToTitle(m_button);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Steps measured"));
    fillRow(m_progress, {m_state, {m_bar, 1}}, space::kGap);
    m_rows->setHorizontalSpacing(16);
    m_rows->setVerticalSpacing(6);
    auto* facts = new QWidget;
    facts->setLayout(m_rows);
    facts->setMinimumWidth(kFactsWidth);
    m_rows->setContentsMargins({});
    fillRow(m_content, {{facts, 0, Qt::AlignTop}, {chart(), 1}}, 2 * space::kGap);
    addTo(*body(), {m_progress, m_empty, m_flags, m_content});
    connect(m_button, &QPushButton::clicked, this, [this] { pressed(); });
    connect(m_shape, &QComboBox::activated, this, [this] { showKnown(); });
}

QWidget* CalibrationCard::chart()
{
    m_chart = new QWidget;
    m_measure = new SegmentedControl(tr("All-reduce as"), {tr("Bus bandwidth"), tr("Time")});
    m_view = new FigureView(m_context.theme);
    m_view->setMinimumHeight(kChartHeight);
    auto* head = makeRow({makeLabel(LabelKind::strong, tr("All-reduce")), stretch(), m_measure});
    fillColumn(m_chart, {head, {m_view, 1}}, space::kField);
    connect(m_measure, &SegmentedControl::chosen, this, [this] { showChart(); });
    return m_chart;
}

void CalibrationCard::follow()
{
    Session& session = m_context.session;
    connect(&session, &Session::accessChanged, this, [this] { ask(); });
    connect(&session.queries(), &StoreQueries::opened, this, [this] { ask(); });
    connect(&session.sites(), &SiteStates::changed, this, [this](const QString& site) {
        if (site == m_site)
            showRunning();
    });
    connect(&session.live(), &QtSink::runsUpdated, this, &CalibrationCard::takeRuns);
    connect(&session.live(), &QtSink::samplesReceived, this,
            [this](const std::vector<SampleBatch>& batches) { countSteps(batches); });
}

/// A running run is updated from its row; one that began or ended brings more than its row.
void CalibrationCard::takeRuns(const std::vector<store::RunRow>& rows)
{
    for (const store::RunRow& row : rows) {
        if (!spec::isCalibration(row.experiment, toUtf8(m_site)))
            continue;
        const auto known = std::ranges::find(m_stored.runs, row.id, &store::RunRow::id);
        if (known == m_stored.runs.end() || isFinal(row.state))
            return ask();
        *known = row;
        m_steps = std::max(m_steps, int(row.lastSeq));
    }
    showRunning();
}

void CalibrationCard::showSite(const QString& site, bool isUsable)
{
    if (site != m_site) {
        m_stored = {};
        m_isRead = false;
        m_steps = 0;
        m_shape->clear();
    }
    m_site = site;
    m_isUsable = isUsable;
    showKnown();
    showRunning();
    ask();
}

void CalibrationCard::ask()
{
    m_context.session.queries().ask(
        m_job,
        [site = toUtf8(m_site)](const store::Database& db, const std::stop_token&) -> Result<Stored> {
            Stored stored;
            TRY_ASSIGN(stored.calibrations, store::calibrations(db, site));
            TRY_ASSIGN(stored.runs, runsOf(db, site));
            return stored;
        },
        [this](Result<Stored> stored) {
            m_isRead = stored.has_value();
            if (!stored && stored.error().code != ErrorCode::unavailable) // which every page shows already
                Q_EMIT failed(stored.error());
            apply(std::move(stored).value_or(Stored{}));
        });
}

void CalibrationCard::apply(Stored stored)
{
    const Stored before = std::exchange(m_stored, std::move(stored));
    if (const auto* run = running())
        m_steps = std::max(m_steps, int(run->lastSeq));
    else
        m_steps = 0;
    if (!running())
        m_stopping.remove(m_site);
    showShapes(before.calibrations);
    showKnown();
    showRunning();
    reportEnd();
}

/// The calibration that is shown stays, unless another one was measured since: the newest is the first.
void CalibrationCard::showShapes(const std::vector<store::SiteCalibration>& before)
{
    const auto shown = std::size_t(std::max(0, m_shape->currentIndex()));
    m_shape->clear();
    int stays = 0;
    for (const store::SiteCalibration& each : m_stored.calibrations) {
        if (shown < before.size() && isSame(each, before[shown]) &&
            isSame(m_stored.calibrations.front(), before.front()))
            stays = m_shape->count();
        m_shape->addItem(nameOf(each));
    }
    m_shape->setCurrentIndex(stays);
}

const store::SiteCalibration* CalibrationCard::chosen() const
{
    const std::size_t index = std::size_t(std::max(0, m_shape->currentIndex()));
    return index < m_stored.calibrations.size() ? &m_stored.calibrations[index] : nullptr;
}

void CalibrationCard::showKnown()
{
    const store::SiteCalibration* known = chosen();
    m_shape->setVisible(m_shape->count() > 1);
    m_content->setVisible(known);
    setCaption(known ? measuredText(*known) : QString());
    m_flags->setVisible(known && known->isDisturbed());
    while (m_rows->rowCount() > 0)
        m_rows->removeRow(0);
    if (!known)
        return;
    m_flags->setText(tr("Other work was running there during the measurement: it is worth measuring again."));
    for (const CalibrationFact& fact : calibrationFacts(*known)) {
        auto* text = makeLabel(LabelKind::text, fact.text);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        text->setToolTip(plainToolTip(fact.more));
        m_rows->addRow(makeLabel(LabelKind::caption, fact.label), text);
    }
    showChart();
}

void CalibrationCard::showChart()
{
    const store::SiteCalibration* known = chosen();
    if (!known)
        return;
    const auto measure = m_measure->current() == 1 ? report::LinkMeasure::time : report::LinkMeasure::busBandwidth;
    std::vector<report::ImportedLinks> beside;
    for (const store::SiteCalibration& each : m_stored.calibrations)
        if (each.isImported() && (!known->isImported() || &each == known))
            beside.push_back({each.importedFrom, each.calibration});
    report::FigureData figure =
        report::linkFigure(known->isImported() ? Calibration() : known->calibration, measure, beside);
    m_chart->setVisible(!std::get<report::Points>(figure.drawing).panels.front().series.empty());
    m_view->show(std::move(figure));
}

const store::RunRow* CalibrationCard::running() const
{
    return unfinishedCalibration(toUtf8(m_site), m_stored.runs);
}

/// Empty: it can be measured now.
QString CalibrationCard::whyNot() const
{
    if (!m_isUsable)
        return tr("Its description has to be corrected first.");
    const bool isHere = toUtf8(m_site) == spec::kLocalSite;
    if (!isHere && m_context.session.sites().statusOf(m_site).contact != SiteStatus::Contact::connected)
        return tr("It is not connected: test the connection first.");
    return {};
}

/// The button that measures stops it.
void CalibrationCard::showRunning()
{
    const store::RunRow* run = running();
    const bool isBeginning = m_beginning.contains(m_site), isStopping = m_stopping.contains(m_site);
    m_progress->setVisible(run || isBeginning);
    m_empty->setVisible(m_isRead && !chosen() && !run && !isBeginning);
    const int steps = run && run->iterations > 0 ? run->iterations : kCalibrationSteps;
    m_bar->setRange(0, steps);
    m_bar->setValue(m_steps);
    if (isStopping)
        m_state->setText(tr("Stopping…"));
    else if (m_steps > 0)
        m_state->setText(tr("Measuring: step %1").arg(Numbers::ofTotal(m_steps, steps)));
    else
        m_state->setText(run && run->state == RunState::running ? tr("Measuring") : tr("Waits for its ranks to start"));
    const QString reason = whyNot();
    const auto isOwn = [](const store::SiteCalibration& each) { return !each.isImported(); };
    const bool isMeasured = std::ranges::any_of(m_stored.calibrations, isOwn);
    const QString start = isMeasured ? tr("Measure again…") : tr("Measure…");
    m_button->setText(run ? tr("Stop") : start);
    m_button->setEnabled(run ? !isStopping : !isBeginning && reason.isEmpty());
    m_button->setToolTip(run ? QString() : isBeginning ? tr("It is being measured.") : reason);
}

void CalibrationCard::countSteps(const std::vector<SampleBatch>& batches)
{
    const store::RunRow* run = running();
    if (!run)
        return;
    for (const SampleBatch& batch : batches)
        if (batch.run == run->id && !batch.samples.empty())
            m_steps = std::max(m_steps, std::min(run->iterations, int(batch.samples.back().seq) + 1));
    showRunning();
}

void CalibrationCard::pressed()
{
    running() ? stop() : askShape();
}

void CalibrationCard::askShape()
{
    CalibrateQuestion question;
    question.site = siteInSentence(toUtf8(m_site));
    question.oneNode = toUtf8(m_site) == spec::kLocalSite;
    if (const auto* known = chosen(); known && !known->isImported())
        question.shape = shapeOf(known->calibration);
    askCalibration(this, m_context.theme, question, [this, site = m_site](const spec::CalibrationShape& shape) {
        if (site == m_site)
            begin(shape);
    });
}

void CalibrationCard::begin(const spec::CalibrationShape& shape)
{
    const QString site = m_site;
    const auto next = nextCalibration(toUtf8(site), shape, m_stored.runs);
    if (!next)
        return ended(site, next.error());
    m_beginning.insert(site);
    m_wanted[site] = next->repeat;
    showRunning();
    m_context.session.request(this, calling(&Conductor::launch, launchOf(next->experiment, toUtf8(site))),
                              [this, site](const Result<void>& launched) {
                                  if (!launched)
                                      return ended(site, launched.error());
                                  m_beginning.remove(site);
                                  ask();
                              });
}

void CalibrationCard::ended(const QString& site, const Error& error)
{
    m_beginning.remove(site);
    m_wanted.erase(site);
    ask();
    if (error.code != ErrorCode::cancelled)
        Q_EMIT failed(error);
}

void CalibrationCard::stop()
{
    const store::RunRow* run = running();
    if (!run)
        return;
    m_stopping.insert(m_site);
    showRunning();
    m_context.session.request(this,
                              calling(&Conductor::control, ControlOrder{{Control::Kind::cancel}, run->experiment}),
                              [this, site = m_site](const Result<void>& done) {
                                  if (done)
                                      return;
                                  m_stopping.remove(site);
                                  showRunning();
                                  Q_EMIT failed(done.error());
                              });
}

/// Reports the end of the run that was launched here, once.
void CalibrationCard::reportEnd()
{
    const auto wanted = m_wanted.find(m_site);
    if (wanted == m_wanted.end() || m_beginning.contains(m_site) || running())
        return;
    const auto isIt = [&](const store::RunRow& run) { return run.inMatrix && run.repeat == wanted->second; };
    const auto run = std::ranges::find_if(m_stored.runs, isIt);
    if (run == m_stored.runs.end() || !isFinal(run->state))
        return;
    m_wanted.erase(wanted);
    if (run->state == RunState::failed)
        Q_EMIT failed({ErrorCode::unavailable,
                       toUtf8(tr("%1 was not calibrated. %2")
                                  .arg(siteName(toUtf8(m_site)), reasonText(run->reason.value_or(Reason())))),
                       toUtf8(tr("Run %1, on page Monitor, shows more.").arg(run->number))});
}

} // namespace ringside
