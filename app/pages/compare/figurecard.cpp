// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/figurecard.h"

#include "app/charts/figureview.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/elidedlabel.h"

#include <QPushButton>
#include <QScrollArea>

namespace ringside {

FigureCard::FigureCard(ThemeController& theme)
    : m_choices(new ChoiceBar)
    , m_timeline(new TimelineChoice)
    , m_title(new ElidedLabel(LabelKind::cardTitle))
    , m_note(new ElidedLabel(LabelKind::caption))
    , m_view(new FigureView(theme))
    , m_scroll(new QScrollArea)
    , m_refused(new QWidget)
    , m_refusal(makeParagraph(LabelKind::text))
    , m_wayOut(new QPushButton)
    , m_notes(makeParagraph(LabelKind::caption))
{
    m_timeline->hide();
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_scroll->setWidget(m_view);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setMinimumHeight(160);
    m_view->setAutoFillBackground(false); // the card shows through
    m_scroll->viewport()->setAutoFillBackground(false);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    buildRefusal();
    addTo(*body(),
          {m_choices, m_timeline, makeRule(), makeRow({m_title, {m_note, 1}}), {m_scroll, 1}, {m_refused, 1}, m_notes});
    m_refused->hide();
    m_notes->hide();
}

void FigureCard::buildRefusal()
{
    m_refusal->setAlignment(Qt::AlignCenter);
    auto* column = new QVBoxLayout(m_refused);
    addTo(*column, {stretch(), m_refusal, {m_wayOut, 0, Qt::AlignHCenter}, stretch()});
    connect(m_wayOut, &QPushButton::clicked, this, &FigureCard::wayOutChosen);
}

void FigureCard::chooseTimeline(bool timeline)
{
    m_choices->setVisible(!timeline);
    m_timeline->setVisible(timeline);
}

void FigureCard::forget()
{
    m_choices->forget();
    m_timeline->forget();
}

void FigureCard::show(const report::FigureData& figure)
{
    m_title->setFullText(toQt(figure.title));
    m_note->setFullText(figure.as<report::Lanes>() ? tr("Wheel, + and −: zoom · arrow keys: move · Home: all")
                                                   : toQt(figure.keyNote));
    QStringList notes;
    for (const std::string& note : figure.notes)
        notes << toQt(note);
    m_notes->setText(notes.join(QStringLiteral(" · ")));
    m_notes->setVisible(!notes.isEmpty());
    m_view->show(figure);
    m_refused->hide();
    m_scroll->show();
}

void FigureCard::refuse(const QString& why, const QString& wayOut)
{
    m_title->setFullText({});
    m_note->setFullText({});
    m_notes->hide();
    m_scroll->hide();
    m_refusal->setText(why);
    m_wayOut->setText(wayOut);
    m_wayOut->setVisible(!wayOut.isEmpty());
    m_refused->show();
}

const report::FigureData& FigureCard::figure() const
{
    return m_view->figure();
}

} // namespace ringside
