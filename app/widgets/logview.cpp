// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/logview.h"

#include "app/style/fonts.h"
#include "app/widgets/text.h"

#include <QRegularExpression>
#include <QScrollBar>
#include <algorithm>

namespace ringside {

namespace {

constexpr std::size_t kLongestLine = 4'000; // bytes; a line without end must not grow without end

QString terminalLine(const std::string& bytes)
{
    static const QRegularExpression sequences(QStringLiteral("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07]*\x07?|.)"));
    QString line = toQt(bytes);
    while (line.endsWith(QLatin1Char('\r')))
        line.chop(1);
    line = line.mid(line.lastIndexOf(QLatin1Char('\r')) + 1);
    line.remove(sequences);
    line.removeIf([](QChar c) { return c != QLatin1Char('\t') && c.category() == QChar::Other_Control; });
    return line;
}

} // namespace

/// Bytes until a line is whole.
QStringList LogLines::add(std::string_view piece)
{
    QStringList lines;
    m_partial += piece;
    for (std::size_t end = m_partial.find('\n'); end != std::string::npos; end = m_partial.find('\n')) {
        lines << terminalLine(m_partial.substr(0, std::min(end, kLongestLine)));
        m_partial.erase(0, end + 1);
    }
    if (m_partial.size() > kLongestLine)
        m_partial.resize(kLongestLine);
    return lines;
}

LogView::LogView(QWidget* parent)
    : QPlainTextEdit(parent)
{
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setMaximumBlockCount(kMostLogLines);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setFont(monospaceFont(font()));
    setTabChangesFocus(true);
}

/// A long line at the end must not push the beginning of all lines out of sight.
void LogView::append(const QString& line)
{
    QScrollBar& down = *verticalScrollBar();
    QScrollBar& right = *horizontalScrollBar();
    const bool atEnd = down.value() == down.maximum();
    const int before = right.value();
    appendPlainText(line);
    right.setValue(before);
    if (atEnd)
        down.setValue(down.maximum());
}

void LogView::showLines(const QStringList& lines)
{
    setPlainText(lines.join(QLatin1Char('\n')));
    horizontalScrollBar()->setValue(0);
    verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

} // namespace ringside
