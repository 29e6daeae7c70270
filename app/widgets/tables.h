// SPDX-License-Identifier: GPL-3.0-or-later
// The manners that every table of the window shares.
#pragma once

#include <QString>

class QHeaderView;
class QModelIndex;
class QTableView;
class QTreeView;

namespace ringside {

class ThemeController;

/// Whole rows, no grid (the delegate draws the row lines), header without bold, rows of `rowHeight` px at 100 % text.
void setUpTable(QTableView& table, const ThemeController& theme, int rowHeight = 30);

/// The same for a list in columns whose rows have no children.
void setUpList(QTreeView& list, const ThemeController& theme);

/// Makes `index`, if it is one, current and its row the only one selected, whatever keys are held: a table's own
/// setCurrentIndex() lets those of a shortcut that leads here toggle the row or add it to what is selected.
void chooseRow(QTableView& table, const QModelIndex& index);

/// Room for titles of two lines, and every column as wide as what is in it and its title.
void fitColumns(QTableView& table);

/// The width that a column's title needs, without the margin that the style adds to titles and leaves empty.
int titleWidth(const QHeaderView& header, int column);

/// A column's title, broken at the space nearest to its middle: numbers are narrower than the words above them.
QString inTwoLines(QString title);

} // namespace ringside
