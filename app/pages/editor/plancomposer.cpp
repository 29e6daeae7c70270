// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/plancomposer.h"

#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"
#include "core/base/text.h"
#include "core/spec/plans.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QStandardItemModel>
#include <algorithm>
#include <cmath>
#include <variant>

namespace ringside {

namespace {

constexpr double kPpmPerPercent = 10'000;
constexpr int kLongestName = 60;

bool isServed(const AggregationPlan& plan)
{
    return plan.collective == Collective::parameterServer;
}

/// A name is a level among others, separated by commas, and a key of the file.
bool isName(const QString& text)
{
    return !text.isEmpty() && text.size() <= kLongestName && std::all_of(text.begin(), text.end(), [](QChar c) {
        return (c.unicode() < 0x80 && c.isLetterOrNumber()) || QStringLiteral("-_.").contains(c);
    });
}

/// "= 4.00 MB" of bytes that no binary unit says in whole numbers; empty for others.
QString roundedSize(std::uint64_t bytes)
{
    const bool isLong = bytes >= 1'000 && formatSize(bytes).ends_with(" B");
    return isLong ? PlanComposer::tr("= %1").arg(Numbers::bytes(bytes)) : QString();
}

QComboBox* makeCombo(const QString& name)
{
    auto* combo = new QComboBox;
    combo->setAccessibleName(name);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(12);
    return combo;
}

/// A choice that is not available stays in the list.
void addItem(QComboBox& combo, const QString& text, const QVariant& data, const QString& tip, bool enabled)
{
    combo.addItem(text, data);
    const int row = combo.count() - 1;
    combo.setItemData(row, tip, Qt::ToolTipRole);
    qobject_cast<QStandardItemModel*>(combo.model())->item(row)->setEnabled(enabled);
}

} // namespace

PlanComposer::PlanComposer(const spec::SiteLimits& site)
    : m_site(site)
    , m_grid(new QGridLayout(this))
    , m_name(new QLineEdit)
    , m_sentence(makeParagraph(LabelKind::text))
    , m_why(makeParagraph(LabelKind::error))
{
    m_grid->setContentsMargins({});
    m_grid->setHorizontalSpacing(10);
    m_grid->setVerticalSpacing(6);
    m_grid->setColumnStretch(1, 1);
    m_name->setAccessibleName(tr("Name of the plan"));
    m_grid->addWidget(makeLabel(LabelKind::text, tr("Name")), 0, 0, Qt::AlignRight | Qt::AlignVCenter);
    m_grid->addWidget(m_name, 0, 1);
    m_grid->addWidget(m_sentence, 1, 0, 1, 2);
    m_grid->addWidget(m_why, 2, 0, 1, 2);
    connect(m_name, &QLineEdit::textEdited, this, &PlanComposer::read);
    addRows();
    m_grid->setRowStretch(m_grid->rowCount(), 1);
}

/// A field that has the focus signals its end.
PlanComposer::~PlanComposer()
{
    for (QWidget* field : findChildren<QWidget*>())
        field->disconnect(this);
}

void PlanComposer::addRows()
{
    addPart(tr("Collective"), kCollectives, &AggregationPlan::collective, "collective");
    addServerRows();
    addPart(tr("Grouping"), kGroupings, &AggregationPlan::grouping, "grouping");
    addNumbers(kGroupings, &AggregationPlan::grouping);
    addPart(tr("Schedule"), kSchedules, &AggregationPlan::schedule, "schedule");
    addNumbers(kSchedules, &AggregationPlan::schedule);
    addPart(tr("Compression"), kCompressions, &AggregationPlan::compression, "compression");
    addNumbers(kCompressions, &AggregationPlan::compression);
}

void PlanComposer::addServerRows()
{
    addServers();
    addUpdates();
    addPart(tr("Servers run on"), kPlacements, &AggregationPlan::serverPlacement, "", isServed);
}

/// Those that one of the parts has at least, once.
template <typename Parts, typename Part>
void PlanComposer::addNumbers(const Parts& parts, Part AggregationPlan::*member)
{
    for (const spec::PlanNumber& number : spec::planNumbers()) {
        const auto has = [&](Part part) { return spec::counts(number, spec::planWith(member, part)); };
        const auto first = std::ranges::find_if(parts, has);
        if (first == parts.end())
            continue;
        const NumberField field{coreText(number.label),
                                [&number](const AggregationPlan& plan) { return spec::counts(number, plan); },
                                *spec::limitsOf(number, spec::planWith(member, *first))};
        std::visit([&](auto form) { addNumber(field, form); }, number.form);
    }
}

void PlanComposer::addRow(const QString& label, Row row)
{
    if (!row.counts)
        row.counts = [](const AggregationPlan&) { return true; };
    const int place = m_grid->rowCount();
    row.label = makeLabel(LabelKind::text, label);
    row.label->setMinimumHeight(row.widget->fontMetrics().height() * 2); // beside the field, not what is below it
    m_grid->addWidget(row.label, place, 0, Qt::AlignRight | Qt::AlignTop);
    m_grid->addWidget(row.widget, place, 1);
    m_rows.push_back(std::move(row));
}

/// With what the chosen one does below it.
template <typename Parts, typename Part>
void PlanComposer::addPart(const QString& label, const Parts& parts, Part AggregationPlan::*member, const char* feature,
                           Condition counts)
{
    auto* field = new QWidget;
    auto* combo = makeCombo(label);
    auto* caption = makeParagraph(LabelKind::caption);
    fillColumn(field, {combo, caption}, 2);
    for (const Part each : parts) {
        const spec::PlanPart part = spec::partOf(each);
        if (std::string_view(feature) == "collective" && part.name == "none")
            continue; // that of a single rank
        AggregationPlan plan = spec::builtInPlans().front().plan;
        plan.*member = each;
        const bool lacks = *feature && spec::partLacking(plan, m_site) == std::string(part.name);
        addItem(*combo, coreText(part.label), int(each),
                lacks ? tr("The worker of %1 cannot do this.").arg(toQt(m_site.text)) : coreText(part.sentence),
                !lacks);
    }
    connect(combo, &QComboBox::activated, this, &PlanComposer::read);
    addRow(label, {field, std::move(counts),
                   [this, combo, caption, member] {
                       combo->setCurrentIndex(combo->findData(int(m_plan.*member)));
                       caption->setText(combo->currentData(Qt::ToolTipRole).toString());
                   },
                   [this, combo, member] {
                       m_plan.*member = static_cast<Part>(combo->currentData().toInt());
                       return QString();
                   }});
}

/// `text` returns the plan's value, `parse` stores typed text and returns whether it could; `beside` is shown after it.
template <typename Text, typename Parse>
void PlanComposer::addText(const QString& label, Condition counts, Text text, Parse parse, const QString& hint,
                           std::function<QString()> beside)
{
    auto* field = new QWidget;
    auto* line = m_lines.emplace_back(new QLineEdit);
    auto* caption = makeLabel(LabelKind::caption);
    fillRow(field, {{line, 1}, caption}, space::kField);
    line->setAccessibleName(label);
    connect(line, &QLineEdit::textEdited, this, &PlanComposer::read);
    connect(line, &QLineEdit::editingFinished, this, [this, line, text, parse] {
        if (parse(toUtf8(line->text().trimmed())))
            line->setText(toQt(text())); // as it is stored
    });
    addRow(label, {field, std::move(counts),
                   [line, text, caption, beside = std::move(beside)] {
                       if (!line->isModified()) // what is being typed stays
                           line->setText(toQt(text()));
                       caption->setText(beside ? beside() : QString());
                       caption->setVisible(!caption->text().isEmpty());
                   },
                   [line, label, hint, parse] {
                       return parse(toUtf8(line->text().trimmed()))
                                  ? QString()
                                  : tr("%1: “%2” cannot be read. %3").arg(label, line->text(), hint);
                   }});
}

void PlanComposer::addNumber(const NumberField& field, spec::PlanSize size)
{
    const auto parse = [this, member = size.member](const std::string& text) {
        const auto bytes = parseSize(text).value_or(0);
        if (bytes > 0)
            m_plan.*member = bytes;
        return bytes > 0;
    };
    addText(
        field.label, field.counts, [this, member = size.member] { return formatSize(m_plan.*member); }, parse,
        tr("Write 25 MiB; units are B, KiB, MiB and GiB."),
        [this, member = size.member] { return roundedSize(m_plan.*member); });
}

void PlanComposer::addNumber(const NumberField& field, spec::PlanTime time)
{
    const auto parse = [this, member = time.member](const std::string& text) {
        const auto parsed = spec::parseCycle(text);
        m_plan.*member = parsed.value_or(m_plan.*member);
        return parsed.has_value();
    };
    addText(
        field.label, field.counts, [this, member = time.member] { return spec::formatCycle(m_plan.*member); }, parse,
        tr("Write 1 ms; units are us, ms and s."));
}

void PlanComposer::addNumber(const NumberField& field, spec::PlanCount count)
{
    auto* spin = new QSpinBox;
    spin->setRange(int(field.limits.low), int(field.limits.high));
    spin->setAccessibleName(field.label);
    connect(spin, &QSpinBox::valueChanged, this, &PlanComposer::read);
    addRow(field.label, {spin, field.counts,
                         [this, spin, member = count.member] {
                             const QSignalBlocker quiet(spin);
                             spin->setValue(m_plan.*member);
                         },
                         [this, spin, member = count.member] {
                             m_plan.*member = spin->value();
                             return QString();
                         }});
}

void PlanComposer::addNumber(const NumberField& field, spec::PlanShare share)
{
    auto* spin = new QDoubleSpinBox;
    spin->setDecimals(4);
    spin->setRange(double(field.limits.low) / kPpmPerPercent, double(field.limits.high) / kPpmPerPercent);
    spin->setSuffix(tr(" %"));
    spin->setAccessibleName(field.label);
    connect(spin, &QDoubleSpinBox::valueChanged, this, &PlanComposer::read);
    addRow(field.label, {spin, field.counts,
                         [this, spin, member = share.member] {
                             const QSignalBlocker quiet(spin);
                             spin->setValue(m_plan.*member / kPpmPerPercent);
                         },
                         [this, spin, member = share.member] {
                             m_plan.*member = int(std::lround(spin->value() * kPpmPerPercent));
                             return QString();
                         }});
}

/// Below 1 stands what goes by the nodes.
void PlanComposer::addServers()
{
    auto* spin = new QSpinBox;
    spin->setRange(0, 1'000);
    spin->setSpecialValueText(tr("One for each node"));
    spin->setAccessibleName(tr("Servers"));
    connect(spin, &QSpinBox::valueChanged, this, &PlanComposer::read);
    addRow(tr("Servers"), {spin, isServed,
                           [this, spin] {
                               const QSignalBlocker quiet(spin);
                               spin->setValue(m_plan.serverPerNode ? 0 : m_plan.servers);
                           },
                           [this, spin] {
                               m_plan.serverPerNode = spin->value() == 0;
                               m_plan.servers = std::max(spin->value(), 1);
                               return QString();
                           }});
}

void PlanComposer::addUpdates()
{
    auto* combo = makeCombo(tr("Updates"));
    AggregationPlan asynchronous = spec::builtInPlans().front().plan;
    asynchronous.collective = Collective::parameterServer;
    asynchronous.asynchronous = true;
    const bool lacks = spec::partLacking(asynchronous, m_site).value_or("") == "asynchronous";
    addItem(*combo, tr("Synchronous"), false, tr("All workers go in step."), true);
    addItem(*combo, tr("Asynchronous"), true,
            lacks ? tr("The worker of %1 cannot do this.").arg(toQt(m_site.text))
                  : tr("Each worker waits for its own update only."),
            !lacks);
    connect(combo, &QComboBox::activated, this, &PlanComposer::read);
    addRow(tr("Updates"), {combo, isServed, [this, combo] { combo->setCurrentIndex(m_plan.asynchronous ? 1 : 0); },
                           [this, combo] {
                               m_plan.asynchronous = combo->currentIndex() == 1;
                               return QString();
                           }});
}

void PlanComposer::setPlan(const AggregationPlan& plan, std::function<bool(const std::string& name)> isTaken)
{
    m_plan = plan;
    m_isTaken = std::move(isTaken);
    m_name->setText(toQt(plan.name));
    m_problem.clear();
    for (QLineEdit* line : m_lines)
        line->setModified(false);
    refresh();
}

void PlanComposer::focusName()
{
    m_name->setFocus(Qt::OtherFocusReason);
    m_name->selectAll();
}

QString PlanComposer::readName()
{
    const QString name = m_name->text().trimmed();
    if (!isName(name))
        return tr("Name: use letters, digits, “-”, “_” and “.”, at most %1.").arg(kLongestName);
    if (name == QLatin1String(spec::kNoPlan) || (m_isTaken && m_isTaken(toUtf8(name))))
        return tr("Name: another plan is called “%1”.").arg(name);
    m_plan.name = toUtf8(name);
    return {};
}

void PlanComposer::read()
{
    m_problem = readName();
    for (const Row& row : m_rows) // a part stands before its numbers
        if (row.counts(m_plan))
            if (const QString wrong = row.read(); m_problem.isEmpty())
                m_problem = wrong;
    refresh();
    Q_EMIT changed();
}

void PlanComposer::refresh()
{
    for (const Row& row : m_rows) {
        const bool counts = row.counts(m_plan);
        row.label->setVisible(counts);
        row.widget->setVisible(counts);
        row.show();
    }
    m_plan.asynchronous = m_plan.asynchronous && isServed(m_plan);
    m_sentence->setText(toQt(spec::sentenceOf(m_plan)));
    if (const auto why = whyNotComposed(m_plan); why && m_problem.isEmpty())
        m_problem = tr("This is not possible: %1").arg(messageOf(*why));
    m_why->setText(m_problem);
    m_why->setVisible(!m_problem.isEmpty());
}

} // namespace ringside
