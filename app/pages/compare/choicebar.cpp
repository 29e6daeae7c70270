// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/choicebar.h"

#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/itemtexts.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "core/report/layout.h"
#include "core/report/names.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

namespace ringside {

namespace {

Settings anySettings(const report::Comparison& comparison)
{
    return comparison.groups.empty() ? Settings{} : comparison.groups.front().settings;
}

QString ruleText(const Settings& rule, const Settings& like)
{
    QStringList words;
    for (const auto& [key, value] : rule) {
        Settings settings = like;
        settings.insert_or_assign(key, value);
        words << toQt(report::shownLevelText(key, settings));
    }
    return words.join(QStringLiteral(" · "));
}

/// Texts and what they stand for. A list that holds them stays: it may be open.
void setItems(QComboBox& combo, const std::vector<std::pair<QString, QString>>& items)
{
    std::vector<std::pair<QString, QString>> shown;
    for (int item = 0; item < combo.count(); ++item)
        shown.emplace_back(combo.itemText(item), combo.itemData(item).toString());
    if (shown == items)
        return;
    combo.clear();
    for (const auto& [text, data] : items)
        combo.addItem(text, data);
}

/// The result of a rule, where it is one case.
QString withValue(const QString& rule, const report::BaseCase& base)
{
    return itemText(ItemText::baseCase, report::itemsOf(base.settings))
        .arg(rule, Numbers::threeDigits(*base.throughput.value), QString::number(base.n));
}

} // namespace

ChoiceBar::ChoiceBar()
    : FlowBox(12, 6)
{
    m_x = addCombo(tr("x axis"));
    m_series = addCombo(tr("Series"));
    m_panels = addCombo(tr("Panels"));
    m_base = addCombo(tr("Base case"));
    m_colours = addColours();
    for (QComboBox* combo : {m_x, m_series, m_panels})
        connect(combo, &QComboBox::activated, this, [this] {
            m_chosen = {toUtf8(m_x->currentData().toString()),
                        toUtf8(m_series->currentData().toString()),
                        toUtf8(m_panels->currentData().toString()),
                        {}};
            Q_EMIT layoutChanged();
        });
    connect(m_base, &QComboBox::activated, this, &ChoiceBar::baseChanged);
}

QComboBox* ChoiceBar::addCombo(const QString& caption)
{
    auto* combo = new QComboBox;
    layout()->addWidget(captioned(combo, caption, 9));
    return combo;
}

QToolButton* ChoiceBar::addColours()
{
    auto* button = new QToolButton;
    button->setText(tr("In colour"));
    button->setToolTip(tr("Choose the series that are in colour; the others are gray"));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(new QMenu(button));
    button->hide();
    layout()->addWidget(button);
    return button;
}

void ChoiceBar::offerColours(const report::FigureData& figure)
{
    std::vector<std::string> all, coloured;
    if (const auto* points = figure.as<report::Points>())
        for (const report::Points::Panel& panel : points->panels)
            for (const report::Series& series : panel.series) {
                if (series.neutral || std::ranges::find(all, series.name) != all.end())
                    continue;
                all.push_back(series.name);
                if (!series.isGray())
                    coloured.push_back(series.name);
            }
    QMenu& menu = *m_colours->menu();
    menu.clear();
    connect(menu.addAction(tr("Base case and best")), &QAction::triggered, this, [this] { chooseColours({}); });
    menu.addSeparator();
    std::ranges::sort(all);
    for (const std::string& name : all)
        addColourChoice(menu, name, coloured);
    m_colours->setVisible(coloured.size() < all.size());
}

/// Checked: it is in colour. Once all colours are in use, others wait until one is free.
void ChoiceBar::addColourChoice(QMenu& menu, const std::string& name, const std::vector<std::string>& coloured)
{
    const bool isColoured = std::ranges::find(coloured, name) != coloured.end();
    const bool isFull = coloured.size() >= std::size_t{report::kSeriesColours};
    QAction* action = menu.addAction(toQt(name).replace(QLatin1Char('&'), QStringLiteral("&&")));
    action->setCheckable(true);
    action->setChecked(isColoured);
    action->setEnabled(isColoured || !isFull);
    menu.setToolTipsVisible(true);
    if (!action->isEnabled())
        action->setToolTip(tr("All %1 colours are taken: clear another series first.").arg(report::kSeriesColours));
    connect(action, &QAction::triggered, this, [this, name, coloured, isColoured] {
        std::vector<std::string> names = coloured;
        isColoured ? (void)std::erase(names, name) : names.push_back(name);
        chooseColours(std::move(names));
    });
}

void ChoiceBar::chooseColours(std::vector<std::string> names)
{
    m_chosen.coloured = std::move(names);
    Q_EMIT layoutChanged();
}

void ChoiceBar::offer(const report::Comparison& comparison, const spec::Experiment& experiment,
                      const report::FigureKind& kind)
{
    const report::Layout drawn = report::layoutFor(comparison, m_chosen); // what was chosen may not vary any more
    offerFactors(*m_x, comparison, drawn.x, false);
    offerFactors(*m_series, comparison, drawn.series, true);
    offerFactors(*m_panels, comparison, drawn.panels, true);
    m_x->parentWidget()->setVisible(kind.hasSeries()); // a stack has its label instead of a place along x
    m_base->parentWidget()->setVisible(kind.isRatio());
    offerBases(comparison, experiment);
}

void ChoiceBar::offerFactors(QComboBox& combo, const report::Comparison& comparison, const std::string& chosen,
                             bool optional)
{
    const QSignalBlocker blocker(combo);
    std::vector<std::pair<QString, QString>> items;
    if (optional)
        items.emplace_back(tr("none", "no factor"), QString());
    for (const spec::Factor& factor : comparison.factors)
        items.emplace_back(coreText(report::factorTitle(comparison, factor.key)), toQt(factor.key));
    setItems(combo, items);
    combo.setCurrentIndex(std::max(0, combo.findData(toQt(chosen))));
}

/// The experiment's own rule, every level of the factor along x, and the chosen rule whatever is along x now: the
/// figure was made with it.
void ChoiceBar::offerBases(const report::Comparison& comparison, const spec::Experiment& experiment)
{
    const int before = m_base->currentIndex();
    const std::optional<Settings> chosen = base();
    const QSignalBlocker blocker(m_base);
    m_base->clear();
    m_bases.clear();
    const auto add = [&](const std::optional<Settings>& rule, QString text) {
        const bool isShown = comparison.where == rule.value_or(experiment.base);
        if (isShown && comparison.cases.size() == 1 && comparison.cases.front().throughput.value)
            text = withValue(text, comparison.cases.front());
        m_base->addItem(text);
        m_bases.push_back(rule);
    };
    if (!experiment.base.empty())
        add(std::nullopt, ruleText(experiment.base, anySettings(comparison)));
    for (const spec::Factor& factor : comparison.factors)
        if (toQt(factor.key) == m_x->currentData().toString())
            for (const Value& level : factor.levels)
                if (const Settings rule{{factor.key, level}}; rule != experiment.base)
                    add(rule, ruleText(rule, anySettings(comparison)));
    if (chosen && *chosen != experiment.base && std::find(m_bases.begin(), m_bases.end(), chosen) == m_bases.end())
        add(chosen, ruleText(*chosen, anySettings(comparison)));
    const auto found = std::find(m_bases.begin(), m_bases.end(), chosen);
    m_base->setCurrentIndex(before >= 0 && found != m_bases.end() ? int(found - m_bases.begin())
                            : experiment.base.empty()             ? -1
                                                                  : 0);
    m_base->setPlaceholderText(tr("Choose…"));
}

int ChoiceBar::measuredBase(const report::Comparison& comparison) const
{
    const auto isMeasured = [&](const std::optional<Settings>& rule) {
        return rule && *rule != comparison.where &&
               std::any_of(comparison.groups.begin(), comparison.groups.end(), [&](const report::Group& group) {
                   return group.n() > 0 && std::all_of(rule->begin(), rule->end(), [&](const auto& wanted) {
                              const auto found = group.settings.find(wanted.first);
                              return found != group.settings.end() && found->second == wanted.second;
                          });
               });
    };
    const auto found = std::find_if(m_bases.begin(), m_bases.end(), isMeasured);
    return found == m_bases.end() ? -1 : int(found - m_bases.begin());
}

QString ChoiceBar::baseText(int base) const
{
    return m_base->itemText(base);
}

void ChoiceBar::chooseBase(int base)
{
    m_base->setCurrentIndex(base);
    Q_EMIT baseChanged();
}

report::FigureRequest ChoiceBar::request() const
{
    return m_chosen;
}

std::optional<Settings> ChoiceBar::base() const
{
    const int index = m_base->currentIndex();
    return index >= 0 && index < int(m_bases.size()) ? m_bases[std::size_t(index)] : std::nullopt;
}

void ChoiceBar::forget()
{
    m_chosen = {};
    m_bases.clear();
    m_base->clear();
}

} // namespace ringside
