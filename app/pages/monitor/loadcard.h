// SPDX-License-Identifier: GPL-3.0-or-later
// In Monitor's lower right corner: load of the hosts and GPUs of the run that is shown.
#pragma once

#include "app/charts/loadtrace.h"
#include "app/widgets/card.h"

namespace ringside {

class Sparkline;
class ThemeController;

/// Telemetry and GpuTelemetry as sparklines; those of GPUs are there once a GPU has reported its load.
class LoadCard : public Card
{
    Q_OBJECT
public:
    explicit LoadCard(ThemeController& theme);
    /// In place of what was shown, of a run whose processes are so many ranks each.
    void show(LoadTrace trace, int ranksPerProcess);
    void add(int rank, const Telemetry& telemetry);
    void add(int rank, const GpuTelemetry& telemetry);

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void draw(const HostLoad& load);
    void draw(const GpuLoad& load);
    QString perRank() const;
    QString gpuOf(int rank) const;
    QWidget* row(const std::vector<Sparkline*>& lines);

    Sparkline *m_cpu, *m_memory, *m_disk, *m_foreign;
    Sparkline *m_gpu, *m_gpuMemory, *m_power, *m_clock;
    QWidget* m_gpuRow;
    LoadTrace m_trace;
    int m_ranksPerProcess = 1;
};

} // namespace ringside
