// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/factorrow.h"

#include "app/pages/editor/fieldnote.h"
#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"
#include "core/spec/schema.h"

#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QToolButton>
#include <algorithm>

namespace ringside {

namespace {

constexpr int kWordRole = Qt::UserRole;

/// Completes the piece after the last comma, so that a list can be typed level by level. Shows labels, and writes
/// words.
class LevelCompleter : public QCompleter
{
public:
    LevelCompleter(const std::vector<LevelChoice>& levels, QObject* parent)
        : QCompleter(parent)
    {
        auto* model = new QStandardItemModel(this);
        for (const LevelChoice& level : levels) {
            auto* item = new QStandardItem(level.label);
            item->setData(level.word, kWordRole);
            item->setToolTip(plainToolTip(level.help));
            item->setAccessibleDescription(level.help);
            model->appendRow(item);
        }
        setModel(model);
        setCompletionRole(kWordRole);
        setCaseSensitivity(Qt::CaseInsensitive);
    }
    QStringList splitPath(const QString& text) const override { return {text.section(QLatin1Char(','), -1).trimmed()}; }
    QString pathFromIndex(const QModelIndex& index) const override
    {
        const QString line = static_cast<QLineEdit*>(widget())->text();
        const qsizetype comma = line.lastIndexOf(QLatin1Char(','));
        const QString before = comma < 0 ? QString() : line.left(comma + 1) + QLatin1Char(' ');
        return before + index.data(kWordRole).toString();
    }
};

} // namespace

FactorRow::FactorRow(const ThemeController& theme, const DraftFactor& factor)
    : m_key(new QComboBox)
    , m_levels(new QLineEdit(toQt(factor.text)))
    , m_count(makeLabel(LabelKind::caption))
    , m_remove(new QToolButton)
    , m_note(new FieldNote(theme, *m_levels))
{
    for (const std::string& key : spec::settingKeys())
        m_key->addItem(labelWithUnit(*spec::findSetting(key)), toQt(key));
    if (!spec::findSetting(factor.key))
        m_key->addItem(toQt(factor.key), toQt(factor.key)); // of a table that is gone
    m_key->setCurrentIndex(m_key->findData(toQt(factor.key)));
    m_key->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_key->setMinimumContentsLength(10);
    m_key->setToolTip(plainToolTip(m_key->currentText()));
    m_key->setAccessibleName(tr("Factor"));
    m_levels->setAccessibleName(tr("Levels"));
    m_remove->setIcon(theme.icon(QStringLiteral("cross")));
    m_remove->setAutoRaise(true);
    m_remove->setMinimumSize(28, 28);
    m_remove->setFocusPolicy(Qt::StrongFocus); // a click ends the typing elsewhere: Undo takes it back by itself
    m_remove->setAccessibleName(tr("Remove factor %1").arg(m_key->currentText()));
    m_remove->setToolTip(m_remove->accessibleName());
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins({});
    layout->setHorizontalSpacing(8);
    layout->setVerticalSpacing(4);
    layout->addWidget(m_key, 0, 0);
    layout->addWidget(m_levels, 0, 1);
    layout->addWidget(m_count, 0, 2);
    layout->addWidget(m_remove, 0, 3);
    layout->addWidget(m_note, 1, 1, 1, 3);
    layout->setColumnStretch(1, 1);
    m_count->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("00 levels")) + 4);
    connect(m_key, &QComboBox::activated, this, [this] {
        m_remove->setAccessibleName(tr("Remove factor %1").arg(m_key->currentText()));
        m_key->setToolTip(plainToolTip(m_key->currentText()));
        refreshCompletion();
        showLevels();
        Q_EMIT changed();
    });
    connect(m_levels, &QLineEdit::textEdited, this, &FactorRow::takeTyped);
    connect(m_remove, &QToolButton::clicked, this, &FactorRow::removeAsked);
    refreshCompletion();
    showLevels();
}

DraftFactor FactorRow::factor() const
{
    return {toUtf8(m_key->currentData().toString()), toUtf8(m_levels->text())};
}

void FactorRow::setText(const std::string& text)
{
    if (factor().text == text)
        return; // leave the cursor of typed text
    m_levels->setText(toQt(text));
    m_levels->setCursorPosition(0); // of more levels than fit, the first are shown
    showLevels();
}

void FactorRow::setPlans(const std::vector<std::string>& plans)
{
    if (plans == m_plans)
        return;
    m_plans = plans;
    refreshCompletion();
    showLevels();
}

void FactorRow::setEngines(const std::vector<LevelChoice>& engines)
{
    m_engines = engines;
    if (factor().key == "engine")
        refreshCompletion();
}

void FactorRow::setTaken(const std::vector<std::string>& keys)
{
    auto* items = qobject_cast<QStandardItemModel*>(m_key->model());
    for (int i = 0; items && i < m_key->count(); ++i) {
        const bool taken = std::find(keys.begin(), keys.end(), toUtf8(m_key->itemData(i).toString())) != keys.end();
        items->item(i)->setEnabled(!taken || i == m_key->currentIndex());
    }
}

void FactorRow::focusLevels()
{
    m_levels->setFocus(Qt::OtherFocusReason);
}

QWidget* FactorRow::followInTabOrder(QWidget* before)
{
    for (QWidget* field : std::initializer_list<QWidget*>{m_key, m_levels, m_remove}) {
        QWidget::setTabOrder(before, field);
        before = field;
    }
    return before;
}

void FactorRow::showLevels()
{
    const DraftFactor typed = factor();
    const spec::Setting* setting = spec::findSetting(typed.key);
    const spec::LevelList list = setting ? spec::parseLevels(*setting, typed.text, m_plans)
                                         : spec::LevelList{spec::levelsOfUnknown(typed.text), {}};
    const bool wrong = !list.errors.empty();
    m_count->setText(wrong ? QString() : tr("%n level(s)", "", int(list.levels.size())));
    if (wrong)
        m_note->setNote(spec::Severity::blocking, toQt(list.errors.front().message));
    else
        m_note->setNote(m_check ? &*m_check : nullptr);
}

void FactorRow::setCheck(const spec::Check* check)
{
    m_check = check ? std::optional(*check) : std::nullopt;
    showLevels();
}

void FactorRow::takeTyped()
{
    showLevels();
    Q_EMIT changed();
}

std::vector<LevelChoice> FactorRow::offeredLevels() const
{
    const std::string key = factor().key;
    if (key == "engine" && !m_engines.empty())
        return m_engines;
    std::vector<LevelChoice> levels;
    if (const spec::Setting* setting = spec::findSetting(key))
        for (const spec::Level& level : spec::offeredLevels(*setting))
            levels.push_back({toQt(level.word), toQt(level.word)});
    if (key == "plan")
        for (const std::string& plan : m_plans)
            levels.push_back({toQt(plan), toQt(plan)});
    return levels;
}

void FactorRow::refreshCompletion()
{
    const std::vector<LevelChoice> levels = offeredLevels();
    QStringList first;
    for (std::size_t i = 0; i < std::min<std::size_t>(levels.size(), 2); ++i)
        first << levels[i].word;
    auto* completer = new LevelCompleter(levels, m_levels);
    m_levels->setCompleter(completer);
    const auto isChosen = qOverload<const QString&>(&QCompleter::activated);
    connect(completer, isChosen, this, &FactorRow::takeTyped, Qt::QueuedConnection); // once the field has it
    m_levels->setPlaceholderText(first.isEmpty() ? tr("1, 2, 4 or 1..16*2") : first.join(QStringLiteral(", ")));
}

} // namespace ringside
