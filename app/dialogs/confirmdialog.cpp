// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/confirmdialog.h"

#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

constexpr int kWidth = 520;

QPushButton* addButton(QDialogButtonBox& box, const QString& text, QDialogButtonBox::ButtonRole role)
{
    auto* button = box.addButton(text, role);
    button->setAutoDefault(false);
    button->setIcon({});
    return button;
}

void addAnswers(QDialog& dialog, QDialogButtonBox& box, const Question& question)
{
    auto* standing = addButton(box, question.harmless, QDialogButtonBox::RejectRole);
    QObject::connect(standing, &QPushButton::clicked, &dialog, &QDialog::reject);
    for (std::size_t i = 0; i < question.answers.size(); ++i) {
        const auto& answer = question.answers[i];
        auto* button = addButton(box, answer.text, QDialogButtonBox::ActionRole);
        if (answer.danger)
            danger(button);
        QObject::connect(button, &QPushButton::clicked, &dialog,
                         [&dialog, act = answer.act] { dialog.accept(), act(); });
        if (int(i) == question.defaultAnswer)
            standing = button;
    }
    primary(standing)->setDefault(true);
    standing->setFocus();
}

} // namespace

void askUser(QWidget* parent, const ThemeController& theme, const Question& question)
{
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(question.title);
    dialog->setMinimumWidth(kWidth);
    auto* head = new QHBoxLayout;
    head->setSpacing(space::kGap);
    head->addWidget(new IconLabel(theme, question.icon, Ink::accent, 22));
    head->addWidget(makeParagraph(LabelKind::cardTitle, question.title), 1);
    auto* box = new QDialogButtonBox;
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(space::kGap);
    layout->addLayout(head);
    layout->addWidget(makeParagraph(LabelKind::text, question.text));
    layout->addSpacing(4);
    layout->addWidget(box);
    addAnswers(*dialog, *box, question);
    dialog->open();
}

} // namespace ringside
