// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/text.h"

#include <QDir>

namespace ringside {

QString messageOf(const Error& error)
{
    return toQt(error.text());
}

QString shortPath(const QString& path)
{
    const QString home = QDir::homePath();
    return path.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + path.mid(home.size()) : path;
}

} // namespace ringside
