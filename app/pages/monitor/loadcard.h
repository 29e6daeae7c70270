// SPDX-License-Identifier: GPL-3.0-or-later
// In Monitor's lower right corner: load of the hosts and GPUs of the run that is shown.
#pragma once

#include "app/widgets/card.h"
#include "core/protocol/sample.h"

#include <map>

namespace ringside {

class Sparkline;
class ThemeController;

/// What Telemetry and GpuTelemetry hold, as sparklines; those of GPUs are there once a GPU has told its load.
class LoadCard : public Card
{
    Q_OBJECT
public:
    explicit LoadCard(ThemeController& theme, QWidget* parent = nullptr);
    void clear();
    /// Ranks of one host report the same host: its load is taken from the lowest rank, memory is added up.
    void add(int rank, const Telemetry& telemetry);
    /// Each rank's own GPU: load is the mean over ranks, memory that of the fullest, power the sum, the clock that of
    /// the slowest.
    void add(int rank, const GpuTelemetry& telemetry);

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString perRank() const;
    QString gpuOf(int rank) const;
    QWidget* row(const std::vector<Sparkline*>& lines);

    Sparkline *m_cpu, *m_memory, *m_disk, *m_foreign;
    Sparkline *m_gpu, *m_gpuMemory, *m_power, *m_clock;
    QWidget* m_gpuRow;
    std::map<int, Telemetry> m_last;
    std::map<int, GpuTelemetry> m_lastGpu;
};

} // namespace ringside
