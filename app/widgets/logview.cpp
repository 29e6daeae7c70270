// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/logview.h"

#include "app/style/fonts.h"
#include "app/text/loglines.h"

#include <QScrollBar>

namespace ringside {

LogView::LogView()
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
