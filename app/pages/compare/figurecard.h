// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of Compare with its choices above it, its title, and what it cannot show in words.
#pragma once

#include "app/pages/compare/choicebar.h"
#include "app/pages/compare/timelinechoice.h"
#include "app/style/themecontroller.h"
#include "app/widgets/card.h"

class ElidedLabel;
class QLabel;
class QPushButton;
class QScrollArea;

namespace ringside {

class FigureView;

class FigureCard : public Card
{
    Q_OBJECT
public:
    explicit FigureCard(ThemeController& theme);

    ChoiceBar& choices() { return *m_choices; }
    TimelineChoice& timeline() { return *m_timeline; }
    /// Puts one of the two above the figure.
    void chooseTimeline(bool timeline);
    /// Both choices are those of another experiment.
    void forget();
    void show(const report::FigureData& figure);
    /// Instead of a chart: why there is none, and a button with the way out if there is one.
    void refuse(const QString& why, const QString& wayOut = {});
    const report::FigureData& figure() const;
    FigureView& view() { return *m_view; }

Q_SIGNALS:
    void wayOutChosen();

private:
    void buildRefusal();

    ChoiceBar* m_choices;
    TimelineChoice* m_timeline;
    ElidedLabel* m_title;
    ElidedLabel* m_note;
    FigureView* m_view;
    QScrollArea* m_scroll;
    QWidget* m_refused;
    QLabel* m_refusal;
    QPushButton* m_wayOut;
    QLabel* m_notes;
};

} // namespace ringside
