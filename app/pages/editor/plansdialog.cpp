// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/plansdialog.h"

#include "app/pages/editor/plancomposer.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/columnscroll.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"
#include "core/spec/plans.h"

#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <algorithm>

Q_DECLARE_METATYPE(ringside::AggregationPlan)

namespace ringside {

namespace {

constexpr int kPlanRole = Qt::UserRole;
constexpr int kOwnRole = Qt::UserRole + 1;
constexpr int kProblemRole = Qt::UserRole + 2; ///< of an own plan, as the composer says it
constexpr int kListWidth = 200;

AggregationPlan planOf(const QListWidgetItem& item)
{
    return item.data(kPlanRole).value<AggregationPlan>();
}

bool isOwn(const QListWidgetItem& item)
{
    return item.data(kOwnRole).toBool();
}

QString sourcesText(const spec::BuiltInPlan& builtIn)
{
    QStringList lines;
    for (const spec::PlanSource& source : builtIn.sources)
        lines << (source.value.empty() ? PlansDialog::tr("%1 – %2").arg(coreText(source.what), toQt(source.where))
                                       : PlansDialog::tr("%1: %2 – %3")
                                             .arg(coreText(source.what), coreText(source.value), toQt(source.where)));
    return lines.join(QLatin1Char('\n'));
}

/// "mine", or "mine-2" where that is in use.
template <class IsTaken> std::string freeName(const std::string& wanted, IsTaken isTaken)
{
    std::string name = wanted;
    for (int number = 2; isTaken(name); ++number)
        name = wanted + "-" + std::to_string(number);
    return name;
}

} // namespace

PlansDialog::PlansDialog(const ThemeController& theme, QWidget* parent, const PlanChoice& choice,
                         const spec::SiteLimits& site)
    : QuestionDialog(parent, theme,
                     {tr("Plans"), tr("Which aggregation plans are compared?"), QStringLiteral("layers")})
    , m_site(site)
    , m_list(new QListWidget)
    , m_pages(new QStackedWidget)
    , m_name(makeLabel(LabelKind::cardTitle))
    , m_does(makeParagraph(LabelKind::text))
    , m_sources(makeParagraph(LabelKind::caption))
    , m_remark(makeParagraph(LabelKind::warning))
    , m_composer(new PlanComposer(m_site))
    , m_problem(makeParagraph(LabelKind::error))
{
    setMinimumSize(760, 560);
    addList();
    addPages();
    body()->addWidget(m_problem);
    addButtons();
    const auto ticked = [&](const std::string& name) {
        return std::find(choice.levels.begin(), choice.levels.end(), name) != choice.levels.end();
    };
    for (const spec::BuiltInPlan& builtIn : spec::builtInPlans())
        if (builtIn.plan.name != spec::kNoPlan && !choice.plans.count(builtIn.plan.name))
            addItem(builtIn.plan, false, ticked(builtIn.plan.name));
    for (const auto& [name, plan] : choice.plans)
        addItem(plan, true, ticked(name));
    connect(m_list, &QListWidget::currentItemChanged, this, &PlansDialog::showPlan);
    connect(m_list, &QListWidget::itemChanged, this, &PlansDialog::refresh);
    connect(m_composer, &PlanComposer::changed, this, &PlansDialog::takeComposed);
    m_list->setCurrentRow(0);
    for (int row = m_list->count() - 1; row >= 0; --row)
        if (m_list->item(row)->checkState() == Qt::Checked)
            m_list->setCurrentRow(row); // the first of those that are used
    m_list->setFocus();
    refresh();
}

/// The list still emits signals for its items while it is destroyed.
PlansDialog::~PlansDialog()
{
    m_list->disconnect(this);
    m_composer->disconnect(this);
}

void PlansDialog::addList()
{
    auto* compose = link(new QPushButton(tr("Compose a plan")));
    compose->setToolTip(tr("A plan of your own, to begin with like the one that is selected"));
    m_remove = link(new QPushButton(tr("Remove")));
    auto* left = makeColumn({{m_list, 1}, makeRow({compose, stretch(), m_remove})});
    m_list->setAccessibleName(tr("Plans"));
    m_list->setMinimumWidth(kListWidth);
    body()->addLayout(makeRow({{left, 2}, {m_pages, 3}}, space::kGap), 1);
    connect(compose, &QPushButton::clicked, this, &PlansDialog::compose);
    connect(m_remove, &QPushButton::clicked, this, &PlansDialog::removeOwn);
}

void PlansDialog::addPages()
{
    m_pages->addWidget(scrolled(makeDetails()));
    m_pages->addWidget(scrolled(m_composer));
}

QWidget* PlansDialog::makeDetails()
{
    auto* page = new QWidget;
    // The room below is all that is left: paragraphs would use their share of it.
    fillColumn(page, {m_name, m_does, m_remark, m_sources, stretch(1)}, space::kField);
    m_sources->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return page;
}

void PlansDialog::addButtons()
{
    addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
    m_use = addButton(tr("Use %n plan(s)", "", 0), QDialogButtonBox::AcceptRole,
                      [this] { Q_EMIT chosen(choice()), accept(); });
    setStandard(m_use);
}

void PlansDialog::addItem(const AggregationPlan& plan, bool isOwn, bool ticked)
{
    const QSignalBlocker quiet(m_list);
    auto* item = new QListWidgetItem(toQt(plan.name), m_list);
    item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
    item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
    item->setData(kPlanRole, QVariant::fromValue(plan));
    item->setData(kOwnRole, isOwn);
    const spec::BuiltInPlan* builtIn = isOwn ? nullptr : spec::findBuiltInPlan(plan.name);
    item->setToolTip(plainToolTip(builtIn ? coreText(builtIn->description) : toQt(spec::sentenceOf(plan))));
    if (const auto lacking = isOwn ? std::nullopt : spec::partLacking(plan, m_site); lacking && !ticked) {
        item->setFlags(item->flags() & ~Qt::ItemIsUserCheckable);
        item->setForeground(palette().brush(QPalette::Disabled, QPalette::Text));
    }
}

/// Unreadable text of another plan is gone with its fields.
void PlansDialog::showPlan()
{
    for (int row = 0; row < m_list->count(); ++row)
        m_list->item(row)->setData(kProblemRole, QString());
    const QListWidgetItem* item = m_list->currentItem();
    if (!item)
        return;
    m_remove->setEnabled(isOwn(*item));
    m_pages->setCurrentIndex(isOwn(*item) ? 1 : 0);
    if (isOwn(*item))
        m_composer->setPlan(planOf(*item), [this](const std::string& name) { return isTaken(name); });
    else
        showBuiltIn(planOf(*item));
}

void PlansDialog::showBuiltIn(const AggregationPlan& plan)
{
    const spec::BuiltInPlan& builtIn = *spec::findBuiltInPlan(plan.name);
    m_name->setText(toQt(plan.name));
    m_does->setText(tr("%1\n\n%2").arg(coreText(builtIn.description), toQt(spec::sentenceOf(plan))));
    QStringList remarks;
    if (const auto lacking = spec::partLacking(plan, m_site))
        remarks << tr("The worker of %1 cannot do “%2”, which this plan needs.").arg(toQt(m_site.text), toQt(*lacking));
    if (!builtIn.differs.empty())
        remarks << coreText(builtIn.differs);
    m_remark->setText(remarks.join(QLatin1Char('\n')));
    m_remark->setVisible(!remarks.isEmpty());
    m_sources->setText(sourcesText(builtIn));
    m_sources->setVisible(!builtIn.sources.empty());
}

/// A copy of the selected plan, under a name of its own, ticked.
void PlansDialog::compose()
{
    AggregationPlan plan =
        m_list->currentItem() ? planOf(*m_list->currentItem()) : spec::findBuiltInPlan(spec::kStandardPlan)->plan;
    const auto taken = [this](const std::string& name) {
        return spec::findBuiltInPlan(name) ||
               !m_list->findItems(toQt(name), Qt::MatchExactly | Qt::MatchCaseSensitive).isEmpty();
    };
    plan.name = freeName("my-" + plan.name, taken);
    addItem(plan, true, true);
    m_list->setCurrentRow(m_list->count() - 1);
    m_composer->focusName();
    refresh();
}

void PlansDialog::takeComposed()
{
    QListWidgetItem* item = m_list->currentItem();
    if (!item || !isOwn(*item))
        return;
    const AggregationPlan plan = onlyWhatCounts(m_composer->plan());
    const QSignalBlocker quiet(m_list);
    item->setText(toQt(plan.name));
    item->setData(kPlanRole, QVariant::fromValue(plan));
    item->setData(kProblemRole, m_composer->problem());
    item->setToolTip(plainToolTip(toQt(spec::sentenceOf(plan))));
    refresh();
}

void PlansDialog::removeOwn()
{
    const std::string name = planOf(*m_list->currentItem()).name;
    delete m_list->currentItem();
    if (const spec::BuiltInPlan* builtIn = spec::findBuiltInPlan(name)) // which it stood for
        addItem(builtIn->plan, false, false);
    refresh();
}

bool PlansDialog::isTaken(const std::string& name) const
{
    const auto same = m_list->findItems(toQt(name), Qt::MatchExactly | Qt::MatchCaseSensitive);
    return std::any_of(same.begin(), same.end(), [this](const auto* item) { return item != m_list->currentItem(); });
}

PlanChoice PlansDialog::choice() const
{
    PlanChoice choice;
    for (int row = 0; row < m_list->count(); ++row) {
        const QListWidgetItem& item = *m_list->item(row);
        const AggregationPlan plan = planOf(item);
        if (item.checkState() == Qt::Checked)
            choice.levels.push_back(plan.name);
        if (isOwn(item))
            choice.plans[plan.name] = plan;
    }
    return choice;
}

QString PlansDialog::problem() const
{
    for (int row = 0; row < m_list->count(); ++row) {
        const QListWidgetItem& item = *m_list->item(row);
        const AggregationPlan plan = planOf(item);
        QString problem = item.data(kProblemRole).toString();
        if (const auto why = whyNotComposed(plan); why && problem.isEmpty())
            problem = messageOf(*why);
        if (const auto lacking = spec::partLacking(plan, m_site);
            lacking && problem.isEmpty() && item.checkState() == Qt::Checked)
            problem = tr("The worker of %1 cannot do “%2”.").arg(toQt(m_site.text), toQt(*lacking));
        if (!problem.isEmpty())
            return tr("%1: %2").arg(item.text(), problem);
    }
    return {};
}

void PlansDialog::refresh()
{
    const int count = int(choice().levels.size());
    const QString problem = this->problem();
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    m_use->setText(tr("Use %n plan(s)", "", count));
    m_use->setEnabled(count > 0 && problem.isEmpty());
}

} // namespace ringside
