// SPDX-License-Identifier: GPL-3.0-or-later
// The left side of Compare: which experiment, and which of its runs.
#pragma once

#include "app/pages/compare/facetmodel.h"
#include "app/widgets/card.h"

class QComboBox;
class QLabel;
class QTreeView;

namespace ringside {

class FacetsCard : public Card
{
    Q_OBJECT
public:
    explicit FacetsCard(FacetModel& model);

    void setExperiments(const QStringList& names, const QString& current);
    void setChosen(int chosen, int total);
    void expand();

Q_SIGNALS:
    void experimentChosen(const QString& name);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fitWidth();

    FacetModel& m_model;
    QStringList m_names; ///< of the experiments
    QComboBox* m_experiment;
    QTreeView* m_tree;
    QLabel* m_chosen;
};

} // namespace ringside
