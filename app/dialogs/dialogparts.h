// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of dialogs: a head with an icon, the content, verbs on buttons.
#pragma once

#include "app/style/theme.h"
#include "app/widgets/labels.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <functional>

class QAbstractButton;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ringside {

class Card;
class ThemeController;

struct DialogHead
{
    QString title; ///< of the window
    QString sentence;
    QString icon;
    Ink ink = Ink::accent;
};

/// Window-modal, deletes itself; `open()` it.
class QuestionDialog : public QDialog
{
public:
    QuestionDialog(QWidget* parent, const ThemeController& theme, const DialogHead& head);

    QVBoxLayout* body() { return m_body; }
    /// At the right of the head: "question 2 of 2".
    void addToHead(QWidget* widget);
    /// A button that rejects closes the dialog, the others call `press`.
    QPushButton* addButton(const QString& text, QDialogButtonBox::ButtonRole role, std::function<void()> press = {});
    /// In the row of the buttons, at its other end.
    void addBesideButtons(QAbstractButton* button);
    /// The one that Enter presses unless another button has the focus, filled.
    void setStandard(QPushButton* button);

protected:
    /// As high as what it holds, as far as the screen has room.
    void fitHeight();
    /// The same once a form that scrolls asks for its other room, and whole on the screen; `then` follows.
    void fitHeightSoon(std::function<void()> then);
    void showEvent(QShowEvent* event) override;

private:
    QHBoxLayout* m_head;
    QVBoxLayout* m_body;
    QDialogButtonBox* m_box;
};

/// Foreign text, selectable, in the font of fixed width.
QLabel* makeMonospace(const QString& text);
/// A frame for what a machine printed.
Card* makeQuote();

} // namespace ringside
