// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/constantfields.h"

#include "app/pages/editor/fieldnote.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/itemtexts.h"
#include "app/widgets/labels.h"
#include "core/spec/levels.h"
#include "core/spec/matrix.h"
#include "core/spec/schema.h"
#include "core/spec/systems.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QSpinBox>
#include <algorithm>
#include <cmath>

namespace ringside {

namespace {

constexpr const char* kPerRank = "batch_per_rank";
constexpr const char* kGlobal = "batch_global";

// Properties of a spin box: as far as hands step.
constexpr const char* kUsualLow = "usualLow";
constexpr const char* kUsualHigh = "usualHigh";

QSpinBox* makeSpin(int low, int high, const QString& name)
{
    auto* spin = new QSpinBox;
    spin->setRange(low, high);
    spin->setGroupSeparatorShown(true);
    spin->setProperty(kUsualLow, low);
    spin->setProperty(kUsualHigh, high);
    spin->setAccessibleName(name);
    return spin;
}

/// A file may say what no hand steps to, even what cannot be: it is shown, and written back, as it is.
void showNumber(QSpinBox& spin, int number)
{
    spin.setRange(std::min(spin.property(kUsualLow).toInt(), number),
                  std::max(spin.property(kUsualHigh).toInt(), number));
    spin.setValue(number);
}

/// Shrinks rather than push the form wider than its card; the tooltip shows the whole text.
QComboBox* narrow(QComboBox* combo)
{
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    return combo;
}

QString standardWords(const spec::Setting& setting)
{
    if (!setting.standard)
        return ConstantFields::tr("not set");
    if (const spec::Setting* other = spec::findSetting(setting.standardFrom))
        return ConstantFields::tr("default: as “%1”", "another setting").arg(coreText(other->label));
    const QString standard = toQt(toText(*setting.standard));
    return setting.standardOnGpu
               ? ConstantFields::tr("default: %1; with a GPU: %2").arg(standard, toQt(toText(*setting.standardOnGpu)))
               : ConstantFields::tr("default: %1").arg(standard);
}

/// Says what it is, and where the default of a system's option is documented.
QString helpOn(const spec::Setting& setting)
{
    const QString about = coreText(setting.description);
    return setting.source.empty()
               ? about
               : ConstantFields::tr("%1\nSource of the default: %2").arg(about, toQt(setting.source));
}

QWidget* inRow(std::initializer_list<QWidget*> widgets)
{
    auto* row = new QWidget;
    auto* layout = fillRow(row, {}, 8);
    for (QWidget* widget : widgets)
        layout->addWidget(widget, qobject_cast<QLabel*>(widget) ? 0 : 1);
    return row;
}

/// A level that is not offered is in the box only while it is set.
void showLevel(QComboBox& combo, const spec::Setting& setting, const std::string& word)
{
    for (const spec::Level& level : setting.levels) {
        const int place = combo.findData(toQt(level.word));
        const bool isThere = place >= 0, belongs = level.offered || level.word == word;
        if (belongs && !isThere)
            combo.addItem(coreText(level.label), toQt(level.word));
        if (isThere && !belongs)
            combo.removeItem(place);
    }
    combo.setCurrentIndex(combo.findData(toQt(word)));
}

/// The text as the setting's own type; as the number or text that was typed where it cannot be that, so that the check
/// names it: hands type no quotes.
Value valueOf(const spec::Setting& setting, const QString& text)
{
    const bool isText = setting.type == spec::SettingType::word || setting.type == spec::SettingType::path;
    if (const QString whole = text.trimmed();
        isText && !whole.startsWith(u'"')) // it may have commas and brackets in it
        if (auto value = spec::canonicalValue(setting, Value(toUtf8(whole))))
            return std::move(*value);
    const spec::LevelList list = spec::parseLevels(setting, toUtf8(text));
    if (list.errors.empty() && list.levels.size() == 1)
        return list.levels.front();
    bool isWhole = false, isReal = false;
    const qlonglong whole = text.trimmed().toLongLong(&isWhole);
    const double real = text.trimmed().toDouble(&isReal);
    const bool wantsNumber = setting.type == spec::SettingType::integer || setting.type == spec::SettingType::real;
    if (wantsNumber && isWhole)
        return Value(std::int64_t{whole});
    return wantsNumber && isReal && std::isfinite(real) ? Value(real) : Value(toUtf8(text));
}

/// Integers that TOML can write: a larger one could not be read again.
class SeedValidator : public QRegularExpressionValidator
{
public:
    explicit SeedValidator(QObject* parent)
        : QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,19}")), parent)
    {
    }

