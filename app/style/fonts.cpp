// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/fonts.h"

#include <QFontDatabase>

namespace ringside {

namespace {

const QString kTextFamily = QStringLiteral("Roboto");
const QString kMonospaceFamily = QStringLiteral("JetBrains Mono");

} // namespace

QFont textFont(FontChoice choice, const QFont& desktopFont, double textScale)
{
    QFont font = desktopFont;
    if (choice == FontChoice::ringside && QFontDatabase::hasFamily(kTextFamily))
        font = QFont(kTextFamily);
    font.setPixelSize(qRound(kTextSize * textScale));
    return font;
}

QFont monospaceFont(const QFont& text)
{
    QFont font = QFontDatabase::hasFamily(kMonospaceFamily) ? QFont(kMonospaceFamily)
                                                            : QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(text.pixelSize() * kSmallSize / kTextSize);
    return font;
}

QFont sized(const QFont& base, int pixels, QFont::Weight weight)
{
    QFont font = base;
    font.setPixelSize(qRound(base.pixelSize() * double(pixels) / kTextSize));
    font.setWeight(weight);
    return font;
}

} // namespace ringside
