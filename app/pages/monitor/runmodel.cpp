// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/runmodel.h"

#include "app/pages/monitor/runwords.h"
#include "app/text/text.h"
#include "app/widgets/celldelegate.h"
#include "app/widgets/chip.h"
#include "app/widgets/corewords.h"
#include "app/widgets/itemtexts.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "core/base/clock.h"
#include "core/jobs/programs/table.h"
#include "core/report/distinguishing.h"
#include "core/report/names.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>

namespace ringside {

namespace {

constexpr int kClockMs = 1'000;
constexpr std::int64_t kSilenceNs = 5'000'000'000; ///< telemetry comes every second

bool isIn(RunModel::Scope scope, const store::RunRow& run)
{
    switch (scope) {
    case RunModel::Scope::all:
        return true;
    case RunModel::Scope::running:
        return store::isActive(run);
    case RunModel::Scope::waiting:
        return store::isWaiting(run);
    case RunModel::Scope::done:
        return run.state == RunState::done;
    case RunModel::Scope::failed:
        return run.state == RunState::failed;
    case RunModel::Scope::cancelled:
        return run.state == RunState::cancelled;
    }
    return true;
}

Progress progressOf(const store::RunRow& run, Ink ink)
{
    const int total = std::max(1, run.iterations);
    const int done = run.state == RunState::done            ? total
                     : run.samples == 0 && run.lastSeq == 0 ? 0
                                                            : std::min<int>(total, static_cast<int>(run.lastSeq) + 1);
    const bool whole = run.state == RunState::done || done == 0;
    return {done, total, ink, whole ? QString() : Numbers::percent(double(done) / total), Numbers::percent(1)};
}

/// The settings of each configuration once: its runs have them in common.
std::vector<const Settings*> settingsOf(const std::map<RunId, store::RunRow>& runs)
{
    std::unordered_map<std::string_view, const Settings*> byKey;
    for (const auto& [id, run] : runs)
        byKey.try_emplace(run.configurationKey, &*run.settings);
    const auto settings = std::views::values(byKey);
    return {settings.begin(), settings.end()};
}

/// Differences come first, since a narrow column shows the beginning; then model and plan, in any case. Ranks have a
/// column.
std::vector<std::string> shownSettings(const std::vector<const Settings*>& settings)
{
    std::vector<std::string> keys = report::namingSettings(settings);
    for (const char* key : {"model", "plan"})
        if (std::ranges::find(keys, key) == keys.end())
            keys.emplace_back(key);
    std::erase(keys, "ranks");
    return keys;
}

} // namespace

QString RunModel::configuration(const store::RunRow& run) const
{
    QStringList words;
    const std::vector<std::string> ofCalibration = {"engine", "nodes"}; // nothing is trained
    for (const std::string& key : jobs::programOf(run.settings).trains() ? m_naming : ofCalibration)
        if (const std::string text = report::shownLevelText(key, run.settings); !text.empty())
            words << toQt(text);
    if (run.kind == RunKind::trial)
        words << RunModel::tr("trial");
    if (run.kind == RunKind::imported)
        words << RunModel::tr("imported");
    return words.join(QStringLiteral(" · "));
}

std::set<QString> RunModel::configurations() const
{
    std::set<std::pair<std::string_view, RunKind>> seen;
    std::set<QString> names;
    for (const auto& [id, run] : m_runs)
        if (seen.emplace(run.configurationKey, run.kind).second) // thousands of runs have few configurations
            names.insert(configuration(run));
    return names;
}

bool RunModel::hasAll(const std::vector<store::RunRow>& runs) const
{
    return runs.size() == m_runs.size() &&
           std::ranges::all_of(runs, [this](const store::RunRow& run) { return m_runs.contains(run.id); });
}

void RunModel::setRuns(std::vector<store::RunRow> runs)
{
    if (!runs.empty() && hasAll(runs))
        return update(std::move(runs)); // the same ones: the list is no other
    beginResetModel();
    m_runs.clear();
    for (store::RunRow& run : runs)
        put(std::move(run));
    m_survey = store::surveyOf(m_runs);
    m_lines = order();
    endResetModel();
    nameConfigurations();
}

/// True if it was not there before.
bool RunModel::put(store::RunRow run)
{
    const RunId id = run.id;
    return m_runs.insert_or_assign(id, std::move(run)).second;
}

/// A run never changes its settings: the distinguishing ones change only with other runs.
void RunModel::nameConfigurations()
{
    const std::vector<const Settings*> settings = settingsOf(m_runs);
    m_naming = shownSettings(settings);
    m_items = report::itemsOfAll(settings, [](const Settings* each) -> const Settings& { return *each; });
    Q_EMIT headerDataChanged(Qt::Horizontal, kRate, kRate);
    Q_EMIT configurationsChanged();
}

void RunModel::update(std::vector<store::RunRow> runs)
{
    bool areOthers = false;
    for (store::RunRow& run : runs)
        areOthers |= put(std::move(run));
    m_survey = store::surveyOf(m_runs);
    if (areOthers)
        nameConfigurations();
    if (!m_isHeld)
        arrange();
    if (!m_lines.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1));
}

