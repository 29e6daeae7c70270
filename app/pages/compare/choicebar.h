// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the factors for x, series and panels, and the base case.
#pragma once

#include "app/widgets/flowlayout.h"

#include "core/report/figurekind.h"

#include <optional>

class QComboBox;
class QMenu;
class QToolButton;

namespace ringside {

class ChoiceBar : public FlowBox
{
    Q_OBJECT
public:
    ChoiceBar();

    /// Offers the choices of this comparison for a figure of this kind; the user's earlier choices stay where they
    /// still exist, a chosen base case even where it is no level along x.
    void offer(const report::Comparison& comparison, const spec::Experiment& experiment,
               const report::FigureKind& kind);
    /// The first offered base case, other than the present one, that has finished runs; -1 if none has.
    int measuredBase(const report::Comparison& comparison) const;
    QString baseText(int base) const;
    void chooseBase(int base);
    /// The user can choose which series are in colour where the figure has gray ones.
    void offerColours(const report::FigureData& figure);
    report::FigureRequest request() const;
    /// nullopt: the experiment's own rule.
    std::optional<Settings> base() const;
    void forget();

Q_SIGNALS:
    void layoutChanged();
    void baseChanged();

private:
    QComboBox* addCombo(const QString& caption);
    QToolButton* addColours();
    void addColourChoice(QMenu& menu, const std::string& name, const std::vector<std::string>& coloured);
    void chooseColours(std::vector<std::string> names);
    void offerFactors(QComboBox& combo, const report::Comparison& comparison, const std::string& chosen, bool optional);
    void offerBases(const report::Comparison& comparison, const spec::Experiment& experiment);

    QComboBox* m_x;
    QComboBox* m_series;
    QComboBox* m_panels;
    QComboBox* m_base;
    QToolButton* m_colours;
    std::vector<std::optional<Settings>> m_bases;
    report::FigureRequest m_chosen;
};

} // namespace ringside