    State validate(QString& text, int& place) const override
    {
        bool isSmallEnough = text.isEmpty();
        if (!isSmallEnough)
            text.toLongLong(&isSmallEnough);
        return isSmallEnough ? QRegularExpressionValidator::validate(text, place) : Invalid;
    }
};

} // namespace

ConstantFields::ConstantFields(const ThemeController& theme, QFormLayout& form, QObject* parent)
    : QObject(parent)
    , m_theme(theme)
    , m_form(&form)
    , m_batchKind(new QComboBox)
    , m_batch(new QLineEdit)
    , m_batchUnit(makeLabel(LabelKind::caption))
    , m_batchRow(nullptr)
    , m_scaling(new ElidedLabel(LabelKind::caption))
    , m_iterations(makeSpin(1, 100'000'000, tr("Iterations")))
    , m_warmup(makeSpin(0, 100'000'000, tr("Warm-up iterations")))
    , m_repeats(makeSpin(1, int(spec::kMaxRuns), tr("Repeats")))
    , m_order(new QComboBox)
    , m_seed(new QLineEdit)
    , m_hungAfter(makeSpin(kLeastHungAfterSeconds, kMostHungAfterSeconds, tr("Hung after, in seconds")))
    , m_base(new QLineEdit)
{
    addBatch();
    addSettings();
    addRuns();
    setItems(report::Items::images);
}

void ConstantFields::addBatch()
{
    m_batchKind->addItem(tr("per rank"), QString::fromLatin1(kPerRank));
    m_batchKind->addItem(tr("global"), QString::fromLatin1(kGlobal));
    m_batchKind->setAccessibleName(tr("Batch that is held fixed"));
    m_batchKind->setToolTip(m_batchKind->accessibleName());
    narrow(m_batchKind);
    m_form->addRow(tr("Batch"), m_batchRow = inRow({m_batchKind, m_batch, m_batchUnit}));
    m_form->addRow(QString(), m_scaling);
    addNote({kPerRank, kGlobal}, *m_batch);
    connect(m_batchKind, &QComboBox::activated, this, &ConstantFields::changed);
    connect(m_batch, &QLineEdit::textEdited, this, &ConstantFields::changed);
}

std::vector<std::string> ConstantFields::fixedKeys() const
{
    std::vector<std::string> keys;
    std::ranges::copy_if(spec::settingKeys(), std::back_inserter(keys),
                         [](const std::string& key) { return key != kPerRank && key != kGlobal; });
    return keys;
}

void ConstantFields::addSettings()
{
    for (const std::string& key : fixedKeys()) {
        QWidget* field = makeField(key);
        m_fields[key] = field;
        const QString unit = unitBeside(*spec::findSetting(key));
        m_rows[key] = unit.isEmpty() ? field : inRow({field, makeLabel(LabelKind::caption, unit)});
        m_form->addRow(toQt(spec::shownLabelOf(key)), m_rows[key]);
        addNote({key}, *field);
    }
}

