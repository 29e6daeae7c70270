// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/summarytable.h"

#include "app/charts/chartview.h"
#include "app/figures/figureimage.h"
#include "app/style/themecontroller.h"
#include "app/widgets/corewords.h"
#include "app/widgets/tables.h"

#include "core/base/sequences.h"

#include <QHeaderView>
#include <QPainter>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTableView>
#include <algorithm>
#include <utility>

namespace ringside {

namespace {

constexpr QSize kMarkSize(36, 14);
constexpr int kRowHeight = 28;  // px at 100 % text
constexpr int kLeastRows = 1;   // the chart needs the rest of a small window
constexpr int kLeastWords = 96; // px of a last column of words, which elides

} // namespace

SummaryTable::SummaryTable(const ThemeController& theme)
    : Card(tr("Summary"))
    , m_theme(theme)
    , m_table(new QTableView)
{
    m_order.setSourceModel(&m_rows);
    setUpTable(*m_table, theme, kRowHeight);
    m_table->setModel(&m_order);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    // Room for the arrow in every column would push the last one out of sight.
    QHeaderView* head = m_table->horizontalHeader();
    head->setSortIndicatorShown(false);
    connect(head, &QHeaderView::sortIndicatorChanged, head,
            [head](int column) { head->setSortIndicatorShown(column >= 0); });
    connect(head, &QHeaderView::sectionResized, this, [this] { m_hasOwnWidths |= !m_isFitting; });
    m_table->setAccessibleName(tr("Summary, one row per point"));
    m_table->viewport()->installEventFilter(this);
    connect(&theme, &ThemeController::themeChanged, this, &SummaryTable::fitTable); // after its rows
    m_table->setIconSize(kMarkSize);
    m_rows.setMark([this](const report::TableRow& row) { return markOf(row); });
    fill(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                const QVariant group = current.data(CompareModel::kGroupRole);
                if (group.isValid())
                    Q_EMIT chosen(m_groups[std::size_t(group.toULongLong())].runs);
            });
}

void SummaryTable::setAnalysis(const report::Analysis& analysis)
{
    const auto titles = [this] { return mapped(m_rows.table().columns, &report::TableColumn::title); };
    const auto before = titles();
    const report::Group* group = chosenGroup();
    const std::optional<Settings> configuration = group ? std::optional(group->settings) : std::nullopt;
    const auto* points = analysis.figure.as<report::Points>();
    const bool hadLines = std::exchange(m_hasLines, points && points->lines);
    m_groups = analysis.comparison.groups;
    m_rows.setTable(analysis.shown);
    setCaption(coreText(analysis.shown.note));
    if (titles() != before || m_hasLines != hadLines) { // marks need room, too
        m_hasOwnWidths = false;
        fitTable();
    }
    if (analysis.run)
        chooseRowWith(*analysis.run);
    else if (configuration)
        chooseRow(rowWhere([&](const report::Group& each) { return each.settings == *configuration; }));
}

/// Columns that the user has made wider or narrower stay. Spare room goes to the first one, which names the rows; where
/// there is too little, the words of the last one are elided before the table scrolls.
void SummaryTable::fitTable()
{
    const QScopedValueRollback isFitting(m_isFitting, true);
    QHeaderView& head = *m_table->horizontalHeader();
    if (!m_hasOwnWidths && head.count() > 1) {
        fitColumns(*m_table);
        const int spare = m_table->viewport()->width() - head.length();
        const int last = head.count() - 1, words = head.sectionSize(last);
        if (spare > 0)
            head.resizeSection(0, head.sectionSize(0) + spare);
        else if (!m_rows.table().columns.back().number)
            head.resizeSection(last, std::max(words + spare, std::min(words, kLeastWords)));
    }
    m_table->setMinimumHeight(std::max(head.sizeHint().height(), head.minimumHeight()) +
                              kLeastRows * m_table->verticalHeader()->defaultSectionSize() +
                              m_table->horizontalScrollBar()->sizeHint().height());
}

bool SummaryTable::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize) {
        const auto& resize = *static_cast<QResizeEvent*>(event);
        if (resize.size().width() != resize.oldSize().width())
            fitTable();
    }
    return Card::eventFilter(watched, event);
}

void SummaryTable::clear()
{
    m_rows.setTable({});
    m_groups.clear();
    setCaption({});
}

void SummaryTable::chooseRowOf(const std::vector<RunId>& runs)
{
    chooseRow(rowWhere([&](const report::Group& group) { return group.runs == runs; }));
}

/// The row in which the run counts.
void SummaryTable::chooseRowWith(const RunId& run)
{
    chooseRow(rowWhere([&](const report::Group& group) { return std::ranges::count(group.runs, run) > 0; }));
}

QStringList SummaryTable::describe(const std::vector<RunId>& runs) const
{
    const int row = rowWhere([&](const report::Group& group) { return group.runs == runs; });
    if (row < 0)
        return {};
    const report::Table& table = m_rows.table();
    QStringList lines;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        lines << coreText(table.columns[i].title) + QStringLiteral(": ") +
                     shownText(table.rows[std::size_t(row)].cells[i]);
    return lines;
}

/// The first of which `holds` says so of its group; -1: none.
template <class Holds> int SummaryTable::rowWhere(const Holds& holds) const
{
    const auto& rows = m_rows.table().rows;
    const auto found =
        std::ranges::find_if(rows, [&](const report::TableRow& row) { return holds(m_groups[row.group]); });
    return found == rows.end() ? -1 : int(found - rows.begin());
}

void SummaryTable::chooseRow(int row)
{
    ringside::chooseRow(*m_table, m_order.mapFromSource(m_rows.index(row, 0)));
}

const report::Group* SummaryTable::chosenGroup() const
{
    const QVariant group = m_table->currentIndex().data(CompareModel::kGroupRole);
    const bool isChosen = group.isValid() && m_table->selectionModel()->hasSelection();
    return isChosen ? &m_groups[std::size_t(group.toULongLong())] : nullptr;
}

/// As in the key of the figure.
QPixmap SummaryTable::markOf(const report::TableRow& row) const
{
    if (!m_hasLines)
        return {};
    QPixmap pixmap(kMarkSize * devicePixelRatioF());
    pixmap.setDevicePixelRatio(devicePixelRatioF());
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const figures::Look look{markPalette(m_theme.theme()), 1};
    const figures::SeriesMark mark = figures::seriesMark(*row.style, row.neutral, look.palette);
    figures::drawSample(painter, QRectF({2, 0}, kMarkSize - QSize(6, 0)), mark, row.neutral, look);
    return pixmap;
}

} // namespace ringside
