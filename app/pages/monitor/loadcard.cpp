// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/loadcard.h"

#include "app/charts/sparkline.h"
#include "app/widgets/arrange.h"
#include "app/widgets/numbers.h"

#include <QHelpEvent>
#include <QToolTip>
#include <utility>

namespace ringside {

namespace {

QString memoryText(std::uint64_t bytes)
{
    return QStringLiteral("%1\u202fGiB").arg(Numbers::threeDigits(double(bytes) / double(1u << 30)));
}

QString powerText(std::uint64_t milliwatts)
{
    return QStringLiteral("%1\u202fW").arg(Numbers::threeDigits(double(milliwatts) / 1e3));
}

QString clockText(std::uint32_t megahertz)
{
    return QStringLiteral("%1\u202fMHz").arg(Numbers::count(megahertz));
}

} // namespace

LoadCard::LoadCard(ThemeController& theme)
    : m_cpu(new Sparkline(theme, tr("CPU"), 1))
    , m_memory(new Sparkline(theme, tr("Memory, ranks"), 0))
    , m_disk(new Sparkline(theme, tr("Disk, read"), 0))
    , m_foreign(new Sparkline(theme, tr("Other programs"), 1))
    , m_gpu(new Sparkline(theme, tr("GPUs"), 1))
    , m_gpuMemory(new Sparkline(theme, tr("GPU memory"), 1))
    , m_power(new Sparkline(theme, tr("GPU power"), 0))
    , m_clock(new Sparkline(theme, tr("GPU clock"), 0))
    , m_gpuRow(row({m_gpu, m_gpuMemory, m_power, m_clock}))
{
    body()->addWidget(m_gpuRow);
    body()->addWidget(row({m_cpu, m_memory, m_disk, m_foreign}));
    m_gpuRow->hide();
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Load of the hosts of this run; Space shows it per rank"));
}

QWidget* LoadCard::row(const std::vector<Sparkline*>& lines)
{
    auto* widget = new QWidget;
    auto* layout = fillRow(widget, {}, 16);
    for (Sparkline* line : lines)
        layout->addWidget(line, 1);
    return widget;
}

/// Empty while it has reported nothing.
QString LoadCard::gpuOf(int rank) const
{
    const auto found = m_trace.lastGpu().find(rank);
    if (found == m_trace.lastGpu().end())
        return {};
    const GpuTelemetry& gpu = found->second;
    const QString text =
        tr("GPU %1, %2 of %3, %4, %5")
            .arg(Numbers::percent(gpu.busyShare), memoryText(gpu.memoryUsedBytes), memoryText(gpu.memoryBytes),
                 powerText(gpu.powerMilliwatts), clockText(gpu.smMegahertz));
    if (gpu.foreignProcesses == GpuTelemetry::kUnknown)
        return tr("%1, not known whether others use it").arg(text);
    return gpu.foreignProcesses == 0
               ? text
               : tr("%1, shared with %n process(es) of others", "", int(gpu.foreignProcesses)).arg(text);
}

QString LoadCard::perRank() const
{
    QStringList lines;
    for (const auto& [rank, last] : m_trace.last()) {
        const QString host =
            tr("%1: CPU %2, memory %3, other programs %4", "rank, its host's load")
                .arg(Numbers::namedRanks(rank, rank, m_ranksPerProcess), Numbers::percent(last.cpuShare),
                     memoryText(last.memoryBytes), Numbers::percent(last.foreignCpuShare));
        const QString gpu = gpuOf(rank);
        lines << (gpu.isEmpty() ? host : host + QStringLiteral("; ") + gpu);
    }
    return lines.join(QLatin1Char('\n'));
}

bool LoadCard::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip)
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), perRank(), this);
    return event->type() == QEvent::ToolTip || Card::event(event);
}

void LoadCard::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space)
        QToolTip::showText(mapToGlobal(rect().center()), perRank(), this);
    else
        Card::keyPressEvent(event);
}

void LoadCard::show(LoadTrace trace, int ranksPerProcess)
{
    m_ranksPerProcess = ranksPerProcess;
    m_trace = std::move(trace);
    m_gpuRow->hide();
    for (Sparkline* line : {m_cpu, m_memory, m_disk, m_foreign, m_gpu, m_gpuMemory, m_power, m_clock})
        line->clear();
    for (const HostLoad& load : m_trace.hosts())
        draw(load);
    for (const GpuLoad& load : m_trace.gpus())
        draw(load);
}

void LoadCard::add(int rank, const Telemetry& telemetry)
{
    if (const auto load = m_trace.add(rank, telemetry))
        draw(*load);
}

void LoadCard::add(int rank, const GpuTelemetry& telemetry)
{
    if (const auto load = m_trace.add(rank, telemetry))
        draw(*load);
}

void LoadCard::draw(const HostLoad& load)
{
    m_cpu->add(load.cpuShare, Numbers::percent(load.cpuShare));
    m_memory->add(double(load.memoryBytes), memoryText(load.memoryBytes));
    m_foreign->add(load.foreignShare, Numbers::percent(load.foreignShare));
    if (load.diskBytesPerSecond)
        m_disk->add(*load.diskBytesPerSecond,
                    Numbers::bytes(std::uint64_t(*load.diskBytesPerSecond)) + QStringLiteral("/s"));
}

void LoadCard::draw(const GpuLoad& load)
{
    m_gpu->add(load.busyShare, Numbers::percent(load.busyShare));
    m_gpuMemory->add(load.memoryShare, memoryText(load.memoryBytes));
    m_power->add(double(load.milliwatts), powerText(load.milliwatts));
    m_clock->add(load.smMegahertz, clockText(load.smMegahertz));
    m_gpuRow->show();
}

} // namespace ringside
