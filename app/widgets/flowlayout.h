// SPDX-License-Identifier: GPL-3.0-or-later
// Places items in lines like words: for keys, chips and numbers that wrap where there is little room.
#pragma once

#include <QLayout>
#include <vector>

namespace ringside {

class FlowLayout : public QLayout
{
public:
    explicit FlowLayout(QWidget* parent = nullptr, int gapX = 12, int gapY = 4);
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

} // namespace ringside
