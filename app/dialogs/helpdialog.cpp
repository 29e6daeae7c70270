// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/dialogs.h"

#include "app/style/themecontroller.h"
#include "app/widgets/arrange.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QPushButton>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextTable>

namespace ringside {

namespace {

QString helpText()
{
    QFile file(QStringLiteral(":/help/how-ringside-measures.md"));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Markdown knows no measures: headings and tables use those of the window.
void styleHeading(QTextCursor& cursor, const QFont& font, int level)
{
    QTextBlockFormat block = cursor.blockFormat();
    block.setTopMargin(level == 1 ? 4 : 16);
    block.setBottomMargin(4);
    cursor.setBlockFormat(block);
    cursor.select(QTextCursor::BlockUnderCursor);
    QTextCharFormat characters = cursor.charFormat();
    characters.clearProperty(QTextFormat::FontSizeAdjustment); // it would win over the size
    characters.setFont(sized(font, level == 1 ? 20 : 15, QFont::Medium));
    cursor.setCharFormat(characters);
}

void styleTables(QTextDocument& document, const Theme& theme)
{
    for (auto* frame : document.rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat format = table->format();
            format.setBorderCollapse(true);
            format.setBorder(1);
            format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            format.setBorderBrush(theme.midlight);
            format.setCellPadding(6);
            format.setTopMargin(8);
            format.setBottomMargin(8);
            table->setFormat(format);
        }
}

void fill(QTextBrowser& text, const Theme& theme)
{
    text.setMarkdown(helpText());
    auto& document = *text.document();
    for (auto block = document.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format = block.blockFormat();
        if (format.headingLevel() > 0) {
            styleHeading(cursor, text.font(), format.headingLevel());
        } else if (!cursor.currentTable()) {
            format.setLineHeight(130, QTextBlockFormat::ProportionalHeight);
            format.setBottomMargin(8);
            cursor.setBlockFormat(format);
        }
    }
    styleTables(document, theme);
    text.moveCursor(QTextCursor::Start);
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
    fill(*text, theme.theme());
    // Not modal: it is read beside the work.
    auto* box = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(box, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    QObject::connect(&theme, &ThemeController::themeChanged, text, [text, &theme] { fill(*text, theme.theme()); });
    fillColumn(dialog, {{text, 1}, box}, kUsualSpacing, {16, 16, 16, 12});
    dialog->show();
}

} // namespace ringside
