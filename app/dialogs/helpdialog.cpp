// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/dialogs.h"

#include "app/style/themecontroller.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QPushButton>
#include <QTextBrowser>
#include <QTextDocument>
#include <QVBoxLayout>

namespace ringside {

namespace {

QString helpText()
{
    QFile file(QStringLiteral(":/help/how-ringside-measures.md"));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

void showHowMeasured(const ThemeController& theme, QWidget* parent)
{
    const auto title = QCoreApplication::translate("ringside::HelpDialog", "How Ringside measures");
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->resize(760, 640);
    auto* text = new QTextBrowser;
    text->setAccessibleName(title);
    text->setOpenLinks(false);
    text->document()->setDocumentMargin(16);
    text->setMarkdown(helpText());
    // Not modal: it is read beside the work.
    auto* box = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(box, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    QObject::connect(&theme, &ThemeController::themeChanged, text, [text] { text->setMarkdown(helpText()); });
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(16, 16, 16, 12);
    layout->addWidget(text, 1);
    layout->addWidget(box);
    dialog->show();
}

} // namespace ringside