QWidget* ConstantFields::makeField(const std::string& key)
{
    const spec::Setting& setting = *spec::findSetting(key);
    const QString label = coreText(setting.label);
    if (!setting.levels.empty()) {
        auto* combo = narrow(new QComboBox);
        for (const spec::Level& level : spec::offeredLevels(setting))
            combo->addItem(coreText(level.label), toQt(level.word));
        if (setting.standard) // from the beginning, or its row would be shown as one that says something
            showLevel(*combo, setting, toText(*setting.standard));
        combo->setAccessibleName(label);
        combo->setToolTip(plainToolTip(helpOn(setting)));
        connect(combo, &QComboBox::activated, this, &ConstantFields::changed);
        return combo;
    }
    auto* line = new QLineEdit;
    line->setAccessibleName(label);
    line->setToolTip(plainToolTip(helpOn(setting)));
    line->setPlaceholderText(standardWords(setting));
    connect(line, &QLineEdit::textEdited, this, &ConstantFields::changed);
    return line;
}

void ConstantFields::addRuns()
{
    m_order->addItem(tr("interleaved"), int(spec::RunOrder::interleaved));
    m_order->addItem(tr("random"), int(spec::RunOrder::random));
    m_order->setAccessibleName(tr("Order of runs"));
    m_order->setToolTip(m_order->accessibleName());
    narrow(m_order);
    m_form->addRow(tr("Iterations"),
                   inRow({m_iterations, makeLabel(LabelKind::caption, tr("of them warm-up")), m_warmup}));
    addNote({"iterations"}, *m_iterations);
    addNote({"warmup"}, *m_warmup);
    m_form->addRow(tr("Repeats"), inRow({m_repeats, m_order}));
    addNote({"repeats"}, *m_repeats);
    m_seed->setAccessibleName(tr("Seed"));
    m_seed->setValidator(new SeedValidator(m_seed));
    m_form->addRow(tr("Seed"), m_seed);
    addNote({"seed"}, *m_seed);
    m_hungAfter->setToolTip(tr("A run that neither ends an iteration nor prints a line for so long is ended. Raise it "
                               "for a script whose validation is silent."));
    m_form->addRow(tr("Hung after"), inRow({m_hungAfter, makeLabel(LabelKind::caption, tr("s without progress"))}));
    addNote({"hung_after_s"}, *m_hungAfter);
    m_base->setPlaceholderText(tr("none: no speed-up"));
    m_base->setToolTip(tr("A rule such as ranks=1: what speed-up is a ratio to"));
    m_form->addRow(tr("Base case"), m_base);
    addNote({"base"}, *m_base);
    for (QSpinBox* spin : {m_iterations, m_warmup, m_repeats, m_hungAfter})
        connect(spin, &QSpinBox::valueChanged, this, &ConstantFields::changed);
    connect(m_order, &QComboBox::activated, this, &ConstantFields::changed);
    for (QLineEdit* line : {m_seed, m_base})
        connect(line, &QLineEdit::textEdited, this, &ConstantFields::changed);
}

void ConstantFields::setExperiment(const spec::Experiment& experiment)
{
    const QSignalBlocker blocker(this);
    const auto global = experiment.fixed.find(std::string_view(kGlobal));
    const auto perRank = experiment.fixed.find(std::string_view(kPerRank));
    const bool isGlobal = global != experiment.fixed.end();
    m_batchKind->setCurrentIndex(isGlobal ? 1 : 0);
    const auto batch = isGlobal ? global : perRank;
    m_batch->setText(batch == experiment.fixed.end() ? QString() : toQt(toText(batch->second)));
    for (const std::string& key : fixedKeys()) {
        const auto found = experiment.fixed.find(key);
        setField(key, found == experiment.fixed.end() ? nullptr : &found->second);
    }
    showNumber(*m_iterations, experiment.runs.iterations);
    showNumber(*m_warmup, experiment.runs.warmup);
    showNumber(*m_repeats, experiment.runs.repeats);
    m_order->setCurrentIndex(m_order->findData(int(experiment.runs.order)));
    if (const QString seed = QString::number(experiment.runs.seed); m_seed->text() != seed)
        m_seed->setText(seed);
    showNumber(*m_hungAfter, experiment.runs.hungAfterSeconds);
    QStringList rule;
    for (const auto& [key, value] : experiment.base)
        rule << toQt(key) + QLatin1Char('=') + toQt(toText(value));
    m_base->setText(rule.join(QStringLiteral(", ")));
}

