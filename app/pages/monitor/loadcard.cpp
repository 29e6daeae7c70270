// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/loadcard.h"

#include "app/charts/sparkline.h"
#include "app/widgets/numbers.h"

#include <QHBoxLayout>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

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

QString clockText(const GpuTelemetry& gpu)
{
    return QStringLiteral("%1\u202fMHz").arg(Numbers::count(gpu.smMegahertz));
}

} // namespace

LoadCard::LoadCard(ThemeController& theme, QWidget* parent)
    : Card(parent)
    , m_cpu(new Sparkline(theme, tr("CPU"), 1))
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
    auto* layout = new QHBoxLayout(widget);
    layout->setContentsMargins({});
    layout->setSpacing(16);
    for (Sparkline* line : lines)
        layout->addWidget(line, 1);
    return widget;
}

/// Empty while it has told nothing.
QString LoadCard::gpuOf(int rank) const
{
    const auto found = m_lastGpu.find(rank);
    if (found == m_lastGpu.end())
        return {};
    const GpuTelemetry& gpu = found->second;
    const QString text = tr("GPU %1, %2 of %3, %4, %5")
                             .arg(Numbers::percent(gpu.busyShare), memoryText(gpu.memoryUsedBytes),
                                  memoryText(gpu.memoryBytes), powerText(gpu.powerMilliwatts), clockText(gpu));
    if (gpu.foreignProcesses == GpuTelemetry::kUnknown)
        return tr("%1, not known whether others use it").arg(text);
    return gpu.foreignProcesses == 0
               ? text
               : tr("%1, shared with %n process(es) of others", "", int(gpu.foreignProcesses)).arg(text);
}

QString LoadCard::perRank() const
{
    QStringList lines;
    for (const auto& [rank, last] : m_last) {
        const QString host = tr("Rank %1: CPU %2, memory %3, other programs %4")
                                 .arg(QString::number(rank), Numbers::percent(last.cpuShare),
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

void LoadCard::clear()
{
    m_last.clear();
    m_lastGpu.clear();
    m_gpuRow->hide();
    for (Sparkline* line : {m_cpu, m_memory, m_disk, m_foreign, m_gpu, m_gpuMemory, m_power, m_clock})
        line->clear();
}

void LoadCard::add(int rank, const Telemetry& telemetry)
{
    const auto before = m_last.find(rank);
    const double seconds = before == m_last.end() ? 0 : double(telemetry.atNs - before->second.atNs) / 1e9;
    const std::uint64_t read =
        before == m_last.end()
            ? 0
            : telemetry.diskReadBytes - std::min(telemetry.diskReadBytes, before->second.diskReadBytes);
    m_last.insert_or_assign(rank, telemetry);
    if (rank != m_last.begin()->first)
        return;
    std::uint64_t memory = 0;
    for (const auto& [other, last] : m_last)
        memory += last.memoryBytes;
    m_cpu->add(telemetry.cpuShare, Numbers::percent(telemetry.cpuShare));
    m_memory->add(double(memory), memoryText(memory));
    m_foreign->add(telemetry.foreignCpuShare, Numbers::percent(telemetry.foreignCpuShare));
    if (seconds > 0)
        m_disk->add(double(read) / seconds,
                    Numbers::bytes(std::uint64_t(double(read) / seconds)) + QStringLiteral("/s"));
}

void LoadCard::add(int rank, const GpuTelemetry& telemetry)
{
    m_lastGpu.insert_or_assign(rank, telemetry);
    if (rank != m_lastGpu.begin()->first)
        return;
    double busy = 0, fullest = 0;
    std::uint64_t milliwatts = 0, used = 0;
    const GpuTelemetry* slowest = &telemetry;
    for (const auto& [other, last] : m_lastGpu) {
        busy += last.busyShare / double(m_lastGpu.size());
        milliwatts += last.powerMilliwatts;
        if (const double share = last.memoryBytes ? double(last.memoryUsedBytes) / double(last.memoryBytes) : 0;
            share >= fullest) {
            fullest = share;
            used = last.memoryUsedBytes;
        }
        if (last.smMegahertz < slowest->smMegahertz)
            slowest = &last;
    }
    m_gpu->add(busy, Numbers::percent(busy));
    m_gpuMemory->add(fullest, memoryText(used));
    m_power->add(double(milliwatts), powerText(milliwatts));
    m_clock->add(slowest->smMegahertz, clockText(*slowest));
    m_gpuRow->show();
}

} // namespace ringside
