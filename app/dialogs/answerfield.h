// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for one thing that logs do not say: a line to fill in, or a choice where only “yes” is an answer.
#pragma once

#include "core/imports/answers.h"

#include <QString>
#include <functional>

class QWidget;

namespace ringside {

/// `answered`: the user has given another answer.
QWidget* makeAnswerField(const imports::Question& question, const std::function<void()>& answered);
/// As addAnswer() takes it; empty: none.
QString answerIn(const QWidget& field);

} // namespace ringside
