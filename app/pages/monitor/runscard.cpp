// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/runscard.h"

#include "app/widgets/celldelegate.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"
#include "app/widgets/tables.h"

#include <QComboBox>
#include <QHeaderView>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>

namespace ringside {

namespace {

// Widths in digits of the text size, without the padding of a cell.
constexpr std::pair<int, int> kColumnDigits[] = {{RunModel::kNumber, 4}, {RunModel::kRanks, 5},
                                                 {RunModel::kState, 12}, {RunModel::kProgress, 10},
                                                 {RunModel::kRate, 7},   {RunModel::kFlag, 2}};
constexpr int kUnknownDigits = 22; // of a state that says since when
constexpr int kBarDigits = 4;
constexpr int kConfigurationDigits = 16;
constexpr int kFewestDigits = 10; ///< of a configuration that can still be distinguished
constexpr std::chrono::seconds kPointerRests{10};

} // namespace

RunsCard::RunsCard(ThemeController& theme, RunModel& model)
    : Card(tr("Runs"))
    , m_model(model)
    , m_follow(link(new QPushButton(tr("Follow the running run"))))
    , m_failed(link(new QPushButton))
    , m_scope(new QComboBox)
    , m_table(new QTableView)
    , m_pointer(new QTimer(this))
{
    m_scope->addItem(tr("All states"), int(RunModel::Scope::all));
    m_scope->addItem(tr("Running"), int(RunModel::Scope::running));
    m_scope->addItem(tr("Waiting"), int(RunModel::Scope::waiting));
    m_scope->addItem(tr("Done"), int(RunModel::Scope::done));
    m_scope->addItem(tr("Failed"), int(RunModel::Scope::failed));
    m_scope->addItem(tr("Cancelled"), int(RunModel::Scope::cancelled));
    m_scope->setMinimumContentsLength(9);
    m_scope->setAccessibleName(tr("States shown"));
    m_follow->hide();
    m_failed->hide();
    addToTitle(m_failed);
    addToTitle(m_follow);
    addToTitle(m_scope);
    connect(m_follow, &QPushButton::clicked, this, &RunsCard::followWanted);
    connect(m_failed, &QPushButton::clicked, this, [this] { showOnly(RunModel::Scope::failed); });
    setUpTable(*m_table, theme);
    m_table->setModel(&m_model);
    m_table->setAccessibleName(tr("Runs"));
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setSectionResizeMode(RunModel::kConfiguration, QHeaderView::Stretch);
    m_table->viewport()->installEventFilter(this);
    m_table->setMouseTracking(true);
    m_pointer->setSingleShot(true);
    m_pointer->setInterval(kPointerRests);
    connect(m_pointer, &QTimer::timeout, this, [this] { m_model.holdOrder(false); });
    connect(&m_model, &RunModel::configurationsChanged, this, &RunsCard::measureConfigurations);
    fill(m_table);
    connect(m_scope, &QComboBox::currentIndexChanged, this, [this] {
        m_model.setScope(RunModel::Scope(m_scope->currentData().toInt()));
        select(m_chosen); // it may have been hidden, and with that no longer chosen
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                const store::RunRow* run = m_model.runAt(current.row());
                if (!run || m_selecting)
                    return;
                m_chosen = run->id;
                Q_EMIT chosen(run->id);
            });
}

bool RunsCard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        fitColumns();
    watchPointer(*event);
    return Card::eventFilter(watched, event);
}

/// A pointer that rests there for long is not about to click: then the list goes on.
void RunsCard::watchPointer(const QEvent& event)
{
    if (event.type() == QEvent::Leave) {
        m_pointer->stop();
        m_model.holdOrder(false);
    } else if (event.type() == QEvent::MouseMove || event.type() == QEvent::MouseButtonPress) {
        m_model.holdOrder(true);
        m_pointer->start();
    }
}

/// Room for so many digits, and for the column's title.
int RunsCard::room(int column, int count) const
{
    return std::max(digits(count), titleWidth(*m_table->horizontalHeader(), column));
}

int RunsCard::digits(int count) const
{
    return count * m_table->fontMetrics().horizontalAdvance(QLatin1Char('0')) + 2 * kCellPadding;
}

void RunsCard::fitColumns()
{
    for (const auto& [column, count] : kColumnDigits) // never by content: columns hold still while runs go on
        m_table->setColumnWidth(column, room(column, count));
    if (m_hasUnknown)
        m_table->setColumnWidth(RunModel::kState, room(RunModel::kState, kUnknownDigits));
    for (const int column : {RunModel::kRanks, RunModel::kProgress})
        m_table->setColumnHidden(column, false);
    const int least = digits(kConfigurationDigits);
    if (!hasRoom(std::max(least, m_widest)))
        m_table->setColumnWidth(RunModel::kProgress, room(RunModel::kProgress, kBarDigits));
    m_table->setColumnHidden(RunModel::kRanks, !hasRoom(least));
    m_table->setColumnHidden(RunModel::kProgress, !hasRoom(digits(kFewestDigits))); // the state says if it runs
}

/// Measures the configurations, which change only with other runs.
void RunsCard::measureConfigurations()
{
    m_widest = 0;
    for (const QString& name : m_model.configurations())
        m_widest = std::max(m_widest, m_table->fontMetrics().horizontalAdvance(name) + 2 * kCellPadding);
    fitColumns();
}

bool RunsCard::hasRoom(int configuration) const
{
    int taken = configuration;
    for (const auto& [column, count] : kColumnDigits)
        taken += m_table->columnWidth(column);
    return taken <= m_table->viewport()->width();
}

void RunsCard::select(const RunId& run)
{
    const QScopedValueRollback selecting(m_selecting, true);
    m_chosen = run;
    chooseRow(*m_table, m_model.indexOf(run));
}

void RunsCard::step(int by)
{
    for (int row = m_table->currentIndex().row() + by; row >= 0 && row < m_model.rowCount(); row += by)
        if (m_model.runAt(row))
            return chooseRow(*m_table, m_model.index(row, 0));
}

void RunsCard::showOnly(RunModel::Scope scope)
{
    m_scope->setCurrentIndex(m_scope->findData(int(scope)));
}

void RunsCard::offerFollowing(bool offer)
{
    m_follow->setVisible(offer);
}

void RunsCard::refreshCounts()
{
    const store::RunCounts counts = m_model.counts();
    if (const bool hasUnknown = counts.unknown > 0 || m_model.anySilent(); m_hasUnknown != hasUnknown) {
        m_hasUnknown = hasUnknown;
        fitColumns();
    }
    QStringList words;
    const auto add = [&](int number, const QString& text) {
        if (number > 0)
            words << text;
    };
    add(counts.done, tr("%n done", "", counts.done));
    add(counts.running, tr("%n running", "", counts.running));
    add(counts.queued - counts.held, tr("%n queued", "", counts.queued - counts.held));
    add(counts.held, tr("%n held", "", counts.held));
    add(counts.cancelled, tr("%n cancelled", "", counts.cancelled));
    add(counts.unknown, tr("%n unknown", "", counts.unknown));
    add(m_model.disturbed(), tr("%n disturbed", "", m_model.disturbed()));
    m_failed->setText(tr("%n failed", "", counts.failed));
    m_failed->setVisible(counts.failed > 0);
    setCaption(words.join(QStringLiteral(" · ")));
}

} // namespace ringside
