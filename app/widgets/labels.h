// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of the kinds that the style sheet knows. All show plain text only.
#pragma once

#include <QLabel>

class QComboBox;

namespace ringside {

enum class LabelKind
{
    pageTitle,
    cardTitle,
    strong,
    text,
    caption,
    number,
    error,
    warning
};

QLabel* makeLabel(LabelKind kind, const QString& text = {});
/// The same with word wrap.
QLabel* makeParagraph(LabelKind kind, const QString& text = {});

/// A tooltip that shows the text as it is: Qt would show one that looks like HTML as HTML.
QString plainToolTip(const QString& text);

/// A caption, a big number below it and a note: "Runs / 156 / 26 configurations × 6 repeats".
class KeyNumber : public QWidget
{
public:
    explicit KeyNumber(const QString& caption);
    void setNumber(const QString& number, const QString& note);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fitNote();

    QLabel* m_number;
    QLabel* m_note;
};

/// A caption with the box that it names, which has room for so many letters at least.
QWidget* captioned(QComboBox* box, const QString& caption, int letters);

/// A line of 1 px that carries no meaning.
QFrame* makeRule();

} // namespace ringside
