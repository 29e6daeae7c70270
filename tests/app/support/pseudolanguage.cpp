// SPDX-License-Identifier: MIT
#include "tests/app/support/pseudolanguage.h"

#include <string_view>

namespace ringside::test {

namespace {

constexpr std::u16string_view kPlain = u"aceginoprstuyACEGINORSTUYZ";
constexpr std::u16string_view kAccented = u"áçéĝîñóþřšţûýÁÇÉĜÎÑÓŘŠŢÛÝŽ";
static_assert(kPlain.size() == kAccented.size());

QChar accented(QChar c)
{
    const auto at = kPlain.find(c.unicode());
    return at == std::u16string_view::npos ? c : QChar(kAccented[at]);
}

} // namespace

QString pseudo(const QString& text)
{
    QString result;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const bool placeholder = text[i] == QLatin1Char('%') && i + 1 < text.size();
        result += accented(text[i]);
        if (placeholder)
            result += text[++i];
    }
    return result + QLatin1Char(' ') + QString(text.size() * 2 / 5, QLatin1Char('~'));
}

QString PseudoLanguage::translate(const char* context, const char* source, const char*, int n) const
{
    const std::string_view room(context);
    if (!room.starts_with("ringside::") && room != "Words")
        return {};
    QString text = pseudo(QString::fromUtf8(source));
    return n >= 0 ? text.replace(QStringLiteral("%n"), QString::number(n)) : text;
}

} // namespace ringside::test
