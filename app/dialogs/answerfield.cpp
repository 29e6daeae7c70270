// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/answerfield.h"

#include "app/dialogs/importdialog.h"
#include "app/text/text.h"

#include <QComboBox>
#include <QLineEdit>

namespace ringside {

namespace {

QWidget* makeChoice(const QString& otherwise, const std::function<void()>& answered)
{
    auto* choice = new QComboBox;
    choice->addItem(otherwise, QString());
    choice->addItem(ImportDialog::tr("yes"), QStringLiteral("yes"));
    QObject::connect(choice, &QComboBox::activated, choice, answered);
    return choice;
}

QWidget* makeLine(const QString& sentence, const std::function<void()>& answered)
{
    auto* line = new QLineEdit;
    line->setPlaceholderText(sentence);
    QObject::connect(line, &QLineEdit::editingFinished, line, [line, answered] {
        if (!line->isModified())
            return;
        line->setModified(false);
        answered();
    });
    return line;
}

} // namespace

QWidget* makeAnswerField(const imports::Question& question, const std::function<void()>& answered)
{
    const QString sentence = toQt(question.sentence);
    QWidget* field = question.key == imports::kEqualRanks      ? makeChoice(ImportDialog::tr("not known"), answered)
                     : question.key == imports::kSeparateFiles ? makeChoice(ImportDialog::tr("no"), answered)
                                                               : makeLine(sentence, answered);
    field->setToolTip(sentence);
    field->setAccessibleDescription(sentence);
    return field;
}

QString answerIn(const QWidget& field)
{
    if (const auto* choice = qobject_cast<const QComboBox*>(&field))
        return choice->currentData().toString();
    return static_cast<const QLineEdit&>(field).text();
}

} // namespace ringside
