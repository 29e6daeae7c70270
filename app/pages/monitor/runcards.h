// SPDX-License-Identifier: GPL-3.0-or-later
// The right side of Monitor: throughput, phases per rank and late ranks of the run that is shown.
#pragma once

#include "app/pages/monitor/liverun.h"
#include "app/widgets/card.h"

class QLabel;
class QPushButton;

namespace ringside {

class ElidedLabel;
class HeatStrip;
class PhaseBarsChart;
class PhaseKey;
class ThroughputChart;

class ThroughputCard : public Card
{
    Q_OBJECT
public:
    explicit ThroughputCard(ThemeController& theme);
    /// `waits`: why it has not begun; empty if it has. `silentSince`: nothing has come since then (wall clock, ns), so
    /// that no value is one of now.
    void show(const LiveRun& run, const QString& configuration, const QString& waits,
              std::optional<std::int64_t> silentSince);

private:
    static QString workText(const LiveRun& run);
    static QString spanText(const LiveRun::Span& span);

    QLabel* m_why;       ///< it failed, or is flagged
    ElidedLabel* m_work; ///< there only once the work of an image is known
    ThroughputChart* m_chart;
};

class PhasesCard : public Card
{
    Q_OBJECT
public:
    explicit PhasesCard(ThemeController& theme);
    void show(const LiveRun& run);

private:
    PhaseKey* m_key;
    PhaseBarsChart* m_chart;
};

/// Names the ranks that the others wait for; visible only for runs of several.
class LateCard : public Card
{
    Q_OBJECT
public:
    explicit LateCard(ThemeController& theme);
    void show(const LiveRun& run);

Q_SIGNALS:
    /// The user asked for the identity of that rank.
    void rankWanted(int rank);

private:
    HeatStrip* m_strip;
    QPushButton* m_named;
    int m_rank = -1;
};

} // namespace ringside
