// SPDX-License-Identifier: GPL-3.0-or-later
// A question with numbers in it and verbs on its buttons. The harmless answer is the default and what Esc does.
#pragma once

#include <QString>
#include <functional>
#include <vector>

class QWidget;

namespace ringside {

class ThemeController;

struct Choice
{
    QString text; ///< "Cancel 110 runs"
    std::function<void()> act;
    bool danger = false;
};

struct Question
{
    QString title;
    QString text;
    QString icon = QStringLiteral("question");
    std::vector<Choice> answers; ///< left to right; each closes the dialog
    QString harmless;            ///< text of the default button that does nothing, "Keep running"
    int defaultAnswer = -1;      ///< index into answers; -1: the harmless one
};

/// Returns at once; window-modal; deletes itself.
void askUser(QWidget* parent, const ThemeController& theme, const Question& question);

} // namespace ringside
