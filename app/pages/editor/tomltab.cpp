// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/tomltab.h"

#include "app/style/fonts.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/labels.h"

#include "core/spec/toml.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTextBlock>

namespace ringside {

namespace {

bool says(const QString& text, const Draft& draft)
{
    const spec::ParseOutcome outcome = spec::readExperiment(toUtf8(text));
    return outcome.experiment && draftOf(*outcome.experiment) == draft;
}

} // namespace

QPlainTextEdit* makeCodeEdit(const QString& name, const QFont& font)
{
    auto* edit = new QPlainTextEdit;
    edit->setFont(monospaceFont(font));
    edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    edit->setTabChangesFocus(true);
    edit->setAccessibleName(name);
    return edit;
}

void replaceText(QPlainTextEdit& edit, const QString& text)
{
    if (edit.toPlainText() == text)
        return;
    const int place = edit.verticalScrollBar()->value();
    if (edit.document()->isEmpty()) {
        edit.setPlainText(text); // nothing to bring back
    } else {
        QTextCursor all(edit.document());
        all.select(QTextCursor::Document);
        all.insertText(text);
        edit.moveCursor(QTextCursor::Start);
    }
    edit.verticalScrollBar()->setValue(place);
}

TomlTab::TomlTab(const ThemeController& theme)
    : m_theme(theme)
    , m_edit(makeCodeEdit(tr("TOML"), font()))
    , m_foot(new QWidget)
    , m_problem(makeParagraph(LabelKind::error))
{
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_foot);
    auto* discard = new QPushButton(tr("Discard this text"));
    fillRow(m_foot, {{m_problem, 1}, discard});
    m_foot->hide();
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] { Q_EMIT edited(m_edit->toPlainText()); });
    connect(discard, &QPushButton::clicked, this, &TomlTab::discardAsked);
}

void TomlTab::begin()
{
    const QSignalBlocker blocker(m_edit);
    m_edit->clear();
}

void TomlTab::follow(const Draft& draft, const QString& text)
{
    if (!m_unread && !says(m_edit->toPlainText(), draft))
        replace(text);
}

void TomlTab::setUnread(const std::optional<std::string>& toml)
{
    m_unread = toml;
    if (toml)
        replace(toQt(*toml));
    markProblem(toml ? std::optional(tomlProblem(*toml)) : std::nullopt);
}

void TomlTab::replace(const QString& text)
{
    const QSignalBlocker blocker(m_edit);
    replaceText(*m_edit, text);
}

void TomlTab::markProblem(const std::optional<spec::Check>& problem)
{
    QList<QTextEdit::ExtraSelection> marks;
    if (problem && problem->line > 0) {
        QTextEdit::ExtraSelection mark;
        mark.cursor = placeOf(*problem);
        mark.cursor.select(QTextCursor::LineUnderCursor);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(m_theme.ink(Ink::failed));
        marks << mark;
    }
    m_edit->setExtraSelections(marks);
    m_foot->setVisible(problem.has_value());
    if (problem)
        m_problem->setText(toQt(problem->message + " " + problem->hint).trimmed() + QLatin1Char(' ') +
                           tr("The form is unchanged."));
    m_edit->setAccessibleDescription(problem ? m_problem->text() : QString());
}

QTextCursor TomlTab::placeOf(const spec::Check& problem) const
{
    QTextCursor cursor(m_edit->document()->findBlockByNumber(std::max(0, problem.line - 1)));
    for (int column = 1; column < problem.column && !cursor.atBlockEnd(); ++column)
        cursor.movePosition(QTextCursor::Right);
    return cursor;
}

void TomlTab::goToProblem()
{
    m_edit->setFocus(Qt::OtherFocusReason);
    if (m_unread)
        m_edit->setTextCursor(placeOf(tomlProblem(*m_unread)));
}

} // namespace ringside
