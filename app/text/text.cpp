// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/text/text.h"

#include <QDir>
#include <QRegularExpression>

namespace ringside {

namespace {

constexpr qsizetype kMostShown = 240; // two lines of a page; what is longer quotes something

QString beginningOf(const QString& message)
{
    const QString line = message.section(QLatin1Char('\n'), 0, 0);
    return line.size() > kMostShown ? line.left(kMostShown) + QChar(u'…') : line;
}

} // namespace

QString messageOf(const Error& error)
{
    const QString beginning = beginningOf(toQt(error.message));
    return error.hint.empty() ? beginning : beginning + QLatin1Char(' ') + toQt(error.hint);
}

QString detailsOf(const Error& error)
{
    const QString message = toQt(error.message);
    return beginningOf(message) == message ? QString() : message;
}

QString shortPath(const QString& path)
{
    const QString home = QDir::homePath();
    return path.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + path.mid(home.size()) : path;
}

std::filesystem::path typedPath(const QString& text)
{
    const QString path = text.trimmed();
    const bool isBelowHome = path == QLatin1String("~") || path.startsWith(QLatin1String("~/"));
    return toPath(isBelowHome ? QDir::homePath() + path.mid(1) : path);
}

QString withoutHome(QString text)
{
    // A whole path and whole names in it: /srv/home/ann and /home/anna are not /home/ann.
    const QString home = QStringLiteral("(?<![\\w./-])%1(?![\\w-])").arg(QRegularExpression::escape(QDir::homePath()));
    return text.replace(QRegularExpression(home), QStringLiteral("~"));
}

} // namespace ringside
