// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/arrange.h"

#include "app/widgets/styled.h"

#include <QSplitter>

namespace ringside {

namespace {

template <class Layout> Layout* filled(Layout* layout, const Parts& parts, int spacing)
{
    if (spacing != kUsualSpacing)
        layout->setSpacing(spacing);
    addTo(*layout, parts);
    return layout;
}

template <class Layout> Layout* owned(QWidget* owner, const Parts& parts, int spacing, const QMargins& margins)
{
    auto* layout = new Layout(owner);
    layout->setContentsMargins(margins);
    return filled(layout, parts, spacing);
}

} // namespace

void addTo(QBoxLayout& layout, const Parts& parts)
{
    for (const Part& part : parts)
        if (part.widget)
            layout.addWidget(part.widget, part.stretch, part.alignment);
        else if (part.layout)
            layout.addLayout(part.layout, part.stretch);
        else
            layout.addStretch(part.stretch);
}

QHBoxLayout* makeRow(const Parts& parts, int spacing)
{
    return filled(new QHBoxLayout, parts, spacing);
}

QVBoxLayout* makeColumn(const Parts& parts, int spacing)
{
    return filled(new QVBoxLayout, parts, spacing);
}

QSplitter* makeSplitter(Qt::Orientation orientation, const std::vector<QWidget*>& parts)
{
    auto* splitter = new QSplitter(orientation);
    splitter->setHandleWidth(space::kGap);
    splitter->setChildrenCollapsible(false);
    for (QWidget* part : parts)
        splitter->addWidget(part);
    return splitter;
}

QHBoxLayout* fillRow(QWidget* owner, const Parts& parts, int spacing, const QMargins& margins)
{
    return owned<QHBoxLayout>(owner, parts, spacing, margins);
}

QVBoxLayout* fillColumn(QWidget* owner, const Parts& parts, int spacing, const QMargins& margins)
{
    return owned<QVBoxLayout>(owner, parts, spacing, margins);
}

} // namespace ringside
