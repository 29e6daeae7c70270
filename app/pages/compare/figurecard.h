// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of Compare with its choices above it, its title, and what it cannot show in words.
#pragma once

#include "app/pages/compare/choicebar.h"
#include "app/style/themecontroller.h"
#include "app/widgets/card.h"

class ElidedLabel;
class QLabel;
class QScrollArea;

namespace ringside {

class FigureView;

class FigureCard : public Card
{
    Q_OBJECT
public:
    explicit FigureCard(ThemeController& theme, QWidget* parent = nullptr);

    ChoiceBar& choices() { return *m_choices; }
    void show(const report::FigureData& figure);
    /// Instead of a chart: why there is none and what to choose.
    void refuse(const QString& why);
    const report::FigureData& figure() const;

private:
    ChoiceBar* m_choices;
    ElidedLabel* m_title;
    ElidedLabel* m_note;
    FigureView* m_view;
    QScrollArea* m_scroll;
    QLabel* m_refusal;
    QLabel* m_notes;
};

} // namespace ringside
