// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/confirmdialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

void addAnswers(QuestionDialog& dialog, const Question& question)
{
    auto* standing = dialog.addButton(question.harmless, QDialogButtonBox::RejectRole);
    for (std::size_t i = 0; i < question.answers.size(); ++i) {
        const auto& answer = question.answers[i];
        auto* button = dialog.addButton(answer.text, QDialogButtonBox::ActionRole,
                                        [&dialog, act = answer.act] { dialog.accept(), act(); });
        if (answer.danger)
            danger(button);
        if (int(i) == question.defaultAnswer)
            standing = button;
    }
    dialog.setStandard(standing);
    standing->setFocus();
}

} // namespace

void askUser(QWidget* parent, const ThemeController& theme, const Question& question)
{
    auto* dialog = new QuestionDialog(parent, theme, {question.title, question.title, question.icon});
    dialog->body()->addWidget(makeParagraph(LabelKind::text, question.text));
    addAnswers(*dialog, question);
    dialog->open();
}

} // namespace ringside
