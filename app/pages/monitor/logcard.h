// SPDX-License-Identifier: GPL-3.0-or-later
// The log of one run: plain text, its newest 5,000 lines, of all ranks or one; follows its end until scrolled up. The
// output of its job for all its runs is shown apart, and in its place while the run itself has printed nothing.
#pragma once

#include "app/text/loglines.h"
#include "app/widgets/card.h"
#include "app/widgets/logview.h"
#include "core/conductor/sink.h"

#include <deque>
#include <map>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace ringside {

class LogCard : public Card
{
    Q_OBJECT
public:
    explicit LogCard(QAction* open);

    /// The processes of a run that train, and the ranks that each of them has.
    struct Ranks
    {
        int processes = 0;
        int perProcess = 1;
    };
    /// An empty log of the run with this number; texts of other runs are passed over from now on. No id: of none.
    void showRun(const RunId& run, int number, Ranks ranks);
    void add(const std::vector<LogText>& texts);
    /// All that there was of the log has been added: what comes now was written just now.
    void setCaughtUp();
    /// Instead of an empty log.
    void say(const QString& why);
    /// Returns why the log is empty, after all that there is of it was `sent`, or could not be.
    static QString whyEmpty(const store::RunRow& run, const Result<void>& sent);
    void focusLog();
    /// With all the room of the page it can be searched, long lines can be wrapped, and lines show when they came.
    void setEnlarged(bool enlarged);
    void focusSearch();
    /// Clears the search; false if there is none.
    bool escape();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Line
    {
        int rank = -1;
        bool isOfJob = false;
        QString text;
        std::int64_t cameAt = 0; ///< wall clock, ns; 0: it was there before the log was opened
    };
    void addLine(const Line& line);
    QString ranksOf(int process) const;
    void refill();
    void refreshTitle();
    bool showsJob() const;
    bool isShown(const Line& line) const;
    QString shown(const Line& line) const;
    void showTimes();
    QWidget* makeSearch();
    /// From where the cursor is, or from `atCursor` on, and round.
    void find(bool backwards, bool atCursor = false);

    RunId m_run;
    int m_number = 0;
    Ranks m_ranks;
    bool m_hasOwn = false; ///< lines that the run has written, or its runner of it
    std::deque<Line> m_lines;
    std::map<std::pair<bool, int>, LogLines> m_unfinished; ///< of job and rank
    QComboBox* m_rank;
    LogView* m_text;
    bool m_isCaughtUp = false;
    bool m_isEnlarged = false;
    QWidget* m_search; ///< there while it is enlarged
    QCheckBox* m_times;
    QLineEdit* m_find;
    QLabel* m_notFound;
};

} // namespace ringside
