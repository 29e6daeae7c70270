// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/experimentmodel.h"

#include "app/text/text.h"
#include "app/widgets/celldelegate.h"
#include "app/widgets/chip.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"

#include "core/base/clock.h"
#include "core/spec/experiment.h"

#include <algorithm>

namespace ringside {

namespace {

QVariant progressOf(const store::ExperimentRow& row)
{
    const int carriedOut = row.runs.carriedOut(), planned = plannedRuns(row);
    return QVariant::fromValue(Progress{carriedOut, planned, StateWords::look(row.runs.state()).ink,
                                        Numbers::ofTotal(carriedOut, planned), Numbers::ofTotal(planned, planned)});
}

QVariant lookOf(const store::ExperimentRow& row)
{
    if (row.runs.total == 0)
        return QVariant::fromValue(
            StateLook{QStringLiteral("circle"), Ink::queued, ExperimentModel::tr("Not launched")});
    if (row.runs.held > 0 && row.runs.held == row.runs.unfinished())
        return QVariant::fromValue(StateWords::held());
    return QVariant::fromValue(StateWords::look(stateOf(row), row.unknownSince.value_or(0)));
}

StateLook starOf(const store::ExperimentRow& row)
{
    return row.starred ? StateLook{QStringLiteral("star-filled"), Ink::warning, ExperimentModel::tr("Starred")}
                       : StateLook{QStringLiteral("star"), Ink::disabled, ExperimentModel::tr("Not starred")};
}

} // namespace

int plannedRuns(const store::ExperimentRow& experiment)
{
    return std::max(experiment.runs.total, experiment.configurations * experiment.repeats);
}

RunState stateOf(const store::ExperimentRow& experiment)
{
    return experiment.unknownSince ? RunState::unknown : experiment.runs.state();
}

bool ExperimentModel::sameNames(const std::vector<store::ExperimentRow>& rows) const
{
    return std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                      [](const auto& a, const auto& b) { return a.name == b.name; });
}

void ExperimentModel::setRows(std::vector<store::ExperimentRow> rows)
{
    if (sameNames(rows)) {
        m_rows = std::move(rows);
        if (!m_rows.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

QVariant ExperimentModel::text(const store::ExperimentRow& row, int column) const
{
    switch (column) {
    case kName:
        return toQt(row.name);
    case kRuns:
        return Numbers::count(plannedRuns(row));
    case kSite:
        return row.isImported ? siteName(spec::kImportedSite) : siteNames(row.runSites, row.site);
    case kChanged:
        return Numbers::relativeTime(row.changedAt, wallNs());
    default:
        return {};
    }
}

QVariant ExperimentModel::sortValue(const store::ExperimentRow& row, int column) const
{
    switch (column) {
    case kStar:
        return row.starred ? 0 : 1;
    case kRuns:
        return plannedRuns(row);
    case kProgress:
        return double(row.runs.carriedOut()) / std::max(1, plannedRuns(row));
    case kState:
        return int(stateOf(row));
    case kChanged:
        return qlonglong(row.changedAt);
    default:
        return text(row, column);
    }
}

QVariant ExperimentModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& row = m_rows[std::size_t(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::TextAlignmentRole:
        return int((column == kRuns ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return column == kChanged ? Numbers::exactTime(row.changedAt)
               : column == kStar  ? starOf(row).word
                                  : plainToolTip(text(row, column).toString());
    case Qt::AccessibleTextRole:
        if (column == kStar)
            return starOf(row).word;
        if (column == kState)
            return tr("State: %1").arg(lookOf(row).value<StateLook>().word);
        return column == kProgress ? tr("%1 runs carried out").arg(progressOf(row).value<Progress>().text)
                                   : text(row, column);
    case kSortRole:
        return sortValue(row, column);
    case kKeyRole:
        return toQt(row.name);
    case kIconRole:
        return column == kStar ? QVariant::fromValue(starOf(row)) : QVariant();
    case kLookRole:
        return column == kState ? lookOf(row) : QVariant();
    case kProgressRole:
        return column == kProgress ? progressOf(row) : QVariant();
    default:
        return {};
    }
}

QVariant ExperimentModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == kRuns ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::AccessibleTextRole && section == kStar)
        return tr("Star");
    const QString titles[] = {{}, tr("Name"), tr("Runs"), tr("Progress"), tr("State"), tr("Site"), tr("Changed")};
    static_assert(std::size(titles) == kColumnCount);
    return role == Qt::DisplayRole && section < kColumnCount ? titles[section] : QVariant();
}

ExperimentFilter::ExperimentFilter()
{
    setSortRole(kSortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void ExperimentFilter::setText(const QString& text)
{
    m_text = text;
    invalidateFilter();
}

void ExperimentFilter::setScope(Scope scope)
{
    m_scope = scope;
    invalidateFilter();
}

bool ExperimentFilter::filterAcceptsRow(int row, const QModelIndex&) const
{
    const auto& experiment = static_cast<const ExperimentModel*>(sourceModel())->row(row);
    if (experiment.archived != (m_scope == Scope::archived))
        return false;
    if (!m_text.isEmpty() && !toQt(experiment.name).contains(m_text, Qt::CaseInsensitive) &&
        !toQt(experiment.question).contains(m_text, Qt::CaseInsensitive))
        return false;
    switch (m_scope) {
    case Scope::running:
        return experiment.runs.running > 0;
    case Scope::waiting:
        return experiment.runs.running == 0 && experiment.runs.unfinished() > 0;
    case Scope::done:
        return experiment.runs.total > 0 && experiment.runs.unfinished() == 0 && experiment.runs.cancelled == 0;
    case Scope::failed:
        return experiment.runs.failed > 0;
    case Scope::all:
    case Scope::archived:
        break;
    }
    return true;
}

} // namespace ringside
