// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/facetscard.h"

#include "app/widgets/arrange.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include <QComboBox>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollBar>
#include <QTreeView>
#include <algorithm>

namespace ringside {

namespace {
constexpr int kLeastWidth = 180, kMostWidth = 300; // px of the tree: longer names are elided
} // namespace

FacetsCard::FacetsCard(FacetModel& model)
    : m_model(model)
    , m_experiment(new QComboBox)
    , m_tree(new QTreeView)
    , m_chosen(makeLabel(LabelKind::caption))
{
    m_experiment->setMinimumContentsLength(14);
    m_experiment->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_experiment->setAccessibleName(tr("Experiment"));
    body()->addWidget(m_experiment);
    auto* row = makeRow({{makeLabel(LabelKind::strong, tr("Show runs where")), 1}});
    auto* clear = link(new QPushButton(tr("Clear")));
    clear->setToolTip(tr("Show the runs that are shown at first"));
    row->addWidget(clear);
    body()->addLayout(row);
    m_tree->setModel(&m_model);
    m_tree->setHeaderHidden(true);
    m_tree->setIndentation(12);
    m_tree->setAccessibleName(tr("Runs shown"));
    m_tree->setFocusPolicy(Qt::StrongFocus);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(FacetModel::kName, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(FacetModel::kCount, QHeaderView::ResizeToContents);
    addTo(*body(), {{m_tree, 1}, makeRule(), m_chosen});
    connect(clear, &QPushButton::clicked, &m_model, &FacetModel::restore);
    connect(m_experiment, &QComboBox::textActivated, this, &FacetsCard::experimentChosen);
}

void FacetsCard::setExperiments(const QStringList& names, const QString& current)
{
    const QSignalBlocker blocker(m_experiment);
    if (std::exchange(m_names, names) != names) { // the list may be open
        m_experiment->clear();
        m_experiment->addItems(names);
    }
    m_experiment->setCurrentText(current);
    m_experiment->setToolTip(plainToolTip(current));
}

void FacetsCard::setChosen(int chosen, int total)
{
    m_chosen->setText(tr("%1 of %n run(s) chosen", "", total).arg(Numbers::count(chosen)));
    fitWidth();
}

void FacetsCard::changeEvent(QEvent* event)
{
    Card::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitWidth();
}

/// At least as wide as the levels' names and counts.
void FacetsCard::fitWidth()
{
    const QAbstractItemView& view = *m_tree;
    const int counts = std::max(view.sizeHintForColumn(FacetModel::kCount), m_tree->header()->minimumSectionSize());
    const int wanted = view.sizeHintForColumn(FacetModel::kName) + counts + 2 * m_tree->frameWidth() +
                       m_tree->verticalScrollBar()->sizeHint().width();
    m_tree->setMinimumWidth(std::clamp(wanted, kLeastWidth, kMostWidth));
}

void FacetsCard::expand()
{
    m_tree->expandAll();
}

} // namespace ringside
