// SPDX-License-Identifier: GPL-3.0-or-later
// The summary below the figure: a row for each point. A row chosen is a point chosen, and the other way round.
#pragma once

#include "app/pages/compare/comparemodel.h"
#include "app/widgets/card.h"
#include "core/report/analyse.h"

#include <optional>

class QTableView;

namespace ringside {

class ThemeController;

class SummaryTable : public Card
{
    Q_OBJECT
public:
    explicit SummaryTable(const ThemeController& theme);

    /// The row of the configuration that was chosen before stays chosen, but of a figure of one run that of this run;
    /// widths that the user chose stay while the columns are the same, and with or without marks: a run that ended
    /// changes numbers alone.
    void setAnalysis(const report::Analysis& analysis);
    void clear();

    /// Chooses the row of exactly these runs, if there is one.
    void chooseRowOf(const std::vector<RunId>& runs);
    /// A line for each column of the row of these runs: "Throughput: 12". Empty: there is none.
    QStringList describe(const std::vector<RunId>& runs) const;

Q_SIGNALS:
    /// A row was chosen, by the user or as above; these are its runs.
    void chosen(const std::vector<ringside::RunId>& runs);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fitTable();
    template <class Holds> int rowWhere(const Holds& holds) const;
    void chooseRowWith(const RunId& run);
    void chooseRow(int row);
    const report::Group* chosenGroup() const;
    QPixmap markOf(const report::TableRow& row) const;

    const ThemeController& m_theme;
    std::vector<report::Group> m_groups; ///< of the rows, by TableRow::group
    bool m_hasLines = false;             ///< the figure's points are joined by lines, whose marks the rows bear
    bool m_hasOwnWidths = false;         ///< the user has changed that of a column
    bool m_isFitting = false;
    CompareModel m_rows;
    CompareOrder m_order;
    QTableView* m_table;
};

} // namespace ringside
