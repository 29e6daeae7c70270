// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets beside and below each other, arranged in one expression.
#pragma once

#include <QBoxLayout>
#include <vector>

class QSplitter;

namespace ringside {

/// A part of a row or a column: a widget, a layout, or room that grows.
struct Part
{
    Part(QWidget* part, int share = 0, Qt::Alignment side = {})
        : widget(part)
        , stretch(share)
        , alignment(side)
    {
    }
    Part(QLayout* part, int share = 0)
        : layout(part)
        , stretch(share)
    {
    }

    QWidget* widget = nullptr;
    QLayout* layout = nullptr;
    int stretch = 0;
    Qt::Alignment alignment = {};
};

using Parts = std::vector<Part>;

/// Room that grows.
inline Part stretch(int share = 0)
{
    return {static_cast<QWidget*>(nullptr), share};
}

inline constexpr int kUsualSpacing = -1; ///< the style's

void addTo(QBoxLayout& layout, const Parts& parts);

/// To be put into another layout.
QHBoxLayout* makeRow(const Parts& parts, int spacing = kUsualSpacing);
QVBoxLayout* makeColumn(const Parts& parts, int spacing = kUsualSpacing);

/// Parts whose border can be moved.
QSplitter* makeSplitter(Qt::Orientation orientation, const std::vector<QWidget*>& parts);

/// The layout of `owner`.
QHBoxLayout* fillRow(QWidget* owner, const Parts& parts, int spacing = kUsualSpacing, const QMargins& margins = {});
QVBoxLayout* fillColumn(QWidget* owner, const Parts& parts, int spacing = kUsualSpacing, const QMargins& margins = {});

} // namespace ringside