/// Contact is known to be lost only half a minute later.
StateLook RunModel::lookOf(const store::RunRow& run) const
{
    if (const auto silent = silentSince(run.id))
        return {QStringLiteral("question"), Ink::unknown, tr("Silent since %1").arg(Numbers::timeOfDay(*silent))};
    return RunWords::look(run);
}

void RunModel::noteReport(const RunId& run)
{
    if (!m_runs.contains(run))
        return;
    m_reportedNs[run] = wallNs();
    if (!m_clock.isActive())
        m_clock.start(kClockMs, this);
}

std::optional<std::int64_t> RunModel::silentSince(const RunId& id) const
{
    const store::RunRow* row = run(id);
    const auto reported = m_reportedNs.find(id);
    const bool isSilent =
        row && row->state == RunState::running && reported != m_reportedNs.end() && m_silent.contains(id);
    return isSilent ? std::optional(reported->second) : std::nullopt;
}

void RunModel::timerEvent(QTimerEvent*)
{
    const std::int64_t now = wallNs();
    for (const auto& [id, reported] : m_reportedNs) {
        const bool isSilent = now - reported > kSilenceNs;
        if (isSilent == m_silent.contains(id))
            continue;
        isSilent ? (void)m_silent.insert(id) : (void)m_silent.erase(id);
        if (const QModelIndex cell = indexOf(id); cell.isValid())
            Q_EMIT dataChanged(cell, cell.siblingAtColumn(kColumnCount - 1));
        Q_EMIT silenceChanged();
    }
}

bool RunModel::anySilent() const
{
    return std::ranges::any_of(m_silent, [this](const RunId& id) { return silentSince(id).has_value(); });
}

void RunModel::advance(const RunId& id, std::uint32_t lastSeq)
{
    noteReport(id);
    const auto found = m_runs.find(id);
    if (found == m_runs.end() || found->second.lastSeq >= lastSeq)
        return;
    found->second.lastSeq = lastSeq;
    if (const QModelIndex cell = indexOf(id); cell.isValid())
        Q_EMIT dataChanged(cell.siblingAtColumn(kProgress), cell.siblingAtColumn(kProgress));
}

void RunModel::holdOrder(bool held)
{
    if (std::exchange(m_isHeld, held) && !held)
        arrange();
}

void RunModel::setScope(Scope scope)
{
    m_scope = scope;
    arrange();
}

const store::RunRow* RunModel::run(const RunId& id) const
{
    const auto found = m_runs.find(id);
    return found == m_runs.end() ? nullptr : &found->second;
}

QModelIndex RunModel::indexOf(const RunId& id) const
{
    const auto found = std::find_if(m_lines.begin(), m_lines.end(), [&](const Line& line) { return line.id == id; });
    return found == m_lines.end() ? QModelIndex() : index(int(found - m_lines.begin()), 0);
}

