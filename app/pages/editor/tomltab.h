// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment as text, editable beside the form. Typed text is never changed: the form follows as soon as it can be
// read, and until then stays as it was, with a mark.
#pragma once

#include "app/drafts/draft.h"
#include "app/style/themecontroller.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QTextCursor;

namespace ringside {

/// A monospaced text without line wrap, for Tab to leave.
QPlainTextEdit* makeCodeEdit(const QString& name, const QFont& font);
/// Preserves the scroll position, and the steps of Undo.
void replaceText(QPlainTextEdit& edit, const QString& text);

class TomlTab : public QWidget
{
    Q_OBJECT
public:
    explicit TomlTab(const ThemeController& theme);

    QPlainTextEdit& edit() { return *m_edit; }
    /// Another experiment is opened: Undo does not bring back the text of the one before.
    void begin();
    /// Shows the form's text, unless the text here means the same in other words or cannot be read yet.
    void follow(const Draft& draft, const QString& text);
    /// Text that cannot be read yet, shown in place of the form's with what is wrong; nullopt: there is none.
    void setUnread(const std::optional<std::string>& toml);
    /// Puts the cursor to what is wrong.
    void goToProblem();

Q_SIGNALS:
    /// The user changed the text.
    void edited(const QString& text);
    /// The user wants the form's text back.
    void discardAsked();

private:
    void replace(const QString& text);
    void markProblem(const std::optional<spec::Check>& problem);
    QTextCursor placeOf(const spec::Check& problem) const;

    const ThemeController& m_theme;
    QPlainTextEdit* m_edit;
    QWidget* m_foot;
    QLabel* m_problem;
    std::optional<std::string> m_unread;
};

} // namespace ringside
