// SPDX-License-Identifier: GPL-3.0-or-later
// A white frame on the window's colour: optional title row, then the body.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QVBoxLayout;

namespace ringside {

class ElidedLabel;

class Card : public QFrame
{
public:
    Card();
    /// With a title row; a caption beside the title disappears when there is little room.
    explicit Card(const QString& title);

    /// Adds the title row above everything that was added before.
    void setTitle(const QString& title);
    void setCaption(const QString& caption);
    /// Widgets at the right of the title row.
    void addToTitle(QWidget* widget);
    /// A 2 px border in the accent colour, for the one card that is to be seen first.
    void accent();

    QVBoxLayout* body() { return m_body; }
    /// Below the body and a line, from edge to edge: a table.
    void fill(QWidget* widget);

private:
    QHBoxLayout* titleRow();

    QVBoxLayout* m_body;
    QVBoxLayout* m_frame;
    QHBoxLayout* m_titleRow = nullptr;
    ElidedLabel* m_title = nullptr;
    ElidedLabel* m_caption = nullptr;
};

} // namespace ringside
