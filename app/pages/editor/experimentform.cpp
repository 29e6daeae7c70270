// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/experimentform.h"

#include "app/pages/editor/constantfields.h"
#include "app/pages/editor/factorrows.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"
#include "app/widgets/text.h"
#include "core/spec/plans.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace ringside {

ExperimentForm::ExperimentForm(const ThemeController& theme, QWidget* parent)
    : QScrollArea(parent)
    , m_name(new QLineEdit)
    , m_question(new QLineEdit)
    , m_factors(new FactorRows(theme))
    , m_constants(new ConstantFields)
    , m_exclusions(new QWidget)
    , m_exclusionText(makeLabel(LabelKind::caption))
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    m_name->setAccessibleName(tr("Name"));
    m_question->setAccessibleName(tr("Question"));
    build(theme);
    for (QLineEdit* line : {m_name, m_question})
        connect(line, &QLineEdit::textEdited, this, &ExperimentForm::readFields);
    connect(m_factors, &FactorRows::changed, this, &ExperimentForm::readFields);
    connect(m_constants, &ConstantFields::changed, this, &ExperimentForm::readFields);
}

void ExperimentForm::build(const ThemeController& theme)
{
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(18, 14, 18, 14);
    layout->setSpacing(space::kGap);
    layout->addWidget(makeLabel(LabelKind::cardTitle, tr("Question")));
    auto* question = new QFormLayout;
    question->setHorizontalSpacing(10);
    question->setVerticalSpacing(8);
    question->addRow(tr("Name"), m_name);
    question->addRow(tr("Question"), m_question);
    question->addRow(tr("Site"), makeLabel(LabelKind::text, tr("This computer")));
    layout->addLayout(question);
    layout->addWidget(makeRule());
    auto* factorTitle = new QHBoxLayout;
    factorTitle->addWidget(makeLabel(LabelKind::cardTitle, tr("Factors and levels")), 1);
    auto* hint = makeLabel(LabelKind::caption, tr("every combination is a configuration"));
    factorTitle->addWidget(hint);
    layout->addLayout(factorTitle);
    layout->addWidget(m_factors);
    auto* add = link(new QPushButton(theme.icon(QStringLiteral("plus"), Ink::accent), tr("Add factor")));
    layout->addWidget(add, 0, Qt::AlignLeft);
    auto* exclusions = new QHBoxLayout(m_exclusions);
    exclusions->setContentsMargins({});
    auto* clear = link(new QPushButton(tr("Count them again")));
    exclusions->addWidget(m_exclusionText, 1);
    exclusions->addWidget(clear);
    layout->addWidget(m_exclusions);
    layout->addWidget(makeRule());
    layout->addWidget(makeLabel(LabelKind::cardTitle, tr("Held constant")));
    layout->addWidget(m_constants);
    layout->addStretch();
    setWidget(page);
    page->setAutoFillBackground(false); // the card shows through
    viewport()->setAutoFillBackground(false);
    connect(add, &QPushButton::clicked, this, &ExperimentForm::addFactor);
    connect(clear, &QPushButton::clicked, this, &ExperimentForm::clearExclusions);
}

void ExperimentForm::setDraft(const Draft& draft)
{
    m_draft = draft;
    if (m_name->text() != toQt(draft.experiment.name))
        m_name->setText(toQt(draft.experiment.name));
    if (m_question->text() != toQt(draft.experiment.question))
        m_question->setText(toQt(draft.experiment.question));
    m_factors->setFactors(draft.factors);
    m_constants->setExperiment(draft.experiment);
    refreshDependent();
}

void ExperimentForm::setScaling(const QString& hint)
{
    m_constants->setScaling(hint);
}

void ExperimentForm::addFactor()
{
    m_factors->addFactor();
}

void ExperimentForm::clearExclusions()
{
    m_draft.experiment.exclude.clear();
    refreshDependent();
    Q_EMIT edited();
}

void ExperimentForm::setExcluded(const Settings& combination, bool excluded)
{
    std::vector<Settings>& exclude = m_draft.experiment.exclude;
    const auto covers = [&](const Settings& rule) {
        return std::all_of(rule.begin(), rule.end(), [&](const auto& entry) {
            const auto found = combination.find(entry.first);
            return found != combination.end() && found->second == entry.second;
        });
    };
    if (excluded)
        exclude.push_back(combination);
    else
        std::erase_if(exclude, covers);
    refreshDependent();
    Q_EMIT edited();
}

void ExperimentForm::readFields()
{
    m_draft.experiment.name = toUtf8(m_name->text().trimmed());
    m_draft.experiment.question = toUtf8(m_question->text().trimmed());
    m_draft.factors = m_factors->factors();
    refreshDependent();
    m_constants->read(m_draft.experiment);
    Q_EMIT edited();
}

/// What follows from other fields: which settings are left to be held constant, which plans there are.
void ExperimentForm::refreshDependent()
{
    std::set<std::string> keys;
    for (const DraftFactor& factor : m_draft.factors)
        keys.insert(factor.key);
    m_constants->setFactors(keys);
    m_factors->setPlans(spec::planNames(m_draft.experiment));
    const int excluded = int(m_draft.experiment.exclude.size());
    m_exclusions->setVisible(excluded > 0);
    m_exclusionText->setText(tr("%n combination(s) excluded", "", excluded));
}

bool ExperimentForm::focusField(const std::string& field)
{
    const std::string last = field.substr(field.find('.') + 1); // npos + 1 is 0: no dot, the whole field
    const std::string key = last.substr(0, last.find('['));
    if (field == "name" || field == "question") {
        (field == "name" ? m_name : m_question)->setFocus(Qt::OtherFocusReason);
        return true;
    }
    return m_factors->focusFactor(key) || m_constants->focusSetting(key);
}

} // namespace ringside
