// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/matrixmodel.h"

#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/itemtexts.h"
#include "app/widgets/numbers.h"
#include "app/widgets/tables.h"
#include "core/base/sequences.h"
#include "core/report/names.h"
#include "core/spec/schema.h"

#include <algorithm>

namespace ringside {

namespace {

constexpr double kUnknown = -1;

double valueAt(const std::map<std::string, double>& values, const std::string& key)
{
    const auto found = values.find(key);
    return found == values.end() ? kUnknown : found->second;
}

} // namespace

void MatrixModel::setEvaluation(const Evaluation& evaluation)
{
    std::vector<std::string> factors = mapped(evaluation.experiment.factors, &spec::Factor::key);
    std::vector<Row> rows = rowsOf(evaluation);
    const bool stay =
        !rows.empty() && factors == m_factors && std::ranges::equal(rows, m_rows, {}, &Row::settings, &Row::settings);
    if (!stay)
        beginResetModel();
    m_factors = std::move(factors);
    m_rows = std::move(rows);
    m_repeats = evaluation.experiment.runs.repeats;
    m_canTick = std::none_of(evaluation.checks.begin(), evaluation.checks.end(),
                             [](const spec::Check& check) { return check.field == kTomlField; });
    m_items = report::itemsOfAll(m_rows, &Row::settings);
    if (stay)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    else
        endResetModel();
}

std::vector<MatrixModel::Row> MatrixModel::rowsOf(const Evaluation& evaluation)
{
    std::vector<Row> rows;
    if (!evaluation.matrix)
        return rows;
    auto excluded = evaluation.matrix->excluded.begin();
    const auto addExcluded = [&](std::size_t before) {
        for (; excluded != evaluation.matrix->excluded.end() && excluded->before == before; ++excluded)
            rows.push_back({excluded->settings, false, kUnknown, kUnknown});
    };
    const auto& configurations = evaluation.matrix->configurations;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
        addExcluded(i);
        const std::string& key = configurations[i].key;
        rows.push_back({configurations[i].settings, true, valueAt(evaluation.secondsPerRun, key),
                        valueAt(evaluation.itemsPerSecond, key)});
    }
    addExcluded(configurations.size());
    return rows;
}

QVariant MatrixModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    if (role == Qt::DisplayRole)
        return text(row, index.column());
    if (role == Qt::CheckStateRole && index.column() == 0)
        return int(row.ticked ? Qt::Checked : Qt::Unchecked);
    if (role == Qt::TextAlignmentRole)
        return headerData(index.column(), Qt::Horizontal, role);
    return {};
}

QVariant MatrixModel::text(const Row& row, int column) const
{
    if (column < factorColumns()) {
        const std::string& key = m_factors[std::size_t(column)];
        const auto found = row.settings.find(key);
        return found == row.settings.end() ? QString() : toQt(spec::shownLabelOf(key, found->second));
    }
    switch (column - factorColumns()) {
    case kBatch: {
        const auto perRank = integerOf(row.settings, "batch_per_rank"), ranks = integerOf(row.settings, "ranks");
        return perRank && ranks ? Numbers::count(*perRank * *ranks) : QString();
    }
    case kRepeats:
        return Numbers::count(m_repeats);
    case kRate:
        return row.rate < 0 ? QStringLiteral("–") : Numbers::threeDigits(row.rate);
    case kSeconds:
        return row.seconds < 0 ? QStringLiteral("–") : Numbers::count(qRound(row.seconds));
    default:
        return {};
    }
}

bool MatrixModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || index.column() != 0 || !m_canTick)
        return false;
    Row& row = m_rows[std::size_t(index.row())];
    row.ticked = value.toInt() == Qt::Checked;
    std::vector<Settings> others;
    for (const Row& each : m_rows)
        if (!each.ticked)
            others.push_back(each.settings);
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT tickedChanged(row.settings, row.ticked, others);
    return true;
}

QVariant MatrixModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0)
        return {};
    if (role == Qt::TextAlignmentRole) {
        const bool number = section >= factorColumns() || m_factors[std::size_t(section)] == "ranks";
        return QVariant::fromValue(
            Qt::Alignment(number ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter));
    }
    if (role == Qt::DisplayRole)
        return inTwoLines(title(section));
    return role == Qt::AccessibleTextRole ? title(section) : QVariant();
}

QString MatrixModel::title(int column) const
{
    if (column < factorColumns())
        return coreText(
            report::factorName(m_factors[std::size_t(column)], m_rows.empty() ? Settings{} : m_rows.front().settings));
    const QString titles[] = {tr("Global batch"), tr("Repeats"), itemText(ItemText::rateSoFar, m_items),
                              tr("s per run")};
    return column < columnCount() ? titles[column - factorColumns()] : QString();
}

Qt::ItemFlags MatrixModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == 0 && m_canTick ? flags | Qt::ItemIsUserCheckable : flags;
}

} // namespace ringside
