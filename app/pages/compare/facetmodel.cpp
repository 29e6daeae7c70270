// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/facetmodel.h"

#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "core/report/factors.h"
#include "core/report/names.h"
#include "core/spec/schema.h"
#include "core/store/runflag.h"

#include <QFont>
#include <algorithm>

namespace ringside {

namespace {

enum StateLeaf
{
    kDone,
    kDisturbed,
    kNan,
    kFailed
};

bool has(const store::RunRow& run, std::string_view flag)
{
    return std::ranges::find(run.flags, flag) != run.flags.end();
}

/// The leaf that a finished run is counted in.
StateLeaf leafOf(const store::RunRow& run)
{
    if (has(run, store::runflag::kNan))
        return kNan;
    return has(run, store::runflag::kDisturbed) ? kDisturbed : kDone;
}

/// Data of the line above its levels.
QVariant facetData(const QString& name, int role)
{
    if (role == Qt::DisplayRole)
        return name;
    QFont font;
    font.setWeight(QFont::DemiBold);
    return role == Qt::FontRole ? font : QVariant();
}

bool counts(const store::RunRow& run)
{
    return run.inMatrix && run.kind != RunKind::trial;
}

/// Those that figures have, too: sites, and what an import brought.
std::vector<spec::Factor> undeclaredFactors(const spec::Experiment& experiment,
                                            const std::vector<store::MeasuredRun>& runs)
{
    std::vector<const Settings*> all;
    bool areSomeImported = false;
    for (const store::MeasuredRun& run : runs)
        if (counts(run.row)) {
            all.push_back(&*run.row.settings);
            areSomeImported |= run.row.kind == RunKind::imported;
        }
    return report::undeclaredFactors(experiment, all, areSomeImported);
}

} // namespace

FacetModel::Facet FacetModel::factorFacet(const spec::Factor& factor, const std::vector<store::MeasuredRun>& runs)
{
    std::vector<const Settings*> settings;
    for (const store::MeasuredRun& run : runs)
        settings.push_back(&*run.row.settings);
    Facet facet{factor.key, coreText(report::factorName(factor.key, settings)), {}};
    std::vector<Value> levels = factor.levels;
    for (const store::MeasuredRun& run : runs) // levels that a combination collapsed to, such as plan "none"
        if (const auto found = run.row.settings->find(factor.key); found != run.row.settings->end() && counts(run.row))
            if (std::find(levels.begin(), levels.end(), found->second) == levels.end())
                levels.insert(levels.begin(), found->second);
    for (const Value& level : levels) {
        const auto has = [&](const store::MeasuredRun& run) {
            const auto found = run.row.settings->find(factor.key);
            return counts(run.row) && found != run.row.settings->end() && found->second == level;
        };
        facet.leaves.push_back(
            {toQt(spec::shownLabelOf(factor.key, level)), level, int(std::count_if(runs.begin(), runs.end(), has))});
    }
    return facet;
}

FacetModel::Facet FacetModel::stateFacet(const std::vector<store::MeasuredRun>& runs)
{
    int done = 0, disturbed = 0, nan = 0, failed = 0;
    for (const store::MeasuredRun& run : runs) {
        if (!counts(run.row))
            continue;
        const bool isDone = run.row.state == RunState::done;
        done += isDone && leafOf(run.row) == kDone;
        disturbed += isDone && leafOf(run.row) == kDisturbed;
        nan += isDone && leafOf(run.row) == kNan;
        failed += run.row.state == RunState::failed || run.row.state == RunState::cancelled;
    }
    return {{},
            tr("State"),
            {{tr("Done"), Value(std::string("done")), done, true, true},
             {tr("Done, disturbed"), Value(std::string("disturbed")), disturbed, true, false},
             {tr("Done, loss is NaN"), Value(std::string("nan")), nan, false, false},
             {tr("Failed or cancelled"), Value(std::string("failed")), failed, false, true}}};
}

bool FacetModel::setRuns(const spec::Experiment& experiment, const std::vector<store::MeasuredRun>& runs)
{
    std::vector<Facet> facets;
    for (const spec::Factor& factor : experiment.factors)
        facets.push_back(factorFacet(factor, runs));
    for (const spec::Factor& factor : undeclaredFactors(experiment, runs))
        facets.push_back(factorFacet(factor, runs));
    facets.push_back(stateFacet(runs));
    if (experiment.name == m_experiment)
        keepTicks(facets);
    if (experiment.name == m_experiment && holds(facets)) {
        m_facets = std::move(facets);
        announceAll();
        return false;
    }
    beginResetModel();
    m_experiment = experiment.name;
    m_facets = std::move(facets);
    endResetModel();
    return true;
}

/// Returns whether these are the lines shown; their counts may differ.
bool FacetModel::holds(const std::vector<Facet>& facets) const
{
    const auto isSameLeaf = [](const Leaf& one, const Leaf& other) {
        return one.level == other.level && one.name == other.name;
    };
    return std::ranges::equal(m_facets, facets, [&](const Facet& one, const Facet& other) {
        return one.key == other.key && one.name == other.name &&
               std::ranges::equal(one.leaves, other.leaves, isSameLeaf);
    });
}

void FacetModel::keepTicks(std::vector<Facet>& facets) const
{
    for (Facet& facet : facets)
        for (const Facet& old : m_facets)
            if (old.key == facet.key)
                for (Leaf& leaf : facet.leaves)
                    for (const Leaf& before : old.leaves)
                        if (before.level == leaf.level)
                            leaf.ticked = before.ticked;
}

void FacetModel::restore()
{
    tick([](const Leaf& leaf) { return leaf.standard; });
}

void FacetModel::tickAll()
{
    tick([](const Leaf& leaf) { return leaf.ticked || !leaf.fixed; });
}

void FacetModel::tick(const std::function<bool(const Leaf&)>& isTicked)
{
    for (Facet& facet : m_facets)
        for (Leaf& leaf : facet.leaves)
            leaf.ticked = isTicked(leaf);
    announceAll();
    Q_EMIT choiceChanged();
}

void FacetModel::announceAll()
{
    for (int row = 0; row < rowCount(); ++row)
        Q_EMIT dataChanged(index(0, 0, index(row, 0)),
                           index(rowCount(index(row, 0)) - 1, kColumnCount - 1, index(row, 0)));
}

std::map<std::string, std::vector<Value>> FacetModel::leftOut() const
{
    std::map<std::string, std::vector<Value>> out;
    for (const Facet& facet : m_facets)
        for (const Leaf& leaf : facet.leaves)
            if (!facet.key.empty() && !leaf.ticked)
                out[facet.key].push_back(leaf.level);
    return out;
}

bool FacetModel::leaveOutDisturbed() const
{
    return !m_facets.empty() && !m_facets.back().leaves[kDisturbed].ticked;
}

bool FacetModel::keepNan() const
{
    return !m_facets.empty() && m_facets.back().leaves[kNan].ticked;
}

// A leaf's internal id is its facet's row + 1; a facet's is 0.
QModelIndex FacetModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : quintptr(0));
}

