// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/factorrows.h"

#include "app/pages/editor/fieldnote.h"
#include "app/widgets/arrange.h"

#include "core/spec/schema.h"

#include <algorithm>

namespace ringside {

FactorRows::FactorRows(const ThemeController& theme)
    : m_theme(theme)
    , m_layout(fillColumn(this, {}, 8))
{
}

void FactorRows::setFactors(const std::vector<DraftFactor>& wanted)
{
    const auto sameKey = [](const FactorRow* row, const DraftFactor& factor) {
        return row->factor().key == factor.key;
    };
    if (std::equal(m_rows.begin(), m_rows.end(), wanted.begin(), wanted.end(), sameKey)) {
        for (std::size_t i = 0; i < wanted.size(); ++i)
            m_rows[i]->setText(wanted[i].text); // the rows stay, and with them the focus
        return;
    }
    for (FactorRow* row : m_rows)
        row->deleteLater();
    m_rows.clear();
    for (const DraftFactor& factor : wanted)
        append(factor);
    refreshTaken();
    orderTabs();
}

std::vector<DraftFactor> FactorRows::factors() const
{
    std::vector<DraftFactor> all;
    for (const FactorRow* row : m_rows)
        all.push_back(row->factor());
    return all;
}

void FactorRows::setPlans(const std::vector<std::string>& plans)
{
    m_plans = plans;
    for (FactorRow* row : m_rows)
        row->setPlans(plans);
}

void FactorRows::setEngines(const std::vector<LevelChoice>& engines)
{
    m_engines = engines;
    for (FactorRow* row : m_rows)
        row->setEngines(engines);
}

FactorRow* FactorRows::append(const DraftFactor& factor)
{
    auto* row = new FactorRow(m_theme, factor);
    row->setPlans(m_plans);
    row->setEngines(m_engines);
    m_rows.push_back(row);
    m_layout->addWidget(row);
    connect(row, &FactorRow::changed, this, [this] {
        refreshTaken();
        Q_EMIT changed();
    });
    connect(row, &FactorRow::removeAsked, this, [this, row] {
        m_rows.erase(std::find(m_rows.begin(), m_rows.end(), row));
        row->deleteLater();
        refreshTaken();
        Q_EMIT changed();
    });
    return row;
}

void FactorRows::addFactor()
{
    const std::vector<DraftFactor> present = factors();
    for (const spec::Setting& setting : spec::schema()) {
        const auto same = [&](const DraftFactor& factor) { return factor.key == setting.key; };
        if (std::any_of(present.begin(), present.end(), same) || spec::offeredLevels(setting).size() == 1)
            continue;
        FactorRow* row = append({std::string(setting.key), {}});
        refreshTaken();
        orderTabs();
        row->focusLevels();
        Q_EMIT changed();
        return;
    }
}

bool FactorRows::focusFactor(const std::string& key)
{
    for (FactorRow* row : m_rows)
        if (row->factor().key == key) {
            row->focusLevels();
            return true;
        }
    return false;
}

void FactorRows::setChecks(const std::vector<spec::Check>& checks)
{
    for (FactorRow* row : m_rows) {
        const auto isAbout = [key = row->factor().key](const spec::Check& check) {
            const FieldPlace place = placeOf(check.field);
            return place.table == "factors" && place.key == key && check.severity != spec::Severity::hint;
        };
        const auto found = std::find_if(checks.begin(), checks.end(), isAbout);
        row->setCheck(found == checks.end() ? nullptr : &*found);
    }
}

void FactorRows::followInTabOrder(QWidget* before)
{
    m_before = before;
    orderTabs();
}

/// Rows come later than what is below them, and would be last.
void FactorRows::orderTabs()
{
    QWidget* last = m_before;
    for (FactorRow* row : m_rows)
        last = row->followInTabOrder(last);
}

void FactorRows::refreshTaken()
{
    std::vector<std::string> keys;
    for (const FactorRow* row : m_rows)
        keys.push_back(row->factor().key);
    for (FactorRow* row : m_rows)
        row->setTaken(keys);
}

} // namespace ringside