void ConstantFields::setField(const std::string& key, const Value* value)
{
    const spec::Setting& setting = *spec::findSetting(key);
    QWidget* field = m_fields.at(key);
    if (auto* combo = qobject_cast<QComboBox*>(field)) {
        const Value shown = value ? *value : setting.standard.value_or(Value(std::string()));
        showLevel(*combo, setting, toText(shown));
    } else {
        static_cast<QLineEdit*>(field)->setText(value ? toQt(toText(*value)) : QString());
    }
}

void ConstantFields::read(spec::Experiment& experiment) const
{
    experiment.fixed.clear();
    if (!m_batch->text().trimmed().isEmpty() && !m_factors.contains(kPerRank) && !m_factors.contains(kGlobal)) {
        const std::string key = toUtf8(m_batchKind->currentData().toString());
        experiment.fixed[key] = valueOf(*spec::findSetting(key), m_batch->text());
    }
    for (const std::string& key : fixedKeys())
        if (!m_factors.contains(key))
            readField(key, experiment);
    bool isSeed = false;
    const std::uint64_t seed = m_seed->text().toULongLong(&isSeed);
    experiment.runs = {m_repeats->value(),
                       m_iterations->value(),
                       m_warmup->value(),
                       spec::RunOrder(m_order->currentData().toInt()),
                       isSeed ? seed : experiment.runs.seed,
                       m_hungAfter->value()};
    experiment.base.clear();
    for (const QString& pair : m_base->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const std::string key = toUtf8(pair.section(QLatin1Char('='), 0, 0).trimmed());
        const QString text = pair.section(QLatin1Char('='), 1).trimmed();
        const spec::Setting* setting = spec::findSetting(key);
        experiment.base[key] = setting ? valueOf(*setting, text) : Value(toUtf8(text));
    }
}

/// Default values are not written: files stay short, and show which values were chosen.
void ConstantFields::readField(const std::string& key, spec::Experiment& experiment) const
{
    const spec::Setting& setting = *spec::findSetting(key);
    const QWidget* field = m_fields.at(key);
    if (const auto* combo = qobject_cast<const QComboBox*>(field)) {
        const Value value = toUtf8(combo->currentData().toString());
        if (combo->currentIndex() >= 0 && value != setting.standard.value_or(Value(std::string())))
            experiment.fixed[key] = value;
    } else if (const QString text = static_cast<const QLineEdit*>(field)->text().trimmed(); !text.isEmpty()) {
        experiment.fixed[key] = valueOf(setting, text);
    }
}

void ConstantFields::setFactors(const std::vector<DraftFactor>& factors)
{
    m_factors.clear();
    for (const DraftFactor& factor : factors)
        m_factors.emplace(factor.key, factor.text);
    refreshRows();
}

void ConstantFields::refreshRows()
{
    const auto show = [this](QWidget* field, bool visible) {
        field->setVisible(visible);
        if (QWidget* label = m_form->labelForField(field))
            label->setVisible(visible);
    };
    const bool batchVaries = m_factors.contains(kPerRank) || m_factors.contains(kGlobal);
    show(m_batchRow, !batchVaries);
    for (const auto& [key, row] : m_rows)
        show(row, !m_factors.contains(key) && isWanted(key));
}

/// Settings with one level say nothing, nodes nothing on a single computer, a folder nothing without its data source,
/// and others nothing without what they need; each is shown all the same once it holds something.
bool ConstantFields::isWanted(const std::string& key) const
{
    const spec::Setting& setting = *spec::findSetting(key);
    const QWidget* field = m_fields.at(key);
    if (const auto* combo = qobject_cast<const QComboBox*>(field)) {
        const bool isSaid = toText(setting.standard.value_or(Value(std::string()))) != levelOf(key);
        return combo->count() > 1 && (isSaid || (isMet(setting.needs) && mayHaveEffect(key)));
    }
    if (!static_cast<const QLineEdit*>(field)->text().isEmpty())
        return true;
    if (key == "data_path")
        return levelOf("data") == "folder";
    if (key == "image_size")
        return m_items != report::Items::sequences;
    if (key == "sequence_length")
        return m_items != report::Items::images;
    return key != "nodes" && key != "ranks_per_node" && isMet(setting.needs) && mayHaveEffect(key);
}

