// SPDX-License-Identifier: GPL-3.0-or-later
// Places items in lines like words: for keys, chips and numbers that wrap where there is little room.
#pragma once

#include <QLayout>
#include <QWidget>
#include <vector>

namespace ringside {

class FlowLayout : public QLayout
{
public:
    FlowLayout(QWidget* parent, int gapX, int gapY);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { m_items.push_back(item); }
    int count() const override { return int(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return place({0, 0, width, 0}, false); }
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    int place(const QRect& rect, bool move) const;

    std::vector<QLayoutItem*> m_items;
    int m_gapX, m_gapY;
};

/// Holds such lines, and is at least as high as they are: a splitter or a card asks for the least height without a
/// width, so that a second line would be cut off.
class FlowBox : public QWidget
{
public:
    FlowBox(int gapX, int gapY) { new FlowLayout(this, gapX, gapY); }

protected:
    bool event(QEvent* event) override;
};

} // namespace ringside
