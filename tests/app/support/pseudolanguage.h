// SPDX-License-Identifier: MIT
// A language made by machine: every text of the window 40 % longer, with accents, so that slack is tested without a
// translator.
#pragma once

#include <QTranslator>

namespace ringside::test {

/// "Settings" -> "Šéţţîñĝš ~~~". Placeholders (%1, %n), mnemonics (&) and line ends stay as they are.
QString pseudo(const QString& text);

/// Answers every tr() of Ringside; Qt's own texts stay.
class PseudoLanguage : public QTranslator
{
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* disambiguation, int n) const override;
};

} // namespace ringside::test