/// Returns the level that its combo box shows.
std::string ConstantFields::levelOf(const std::string& key) const
{
    return toUtf8(static_cast<const QComboBox*>(m_fields.at(key))->currentData().toString());
}

bool ConstantFields::isMet(const std::optional<spec::Condition>& need) const
{
    if (!need)
        return true;
    const std::string key(need->key);
    const auto factor = m_factors.find(key);
    return factor == m_factors.end() ? levelOf(key) == need->level : toQt(factor->second).contains(toQt(need->level));
}

/// For an option, besides the rules of the form. The number of ranks does not matter: it varies.
bool ConstantFields::mayHaveEffect(const std::string& key) const
{
    const spec::System* system = spec::isOption(key) ? spec::findSystem(key.substr(0, key.find('.'))) : nullptr;
    if (!system || !system->effects.contains(key))
        return true;
    return std::ranges::all_of(system->effects.find(key)->second.match, [&](const auto& entry) {
        const auto* level = std::get_if<std::string>(&entry.second);
        const auto field = m_fields.find(entry.first);
        const bool isChosen = field != m_fields.end() && qobject_cast<const QComboBox*>(field->second);
        return !level || !isChosen || isMet(spec::Condition{entry.first, *level});
    });
}

void ConstantFields::addNote(std::set<std::string> keys, QWidget& field)
{
    auto* note = new FieldNote(m_theme, field);
    m_form->addRow(QString(), note);
    m_notes.emplace_back(std::move(keys), note);
}

void ConstantFields::setChecks(const std::vector<spec::Check>& checks)
{
    for (const auto& [keys, note] : m_notes) {
        const auto isAbout = [&keys = keys](const spec::Check& check) {
            const FieldPlace place = placeOf(check.field);
            const std::string& key = place.table == "base" ? place.table : place.key;
            return place.table != "factors" && keys.contains(key) && check.severity != spec::Severity::hint;
        };
        const auto found = std::find_if(checks.begin(), checks.end(), isAbout);
        note->setNote(found == checks.end() ? nullptr : &*found);
    }
}

void ConstantFields::setEngines(const std::vector<LevelChoice>& engines)
{
    auto& combo = static_cast<QComboBox&>(*m_fields.at("engine"));
    const std::string chosen = levelOf("engine");
    combo.clear();
    for (const LevelChoice& engine : engines) {
        combo.addItem(engine.label, engine.word);
        combo.setItemData(combo.count() - 1, plainToolTip(engine.help), Qt::ToolTipRole);
        combo.setItemData(combo.count() - 1, engine.help, Qt::AccessibleDescriptionRole);
    }
    showLevel(combo, *spec::findSetting("engine"), chosen);
}

void ConstantFields::setScaling(const QString& hint)
{
    m_scaling->setFullText(hint);
    m_scaling->setVisible(!hint.isEmpty());
}

void ConstantFields::setItems(report::Items items)
{
    m_items = items;
    m_batchUnit->setText(coreText(report::itemWords(items).items));
    m_batch->setAccessibleName(itemText(ItemText::batch, items));
    refreshRows();
}

bool ConstantFields::focusSetting(const std::string& key)
{
    QWidget* field = nullptr;
    if (key == kPerRank || key == kGlobal)
        field = m_batch;
    else if (key == "repeats")
        field = m_repeats;
    else if (key == "seed")
        field = m_seed;
    else if (key == "hung_after_s")
        field = m_hungAfter;
    else if (key == "base")
        field = m_base;
    else if (key == "iterations")
        field = m_iterations;
    else if (key == "warmup")
        field = m_warmup;
    else if (const auto found = m_fields.find(key); found != m_fields.end())
        field = found->second;
    if (field)
        field->setFocus(Qt::OtherFocusReason);
    return field != nullptr;
}

} // namespace ringside
