// SPDX-License-Identifier: GPL-3.0-or-later
// "Show runs where": factors, undeclared ones that vary included, with their levels, check boxes and counts of runs,
// and below them the states.
#pragma once

#include "core/report/comparison.h"

#include <QAbstractItemModel>
#include <functional>
#include <map>
#include <vector>

namespace ringside {

class FacetModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column
    {
        kName,
        kCount,
        kColumnCount
    };

    /// Unticked values stay so while the same experiment is shown. Returns false if only counts changed: the model was
    /// not reset, and what a view has folded or chosen stays.
    bool setRuns(const spec::Experiment& experiment, const std::vector<store::MeasuredRun>& runs);
    /// As an experiment is shown first: all that can be part of a median, but for losses that are no numbers.
    void restore();
    void tickAll();

    /// Levels that are not shown, by factor.
    std::map<std::string, std::vector<Value>> leftOut() const;
    bool leaveOutDisturbed() const;
    bool keepNan() const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& = {}) const override { return kColumnCount; }
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    /// The user ticked or unticked something.
    void choiceChanged();

private:
    struct Leaf
    {
        QString name;
        Value level;
        int count = 0;
        bool ticked = true;
        bool fixed = false;     ///< listed and counted, never part of a median: failed runs
        bool standard = ticked; ///< as it is at first
    };
    struct Facet
    {
        std::string key; ///< empty: the states
        QString name;
        std::vector<Leaf> leaves;
    };

    static Facet factorFacet(const spec::Factor& factor, const std::vector<store::MeasuredRun>& runs);
    static Facet stateFacet(const std::vector<store::MeasuredRun>& runs);
    void keepTicks(std::vector<Facet>& facets) const;
    bool holds(const std::vector<Facet>& facets) const;
    void tick(const std::function<bool(const Leaf&)>& isTicked);
    void announceAll();

    std::string m_experiment;
    std::vector<Facet> m_facets;
};

} // namespace ringside