std::vector<RunModel::Line> RunModel::order() const
{
    std::vector<const store::RunRow*> active, waiting, ended;
    for (const auto& [id, run] : m_runs)
        if (isIn(m_scope, run))
            (store::isActive(run) ? active : store::isWaiting(run) ? waiting : ended).push_back(&run);
    const auto byNumber = [](const auto* a, const auto* b) { return a->number < b->number; };
    std::sort(active.begin(), active.end(), byNumber);
    std::sort(waiting.begin(), waiting.end(), byNumber);
    std::sort(ended.begin(), ended.end(), [](const auto* a, const auto* b) {
        return std::pair(a->since, a->number) > std::pair(b->since, b->number);
    });
    std::vector<Line> lines;
    const auto append = [&](const auto& runs, std::size_t most) {
        for (std::size_t i = 0; i < std::min(most, runs.size()); ++i)
            lines.push_back({runs[i]->id, 0});
    };
    const bool fold = m_scope == Scope::all && waiting.size() > kWaitingShown + 1;
    append(active, active.size());
    append(waiting, fold ? kWaitingShown : waiting.size());
    if (fold)
        lines.push_back({{}, int(waiting.size() - kWaitingShown)});
    append(ended, ended.size());
    return lines;
}

void RunModel::arrange()
{
    std::vector<Line> lines = order();
    if (lines == m_lines)
        return;
    Q_EMIT layoutAboutToBeChanged();
    const auto before = persistentIndexList();
    std::vector<RunId> ids;
    for (const QModelIndex& old : before)
        ids.push_back(m_lines[std::size_t(old.row())].id);
    m_lines = std::move(lines);
    for (qsizetype i = 0; i < before.size(); ++i) {
        const QModelIndex row = ids[std::size_t(i)].empty() ? QModelIndex() : indexOf(ids[std::size_t(i)]);
        changePersistentIndex(before[i], row.isValid() ? row.siblingAtColumn(before[i].column()) : QModelIndex());
    }
    Q_EMIT layoutChanged();
}

QVariant RunModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const store::RunRow* run = runAt(index.row());
    if (!run && role == Qt::DisplayRole && index.column() == kConfiguration)
        return tr("%n more wait", "folded row of waiting runs", m_lines[std::size_t(index.row())].folded);
    if (!run)
        return {};
    if (role == Qt::DisplayRole)
        return text(*run, index.column());
    if (role == Qt::TextAlignmentRole)
        return headerData(index.column(), Qt::Horizontal, role);
    if (role == kKeyRole)
        return toQt(run->id.str());
    return look(*run, index.column(), role);
}

QVariant RunModel::text(const store::RunRow& run, int column) const
{
    switch (column) {
    case kNumber:
        return Numbers::count(run.number);
    case kConfiguration:
        return configuration(run);
    case kRanks:
        return Numbers::count(integerOf(run.settings, "ranks").value_or(1));
    case kState:
        return lookOf(run).word;
    case kRate:
        return run.itemsPerSecond ? Numbers::threeDigits(*run.itemsPerSecond) : QStringLiteral("–");
    default:
        return {};
    }
}

QVariant RunModel::look(const store::RunRow& run, int column, int role) const
{
    if (column == kState && role == kLookRole)
        return QVariant::fromValue(lookOf(run));
    if (column == kProgress && role == kProgressRole)
        return QVariant::fromValue(progressOf(run, lookOf(run).ink));
    if (column == kFlag && role == kIconRole && !run.flags.empty())
        return QVariant::fromValue(RunWords::flagLook(run));
    if (role == Qt::AccessibleTextRole && column == kProgress)
        return progressOf(run, lookOf(run).ink).text;
    if (role == Qt::AccessibleTextRole && column == kFlag && !run.flags.empty())
        return RunWords::flags(run);
    if (role == Qt::ToolTipRole && column == kConfiguration)
        return plainToolTip(configuration(run));
    if (role == Qt::ToolTipRole && column == kState)
        return plainToolTip(RunWords::stateTip(run));
    if (role == Qt::ToolTipRole && column == kFlag && !run.flags.empty())
        return plainToolTip(RunWords::flags(run));
    return {};
}

QVariant RunModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0)
        return {};
    if (role == Qt::TextAlignmentRole && (section == kNumber || section == kRanks || section == kRate))
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    if (role == Qt::AccessibleTextRole && section == kFlag)
        return tr("Remarks");
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const QString rate = role == Qt::DisplayRole ? itemText(ItemText::rateHead, m_items)
                                                 : coreText(report::itemWords(m_items).perSecond);
    const QString titles[] = {tr("Run"), tr("Configuration"), tr("Ranks"), tr("State"), tr("Progress"), rate, {}};
    static_assert(std::size(titles) == kColumnCount);
    return section < kColumnCount ? titles[section] : QVariant();
}

} // namespace ringside
