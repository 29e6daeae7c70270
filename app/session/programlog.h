// SPDX-License-Identifier: GPL-3.0-or-later
// The program's own messages, for Diagnostics: the newest lines, with their time, as plain text. Any thread.
#pragma once

#include <QString>
#include <QStringList>
#include <deque>
#include <mutex>

namespace ringside {

class ProgramLog
{
public:
    static constexpr std::size_t kKept = 500;      ///< lines
    static constexpr qsizetype kMostOfALine = 500; ///< characters; what is longer quotes something

    /// A line for each line of `text`: "2026-11-21T09:14:00 from: text".
    void add(const QString& from, const QString& text);
    /// The oldest first.
    QStringList lines() const;

private:
    mutable std::mutex m_mutex;
    std::deque<QString> m_lines; // guarded by m_mutex
};

/// While it lives, messages of Qt and the window by qWarning() and its like are stored in `log` and passed to the
/// former handler. At most one at a time: Qt has one place for all messages of a program.
class MessageCapture
{
public:
    explicit MessageCapture(ProgramLog& log);
    ~MessageCapture();
    MessageCapture(const MessageCapture&) = delete;
    MessageCapture& operator=(const MessageCapture&) = delete;
};

} // namespace ringside
