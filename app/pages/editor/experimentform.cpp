// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/experimentform.h"

#include "app/pages/editor/constantfields.h"
#include "app/pages/editor/factorrows.h"
#include "app/pages/editor/fieldnote.h"
#include "app/pages/editor/plansdialog.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"
#include "core/spec/experiment.h"
#include "core/spec/plans.h"
#include "core/spec/schema.h"

#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>

namespace ringside {

namespace {

constexpr std::size_t kMostConditions = 2; ///< that are spelled out

QString settingsText(const Settings& settings)
{
    QStringList texts;
    for (const auto& [key, value] : settings)
        texts << QStringLiteral("%1 = %2").arg(toQt(spec::shownLabelOf(key)), toQt(spec::shownLabelOf(key, value)));
    return texts.join(QStringLiteral(", "));
}

/// "Batch per rank = 16 where Model = AlexNet"
QString conditionText(const std::vector<spec::Conditional>& conditions)
{
    if (conditions.size() > kMostConditions)
        return ExperimentForm::tr("%n condition(s) set other values", "", int(conditions.size()));
    QStringList texts;
    for (const spec::Conditional& condition : conditions)
        texts << ExperimentForm::tr("%1 where %2", "settings, settings")
                     .arg(settingsText(condition.set), settingsText(condition.match));
    return texts.join(QStringLiteral("; "));
}

} // namespace

ExperimentForm::ExperimentForm(const ThemeController& theme)
    : m_theme(theme)
    , m_name(new QLineEdit)
    , m_question(new QLineEdit)
    , m_nameNote(new FieldNote(theme, *m_name))
    , m_site(new QComboBox)
    , m_unread(makeUnreadNote())
    , m_fields(new QWidget)
    , m_rows(new QFormLayout)
    , m_factors(new FactorRows(theme))
    , m_constants(nullptr)
    , m_exclusions(new QWidget)
    , m_exclusionText(makeLabel(LabelKind::caption))
    , m_conditions(new QWidget)
    , m_conditionText(new ElidedLabel(LabelKind::caption))
{
    m_name->setAccessibleName(tr("Name"));
    m_question->setAccessibleName(tr("Question"));
    m_site->setAccessibleName(tr("Site"));
    build(theme);
    for (QLineEdit* line : {m_name, m_question})
        connect(line, &QLineEdit::textEdited, this, &ExperimentForm::readFields);
    connect(m_site, &QComboBox::activated, this, &ExperimentForm::readFields);
    connect(m_factors, &FactorRows::changed, this, &ExperimentForm::readFields);
    connect(m_constants, &ConstantFields::changed, this, &ExperimentForm::readFields);
}

/// One form, so that all fields start at the same place; what is no field spans it.
void ExperimentForm::build(const ThemeController& theme)
{
    auto* page = new QWidget;
    fillColumn(page, {m_unread, {m_fields, 1}}, 0);
    m_fields->setLayout(m_rows);
    m_rows->setContentsMargins(18, 14, 18, 14);
    m_rows->setHorizontalSpacing(10);
    m_rows->setVerticalSpacing(8);
    m_rows->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_rows->addRow(makeLabel(LabelKind::cardTitle, tr("Question")));
    m_rows->addRow(tr("Name"), m_name);
    m_rows->addRow(QString(), m_nameNote);
    m_rows->addRow(tr("Question"), m_question);
    m_rows->addRow(tr("Site"), m_site);
    m_rows->addRow(makeRule());
    m_rows->addRow(factorTitle());
    m_rows->addRow(m_factors);
    m_factors->followInTabOrder(m_site);
    auto* add = link(new QPushButton(theme.icon(QStringLiteral("plus"), Ink::accent), tr("Add factor")));
    auto* plans = link(new QPushButton(theme.icon(QStringLiteral("layers"), Ink::accent), tr("Plans…")));
    plans->setToolTip(tr("Choose aggregation plans, or compose one"));
    m_rows->addRow(makeRow({add, plans, stretch()}));
    buildExclusions();
    m_rows->addRow(makeRule());
    m_rows->addRow(makeLabel(LabelKind::cardTitle, tr("Held constant")));
    buildConditions();
    m_constants = new ConstantFields(theme, *m_rows, this);
    setContent(page);
    connect(add, &QPushButton::clicked, this, &ExperimentForm::addFactor);
    connect(plans, &QPushButton::clicked, this, &ExperimentForm::choosePlans);
}

QWidget* ExperimentForm::makeUnreadNote()
{
    auto* note = new QWidget;
    auto* discard = new QPushButton(tr("Discard this text"));
    discard->setToolTip(tr("The TOML is that of the form again"));
    auto* why = makeParagraph(LabelKind::warning, tr("The TOML cannot be read. The form waits until it can."));
    fillRow(note, {{why, 1}, discard}, kUsualSpacing, {18, 14, 18, 0});
    note->hide();
    connect(discard, &QPushButton::clicked, this, &ExperimentForm::tomlDiscarded);
    return note;
}

QLayout* ExperimentForm::factorTitle()
{
    auto* row = makeRow({makeLabel(LabelKind::cardTitle, tr("Factors and levels"))}, space::kField);
    auto* hint = new ElidedLabel(LabelKind::caption, tr("every combination is a configuration"));
    hint->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(hint, 1);
    return row;
}

void ExperimentForm::buildExclusions()
{
    auto* clear = link(new QPushButton(tr("Count them again")));
    fillRow(m_exclusions, {{m_exclusionText, 1}, clear});
    m_rows->addRow(m_exclusions);
    connect(clear, &QPushButton::clicked, this, &ExperimentForm::clearExclusions);
}

/// No field of the form can express a condition, so it is shown here, and changed in the text.
void ExperimentForm::buildConditions()
{
    auto* show = link(new QPushButton(tr("Show in TOML")));
    fillRow(m_conditions, {{m_conditionText, 1}, show});
    m_rows->addRow(m_conditions);
    connect(show, &QPushButton::clicked, this, &ExperimentForm::tomlAsked);
}

void ExperimentForm::setChecks(const std::vector<spec::Check>& checks)
{
    const auto isOfName = [](const spec::Check& check) { return check.field == "name"; };
    const auto found = std::find_if(checks.begin(), checks.end(), isOfName);
    m_nameNote->setNote(found == checks.end() ? nullptr : &*found);
    m_factors->setChecks(checks);
    m_constants->setChecks(checks);
}

void ExperimentForm::setSites(const QStringList& sites)
{
    m_sites = sites;
    showSite();
}

void ExperimentForm::showSite()
{
    const QString chosen = toQt(m_draft.experiment.site);
    QStringList names{QString::fromLatin1(spec::kLocalSite)};
    names += m_sites;
    if (!names.contains(chosen))
        names << chosen;
    m_site->clear();
    for (const QString& name : names)
        m_site->addItem(siteName(toUtf8(name)), name);
    m_site->setCurrentIndex(int(names.indexOf(chosen)));
}

void ExperimentForm::setDraft(const Draft& draft)
{
    m_draft = draft;
    m_unread->setVisible(draft.toml.has_value());
    m_fields->setEnabled(!draft.toml);
    showSite();
    if (m_name->text() != toQt(draft.experiment.name))
        m_name->setText(toQt(draft.experiment.name));
    if (m_question->text() != toQt(draft.experiment.question))
        m_question->setText(toQt(draft.experiment.question)), m_question->setCursorPosition(0);
    m_factors->setFactors(draft.factors);
    m_constants->setExperiment(draft.experiment);
    refreshDependent();
}

void ExperimentForm::setLimits(const spec::SiteLimits& limits)
{
    m_limits = limits;
    const std::vector<LevelChoice> engines = engineChoices(limits, m_draft.experiment.site);
    if (engines == m_engines)
        return; // leave lists that are open
    m_engines = engines;
    m_factors->setEngines(engines);
    m_constants->setEngines(engines);
}

void ExperimentForm::addFactor()
{
    if (!m_draft.toml)
        m_factors->addFactor();
}

void ExperimentForm::choosePlans()
{
    auto* dialog = new PlansDialog(m_theme, window(), planChoiceOf(m_draft), m_limits);
    connect(dialog, &PlansDialog::chosen, this, [this](const PlanChoice& choice) {
        Draft draft = m_draft;
        ringside::choosePlans(draft, choice);
        setDraft(draft);
        Q_EMIT edited();
    });
    dialog->open();
}

void ExperimentForm::clearExclusions()
{
    m_draft.experiment.exclude.clear();
    refreshDependent();
    Q_EMIT edited();
}

void ExperimentForm::setCounted(const Settings& cell, bool counted, const std::vector<Settings>& others)
{
    if (m_draft.toml)
        return;
    if (counted)
        countAgain(m_draft, cell, others);
    else
        exclude(m_draft, cell);
    refreshDependent();
    Q_EMIT edited();
}

void ExperimentForm::readFields()
{
    m_draft.experiment.name = toUtf8(m_name->text().trimmed());
    m_draft.experiment.question = toUtf8(m_question->text().trimmed());
    m_draft.experiment.site = toUtf8(m_site->currentData().toString());
    m_draft.factors = m_factors->factors();
    refreshDependent();
    m_constants->read(m_draft.experiment);
    Q_EMIT edited();
}

/// Refreshes what depends on other fields: the settings left to be held constant, and the plans.
void ExperimentForm::refreshDependent()
{
    m_constants->setFactors(m_draft.factors);
    m_factors->setPlans(spec::planNames(m_draft.experiment));
    const int excluded = int(m_draft.experiment.exclude.size());
    m_exclusions->setVisible(excluded > 0);
    m_exclusionText->setText(tr("%n combination(s) excluded", "", excluded));
    m_conditions->setVisible(!m_draft.experiment.when.empty());
    m_conditionText->setFullText(conditionText(m_draft.experiment.when));
}

bool ExperimentForm::focusField(const std::string& field)
{
    const auto [table, key] = placeOf(field);
    if (field == "name" || field == "question") {
        QLineEdit* line = field == "name" ? m_name : m_question;
        line->setFocus(Qt::OtherFocusReason);
        line->selectAll();
        return true;
    }
    if (table == "base")
        return m_constants->focusSetting(table);
    return m_factors->focusFactor(key) || m_constants->focusSetting(key);
}

} // namespace ringside
