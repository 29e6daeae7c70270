// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/stylesheet.h"

#include "app/style/theme.h"

#include <QFile>
#include <QHash>
#include <QRegularExpression>

namespace ringside {

namespace {

QHash<QString, QString> valuesOf(const Theme& t)
{
    QHash<QString, QString> values{{QStringLiteral("theme"), t.name}};
    const auto add = [&values](const char* name, const QColor& c) { values.insert(QLatin1String(name), c.name()); };
    add("window", t.window), add("rail", t.rail), add("base", t.base), add("button", t.button), add("alt", t.alternate);
    add("text", t.text), add("text2", t.text2), add("disabled", t.disabled), add("toolTip", t.toolTip);
    add("mid", t.mid), add("midlight", t.midlight), add("grid", t.grid);
    add("highlight", t.highlight), add("onHighlight", t.onHighlight), add("accent", t.accent);
    add("hover", t.hover), add("selection", t.selection), add("failed", t.failed), add("warning", t.warning);
    for (const auto& [name, colour] :
         {std::pair{"done", t.done}, {"failed", t.failed}, {"warning", t.warning}, {"accent", t.accent}}) {
        values.insert(QLatin1String(name) + QLatin1String("Tint"), t.tint(colour).name());
        values.insert(QLatin1String(name) + QLatin1String("Edge"), mixed(colour, t.base, 0.5).name());
    }
    return values;
}

/// Calls `replace` with the first capture of each match and puts its answer in the place of the match.
template <class Replace> QString replaced(const QString& text, const QRegularExpression& pattern, Replace replace)
{
    QString result;
    qsizetype from = 0;
    for (auto it = pattern.globalMatch(text); it.hasNext();) {
        const auto match = it.next();
        result += text.mid(from, match.capturedStart() - from) + replace(match.captured(1));
        from = match.capturedEnd();
    }
    return result + text.mid(from);
}

} // namespace

QString filledSheet(QString text, const Theme& theme, double textScale)
{
    static const QRegularExpression kName(QStringLiteral("@(\\w+)@"));
    static const QRegularExpression kSize(QStringLiteral("font-size:\\s*(\\d+)px"));
    const auto values = valuesOf(theme);
    text = replaced(text, kName, [&](const QString& name) { return values.value(name, QStringLiteral("#FF00FF")); });
    return replaced(text, kSize, [&](const QString& size) {
        return QStringLiteral("font-size:%1px").arg(qRound(size.toInt() * textScale));
    });
}

QString styleSheet(const Theme& theme, double textScale)
{
    QFile file(QStringLiteral(":/style/theme.qss"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return filledSheet(QString::fromUtf8(file.readAll()), theme, textScale);
}

} // namespace ringside
