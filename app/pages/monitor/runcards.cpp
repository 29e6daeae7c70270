// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/runcards.h"

#include "app/charts/heatstrip.h"
#include "app/charts/throughputchart.h"
#include "app/pages/monitor/runmodel.h"
#include "app/pages/monitor/runwords.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/itemtexts.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"
#include "core/report/names.h"

#include <QCheckBox>
#include <QPushButton>

namespace ringside {

namespace {

/// The least height of a chart, in lines of text: its axes, and curves that can be distinguished.
constexpr int kThroughputLines = 7, kPhasesLines = 7;

} // namespace

QString ThroughputCard::workText(const LiveRun& run)
{
    const double giga = run.work().flopsPerImage.value_or(0) / 1e9;
    const QString perItem =
        itemText(ItemText::work, report::itemsOf(run.row().settings)).arg(Numbers::threeDigits(giga));
    const std::optional<double> rate = run.sinceWarmup();
    if (!rate)
        return perItem;
    const QString text = tr("%1 · %2 GFLOP/s").arg(perItem, Numbers::threeDigits(giga * *rate));
    const auto share = run.work().shareOfGemmRate(*rate);
    return share ? tr("%1, %2 of the measured GEMM rate").arg(text, Numbers::percent(*share)) : text;
}

QString ThroughputCard::spanText(const LiveRun::Span& span)
{
    if (span.isInParts && span.seconds == 0)
        return tr("one rate for several iterations, as they were recorded");
    if (span.iterations == 1)
        return tr("each iteration");
    return span.iterations > 0 ? tr("median of %n iteration(s), band: min to max", "", span.iterations)
                               : tr("median of %n s, band: min to max", "", span.seconds);
}

ThroughputCard::ThroughputCard(ThemeController& theme)
    : Card(tr("Throughput"))
    , m_why(makeParagraph(LabelKind::text))
    , m_work(new ElidedLabel(LabelKind::caption))
    , m_chart(new ThroughputChart(theme))
{
    auto* zoom = new QCheckBox(tr("Zoom"));
    zoom->setToolTip(tr("Show the steady part only; the y axis then does not start at 0"));
    addToTitle(zoom);
    m_why->setTextInteractionFlags(Qt::TextSelectableByMouse);
    addTo(*body(), {m_why, m_work, {m_chart, 1}});
    m_chart->setMinimumHeight(kThroughputLines * fontMetrics().lineSpacing());
    m_why->hide();
    m_work->hide();
    connect(zoom, &QCheckBox::toggled, m_chart, &ThroughputChart::setZoomed);
}

void ThroughputCard::show(const LiveRun& run, const QString& configuration, const QString& waits,
                          std::optional<std::int64_t> silentSince)
{
    const store::RunRow& row = run.row();
    const QString name = tr("run %1").arg(Numbers::count(row.number));
    setTitle(row.id.empty() ? tr("Throughput") : tr("Throughput of %1").arg(name));
    if (row.id.empty())
        setCaption({});
    else if (!run.hasSamples() && (row.state == RunState::running || row.state == RunState::starting))
        setCaption(tr("Started at %1; the first sample comes with the end of the first iteration.")
                       .arg(Numbers::timeOfDay(row.since)));
    else if (!run.hasSamples() && !waits.isEmpty())
        setCaption(waits);
    else
        setCaption(tr("%1, %2, repeat %3 · %4")
                       .arg(configuration, toQt(report::shownRanksText(row.settings)))
                       .arg(row.repeat)
                       .arg(spanText(run.spanOfPoints(m_chart->columns()))));
    const QString why = RunWords::why(row);
    m_why->setText(why);
    m_why->setVisible(!why.isEmpty());
    m_work->setFullText(workText(run));
    m_work->setVisible(run.work().flopsPerImage.has_value());
    m_chart->show({run.points(m_chart->columns()), row.iterations, row.warmup, run.now(), run.sinceWarmup(), name,
                   report::itemsOf(row.settings), silentSince ? Numbers::secondOfDay(*silentSince) : QString()});
}

PhasesCard::PhasesCard(ThemeController& theme)
    : Card(tr("Phases per rank"))
    , m_key(new PhaseKey(theme))
    , m_chart(new PhaseBarsChart(theme))
{
    addTo(*body(), {m_key, {m_chart, 1}});
    m_chart->setMinimumHeight(kPhasesLines * fontMetrics().lineSpacing());
}

void PhasesCard::show(const LiveRun& run)
{
    const std::vector<RankPhases> phases = run.phases();
    setCaption(run.isInParts() ? tr("an iteration, median of the last %n record(s) of several", "", int(kPhaseWindow))
                               : tr("median of the last %n iteration(s)", "", int(kPhaseWindow)));
    m_key->show(phases);
    m_chart->show(phases);
}

LateCard::LateCard(ThemeController& theme)
    : Card(tr("Late ranks"))
    , m_strip(new HeatStrip(theme))
    , m_named(link(new QPushButton))
{
    setCaption(tr("start of the last all-reduce"));
    addToTitle(m_named);
    body()->addWidget(m_strip, 1);
    connect(m_named, &QPushButton::clicked, this, [this] { Q_EMIT rankWanted(m_rank); });
}

void LateCard::show(const LiveRun& run)
{
    const LateView view = run.late();
    setVisible(run.rankProcesses() > 1 && !view.iterations.empty());
    m_strip->show(view);
    m_named->setVisible(view.named.has_value());
    if (!view.named)
        return;
    m_rank = view.named->rank;
    m_named->setText((view.ranksPerProcess > 1 ? tr("Ranks %1 are %2 ms late ›") : tr("Rank %1 is %2 ms late ›"))
                         .arg(Numbers::ranks(m_rank, m_rank, view.ranksPerProcess),
                              Numbers::threeDigits(double(view.named->ns) / 1e6)));
}

} // namespace ringside
