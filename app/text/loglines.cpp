// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/text/loglines.h"

#include "app/text/text.h"

#include <QRegularExpression>
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

} // namespace ringside