QModelIndex FacetModel::parent(const QModelIndex& index) const
{
    if (!index.isValid() || index.internalId() == 0)
        return {};
    return createIndex(int(index.internalId()) - 1, 0, quintptr(0));
}

int FacetModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return int(m_facets.size());
    return parent.internalId() == 0 && parent.column() == 0 ? int(m_facets[std::size_t(parent.row())].leaves.size())
                                                            : 0;
}

QVariant FacetModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (index.internalId() == 0)
        return index.column() == kName ? facetData(m_facets[std::size_t(index.row())].name, role) : QVariant();
    const Leaf& leaf = m_facets[std::size_t(index.internalId()) - 1].leaves[std::size_t(index.row())];
    if (role == Qt::DisplayRole)
        return index.column() == kName ? leaf.name : Numbers::count(leaf.count);
    if (role == Qt::ToolTipRole && index.column() == kName)
        return plainToolTip(leaf.name);
    if (role == Qt::CheckStateRole && index.column() == kName)
        return int(leaf.ticked ? Qt::Checked : Qt::Unchecked);
    if (role == Qt::TextAlignmentRole && index.column() == kCount)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    return {};
}

bool FacetModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || !(flags(index) & Qt::ItemIsUserCheckable))
        return false;
    Leaf& leaf = m_facets[std::size_t(index.internalId()) - 1].leaves[std::size_t(index.row())];
    leaf.ticked = value.toInt() == Qt::Checked;
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT choiceChanged();
    return true;
}

Qt::ItemFlags FacetModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    if (index.internalId() == 0)
        return Qt::ItemIsEnabled;
    const Leaf& leaf = m_facets[std::size_t(index.internalId()) - 1].leaves[std::size_t(index.row())];
    if (leaf.fixed || index.column() != kName)
        return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable;
}

} // namespace ringside
