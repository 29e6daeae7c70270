// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of programs elsewhere: bytes that come in pieces, made into lines, and a view that follows their end.
#pragma once

#include <QPlainTextEdit>
#include <QStringList>
#include <string>
#include <string_view>

namespace ringside {

/// As many lines of a log as are kept and shown: the newest.
inline constexpr int kMostLogLines = 5'000;

/// Puts pieces together to lines, which come out as a terminal would show them: the last of what overwrote itself,
/// without colours, bells and cursor moves, and cut at 4,000 bytes.
class LogLines
{
public:
    /// The lines that end in this piece. A piece may end within a character.
    QStringList add(std::string_view piece);

private:
    std::string m_partial;
};

/// Read-only; follows its end until scrolled up.
class LogView : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit LogView(QWidget* parent = nullptr);

    void append(const QString& line);
    /// In the place of what was shown; at its end.
    void showLines(const QStringList& lines);
};

} // namespace ringside
