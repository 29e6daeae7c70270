// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/logcard.h"

#include "app/text/text.h"
#include "app/widgets/actionbutton.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/logview.h"
#include "app/widgets/messagebar.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include "core/base/clock.h"

#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <utility>

namespace ringside {

namespace {

constexpr int kAllRanks = -2, kJob = -3; // in the choice of ranks
constexpr int kTimeLetters = 8;          // "09:14:07"

} // namespace

LogCard::LogCard(QAction* open)
    : Card(tr("Log"))
    , m_rank(new QComboBox)
    , m_text(new LogView)
    , m_search(nullptr)
    , m_times(new QCheckBox(tr("Times")))
    , m_find(new QLineEdit)
    , m_notFound(makeLabel(LabelKind::warning, tr("Not found")))
{
    m_rank->setAccessibleName(tr("Ranks shown in the log"));
    m_rank->setMinimumContentsLength(9);
    m_rank->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addToTitle(m_rank);
    addToTitle(link(new ActionButton(open)));
    m_text->setAccessibleName(tr("Log"));
    m_text->setMinimumHeight(60);
    body()->addWidget(m_search = makeSearch());
    body()->addWidget(m_text, 1);
    m_search->hide();
    connect(m_rank, &QComboBox::currentIndexChanged, this, [this] {
        refill();
        refreshTitle();
    });
}

QWidget* LogCard::makeSearch()
{
    auto* previous = new QPushButton(tr("Previous"));
    auto* next = new QPushButton(tr("Next"));
    auto* wrap = new QCheckBox(tr("Wrap lines"));
    m_find->setPlaceholderText(tr("Find in the log"));
    m_find->setAccessibleName(tr("Find in the log"));
    m_find->setClearButtonEnabled(true);
    m_find->installEventFilter(this);
    m_notFound->hide();
    auto* widget = new QWidget;
    fillRow(widget, {{m_find, 1}, m_notFound, previous, next, m_times, wrap}, space::kField);
    connect(m_find, &QLineEdit::textChanged, this, [this] { find(false, true); });
    connect(previous, &QPushButton::clicked, this, [this] { find(true); });
    connect(next, &QPushButton::clicked, this, [this] { find(false); });
    m_times->setToolTip(
        tr("Time at which each line came here; unknown for lines that were written before this log was opened"));
    connect(m_times, &QCheckBox::toggled, this, &LogCard::showTimes);
    connect(wrap, &QCheckBox::toggled, this,
            [this](bool on) { m_text->setLineWrapMode(on ? QPlainTextEdit::WidgetWidth : QPlainTextEdit::NoWrap); });
    return widget;
}

void LogCard::setEnlarged(bool enlarged)
{
    m_search->setVisible(enlarged);
    if (!enlarged)
        m_find->clear();
    if (std::exchange(m_isEnlarged, enlarged) != enlarged && m_times->isChecked())
        showTimes();
}

/// As many lines as before, so that the same ones stay in sight.
void LogCard::showTimes()
{
    const int top = m_text->verticalScrollBar()->value();
    refill();
    m_text->verticalScrollBar()->setValue(top);
}

void LogCard::focusSearch()
{
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

bool LogCard::escape()
{
    const bool wasSearching = !m_find->text().isEmpty();
    m_find->clear();
    return wasSearching;
}

bool LogCard::eventFilter(QObject* watched, QEvent* event)
{
    const auto* key = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event) : nullptr;
    if (!key || (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter))
        return Card::eventFilter(watched, event);
    find(key->modifiers() & Qt::ShiftModifier);
    return true;
}

void LogCard::find(bool backwards, bool atCursor)
{
    QTextCursor cursor = m_text->textCursor();
    if (atCursor)
        cursor.setPosition(cursor.selectionStart());
    m_text->setTextCursor(cursor);
    const QString wanted = m_find->text();
    const auto direction = backwards ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    bool isFound = wanted.isEmpty() || m_text->find(wanted, direction);
    if (!isFound) {
        m_text->moveCursor(backwards ? QTextCursor::End : QTextCursor::Start);
        isFound = m_text->find(wanted, direction);
    }
    m_notFound->setVisible(!isFound);
}

void LogCard::showRun(const RunId& run, int number, Ranks ranks)
{
    m_ranks = ranks;
    m_run = run;
    m_number = number;
    m_hasOwn = false;
    m_isCaughtUp = false;
    m_lines.clear();
    m_unfinished.clear();
    m_text->clear();
    say({});
    const QSignalBlocker blocker(m_rank);
    m_rank->clear();
    m_rank->addItem(tr("All ranks"), kAllRanks);
    for (int process = 0; process < ranks.processes; ++process)
        m_rank->addItem((ranks.perProcess > 1 ? tr("Ranks %1") : tr("Rank %1")).arg(ranksOf(process)), process);
    m_rank->addItem(tr("Its job"), kJob);
    refreshTitle();
}

void LogCard::add(const std::vector<LogText>& texts)
{
    for (const LogText& piece : texts) {
        if (piece.run != m_run)
            continue;
        const bool isOfJob = piece.attempt == 0;
        for (const QString& line : m_unfinished[{isOfJob, piece.rank}].add(piece.text))
            addLine({piece.rank, isOfJob, line, m_isCaughtUp ? wallNs() : 0});
    }
}

void LogCard::setCaughtUp()
{
    m_isCaughtUp = true;
}

void LogCard::say(const QString& why)
{
    m_text->setPlaceholderText(why);
}

void LogCard::focusLog()
{
    m_text->setFocus(Qt::ShortcutFocusReason);
}

void LogCard::addLine(const Line& line)
{
    m_lines.push_back(line);
    if (m_lines.size() > std::size_t(kMostLogLines))
        m_lines.pop_front();
    if (!line.isOfJob && !std::exchange(m_hasOwn, true)) {
        refill(); // its own in the place of its job's
        refreshTitle();
    } else if (isShown(line)) {
        m_text->append(shown(line));
        if (m_lines.size() == 1)
            refreshTitle();
    }
}

void LogCard::refill()
{
    QStringList lines;
    for (const Line& line : m_lines)
        if (isShown(line))
            lines << shown(line);
    m_text->showLines(lines);
}

/// A process that does not train is one of its own.
QString LogCard::ranksOf(int process) const
{
    return Numbers::ranks(process, process, process < m_ranks.processes ? m_ranks.perProcess : 1);
}

bool LogCard::showsJob() const
{
    const int rank = m_rank->currentData().toInt();
    return rank == kJob || (rank == kAllRanks && !m_hasOwn);
}

void LogCard::refreshTitle()
{
    if (m_run.empty())
        return setTitle(tr("Log"));
    const QString number = Numbers::count(m_number);
    setTitle(showsJob() && !m_lines.empty() ? tr("Job of run %1").arg(number) : tr("Log of run %1").arg(number));
}

bool LogCard::isShown(const Line& line) const
{
    const int rank = m_rank->currentData().toInt();
    return line.isOfJob ? showsJob() : rank == kAllRanks || line.rank == rank;
}

QString LogCard::shown(const Line& line) const
{
    const QString text = line.rank < 0 ? line.text : QStringLiteral("r%1  %2").arg(ranksOf(line.rank), line.text);
    if (!m_isEnlarged || !m_times->isChecked())
        return text;
    const QString time = line.cameAt > 0 ? Numbers::secondOfDay(line.cameAt) : QString();
    return QStringLiteral("%1  %2").arg(time, -kTimeLetters).arg(text);
}

QString LogCard::whyEmpty(const store::RunRow& run, const Result<void>& sent)
{
    const QString number = Numbers::count(run.number);
    if (run.kind == RunKind::imported)
        return tr("Run %1 was imported: its log is not kept.").arg(number);
    if (!sent && sent.error().code != ErrorCode::notFound)
        return tr("This log cannot be shown. %1").arg(messageOf(sent.error()));
    if (!sent)
        return tr("The logs of run %1 are not on %2.").arg(number, siteInSentence(run.site));
    if (run.attempt == 0)
        return tr("Run %1 has not started: it has no log.").arg(number);
    return isFinal(run.state) ? tr("There is no log of run %1 on %2.").arg(number, siteInSentence(run.site))
                              : tr("Run %1 has written nothing into its log yet.").arg(number);
}

} // namespace ringside
