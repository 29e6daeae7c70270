// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of programs elsewhere: bytes that come in pieces, made into lines, and a view that follows their end.
#pragma once

#include <QPlainTextEdit>
#include <QStringList>

namespace ringside {

/// Read-only; follows its end until scrolled up.
class LogView : public QPlainTextEdit
{
    Q_OBJECT
public:
    LogView();

    void append(const QString& line);
    /// In the place of what was shown; at its end.
    void showLines(const QStringList& lines);
};

} // namespace ringside
