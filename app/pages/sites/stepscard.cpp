// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/stepscard.h"

#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLocale>
#include <QPushButton>

namespace ringside {

namespace {

struct StepLook
{
    const char* icon;
    Ink ink;
    const char* word;
};

constexpr StepLook kLooks[] = {{"play", Ink::running, QT_TRANSLATE_NOOP("ringside::StepsCard", "running")},
                               {"tick", Ink::done, QT_TRANSLATE_NOOP("ringside::StepsCard", "well")},
                               {"warning", Ink::warning, QT_TRANSLATE_NOOP("ringside::StepsCard", "warning")},
                               {"cross", Ink::failed, QT_TRANSLATE_NOOP("ringside::StepsCard", "failed")},
                               {"circle", Ink::disabled, QT_TRANSLATE_NOOP("ringside::StepsCard", "not tried")}};
static_assert(std::size(kLooks) == std::size_t(SiteStep::State::notTried) + 1);

constexpr int kRowHeight = 28; // px: that of a button, with one or without

const StepLook& lookOf(const SiteStep* step)
{
    return kLooks[std::size_t(step ? step->state : SiteStep::State::notTried)];
}

QString durationText(std::chrono::milliseconds took)
{
    const double seconds = double(took.count()) / 1000;
    return seconds < 60 ? StepsCard::tr("%1 s").arg(QLocale().toString(seconds, 'f', 1))
                        : StepsCard::tr("%1 min").arg(QLocale().toString(seconds / 60, 'f', 1));
}

QString textOf(const SiteStep* step)
{
    if (!step || (step->state == SiteStep::State::notTried && step->text.empty()))
        return StepsCard::tr("not tried");
    const QString text = toQt(step->text);
    return step->percent ? StepsCard::tr("%1 (%2 %)").arg(text).arg(*step->percent) : text;
}

} // namespace

StepsCard::StepsCard(const ThemeController& theme)
    : Card(tr("Connection test"))
{
    auto* copy = link(new QPushButton(tr("Copy report")));
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(report()); });
    addToTitle(copy);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(2, 1);
    int line = 0;
    for (const SiteStep::Kind kind : kSiteSteps) {
        Row row{new IconLabel(theme, QStringLiteral("circle"), Ink::disabled, 16), new ElidedLabel(LabelKind::caption),
                makeLabel(LabelKind::caption), makeParagraph(LabelKind::caption), buttonOf(kind)};
        grid->setRowMinimumHeight(line, kRowHeight);
        grid->addWidget(row.icon, line, 0);
        grid->addWidget(makeLabel(LabelKind::text, toQt(titleOf(kind))), line, 1);
        grid->addWidget(row.text, line, 2);
        auto* end = makeRow({stretch(), row.took});
        if (row.button)
            end->addWidget(row.button); // always there: it stays focused when it was pressed
        grid->addLayout(end, line++, 3);
        grid->addWidget(row.hint, line++, 2, 1, 2);
        m_rows.emplace(kind, row);
    }
    body()->addLayout(grid);
    showSteps({}, false);
}

QPushButton* StepsCard::buttonOf(SiteStep::Kind kind)
{
    if (kind == SiteStep::Kind::node) {
        auto* button = link(new QPushButton(tr("Ask a node")));
        button->setToolTip(tr("Tests once more, a compute node with it, which waits in the queue"));
        connect(button, &QPushButton::clicked, this, &StepsCard::nodeAsked);
        return button;
    }
    if (kind != SiteStep::Kind::worker)
        return nullptr;
    auto* button = link(new QPushButton(tr("Show log")));
    button->setToolTip(tr("Output of the worker's build"));
    button->hide();
    connect(button, &QPushButton::clicked, this, &StepsCard::logAsked);
    return button;
}

void StepsCard::setHasLog(bool hasLog)
{
    m_rows.at(SiteStep::Kind::worker).button->setVisible(hasLog);
}

void StepsCard::showSteps(const std::map<SiteStep::Kind, SiteStep>& steps, bool wasTested, std::int64_t asOf)
{
    m_steps = steps;
    int done = 0;
    const auto wanted = m_rows.size() - (steps.contains(SiteStep::Kind::node) ? 0 : 1); // only where it is asked for
    for (const auto& [kind, row] : m_rows) {
        const auto found = steps.find(kind);
        const SiteStep* step = found == steps.end() ? nullptr : &found->second;
        showStep(row, step);
        done += step && (step->state == SiteStep::State::ok || step->state == SiteStep::State::warning);
    }
    const bool isWhole = done == int(wanted); // a launch does all that a test does
    if (asOf == 0 && !wasTested && !isWhole)
        return setCaption(tr("not tested yet"));
    const QString count = tr("%1 of %2 steps done").arg(done).arg(wanted);
    const QString caption = asOf > 0 ? tr("%1, as of %2").arg(count, Numbers::moment(asOf)) : count;
    setCaption(wanted < m_rows.size() ? tr("%1; no node was asked").arg(caption) : caption);
}

void StepsCard::showStep(const Row& row, const SiteStep* step)
{
    const StepLook& look = lookOf(step);
    row.icon->setIcon(QString::fromLatin1(look.icon), look.ink);
    row.icon->setAccessibleName(tr(look.word));
    row.text->setFullText(textOf(step));
    const bool isCause = step && (step->state == SiteStep::State::failed || step->state == SiteStep::State::warning);
    setStyled(*row.text, "kind", isCause ? QStringLiteral("text") : QStringLiteral("cap"));
    row.took->setText(step && step->took.count() > 0 ? durationText(step->took) : QString());
    row.hint->setText(step ? toQt(step->hint) : QString());
    row.hint->setVisible(!row.hint->text().isEmpty());
    row.took->setVisible(!row.took->text().isEmpty());
}

QString StepsCard::report() const
{
    QString text;
    for (const SiteStep::Kind kind : kSiteSteps) {
        const auto found = m_steps.find(kind);
        const SiteStep* step = found == m_steps.end() ? nullptr : &found->second;
        text += QStringLiteral("%1: %2: %3 %4\n")
                    .arg(toQt(titleOf(kind)), StepsCard::tr(lookOf(step).word), textOf(step),
                         step ? toQt(step->hint) : QString());
    }
    return text;
}

} // namespace ringside
