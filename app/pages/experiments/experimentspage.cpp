// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/experiments/experimentspage.h"

#include "app/drafts/drafts.h"
#include "app/pages/experiments/deleteexperiments.h"
#include "app/pages/experiments/draftsbutton.h"
#include "app/pages/experiments/experimentdetails.h"
#include "app/session/preferences.h"
#include "app/shell/pageheader.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/card.h"
#include "app/widgets/celldelegate.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/emptystate.h"
#include "app/widgets/styled.h"
#include "app/widgets/tables.h"

#include "core/spec/calibration.h"
#include "core/spec/toml.h"

#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <algorithm>

namespace ringside {

namespace {

constexpr int kRowHeight = 36;
constexpr int kDropChanged = 900, kDropSite = 780; // px of table width below which a column is hidden
const QString kColumns = QStringLiteral("experiments/columns");

Result<std::string> copyOf(const std::string& toml, const std::string& name)
{
    TRY_ASSIGN(auto experiment, spec::parseStoredExperiment(toml, name));
    experiment.name = name;
    return spec::writeExperiment(experiment);
}

/// Runs are missing, and none of its runs is on its way.
bool isToBeLaunched(const store::ExperimentRow& row)
{
    return !row.archived && row.runs.unfinished() == 0 && row.runs.done < plannedRuns(row);
}

} // namespace

ExperimentsPage::ExperimentsPage(const PageContext& context)
    : Page(context)
    , m_drafts(new DraftsButton(context.preferences))
    , m_table(new QTableView)
    , m_clearFilter(new QAction(tr("Clear filter"), this))
    , m_nothing(new EmptyState(context.theme, QStringLiteral("search"), {}))
    , m_details(new ExperimentDetails(context))
{
    setTitle(tr("Experiments"));
    header().addAction(action(ActionId::importLogs));
    header().addAction(action(ActionId::open));
    header().addAction(action(ActionId::newExperiment), true);
    content()->addLayout(filterRow());
    auto* card = new Card;
    card->body()->setContentsMargins(1, 4, 1, 4);
    addTo(*card->body(), {m_table, m_nothing});
    m_nothing->hide();
    addTo(*content(), {{card, 1}, m_details});
    setUpTable();
    bindActions();
    m_nothing->addAction(m_clearFilter);
    connect(m_clearFilter, &QAction::triggered, this, [this] { escape(); });
    connect(m_drafts, &DraftsButton::chosen, this, [this](const Target& target) { this->context().shell.go(target); });
    auto& list = context.session.experiments();
    connect(&list, &ExperimentList::changed, this, &ExperimentsPage::takeExperiments);
    connect(&list, &ExperimentList::failed, this, [this](const Error& error) {
        setLoading(false);
        if (m_active)
            showError(error);
    });
}

QLayout* ExperimentsPage::filterRow()
{
    m_text = new QLineEdit;
    m_text->setPlaceholderText(tr("Filter by name or question"));
    m_text->setAccessibleName(tr("Filter"));
    m_text->setClearButtonEnabled(true);
    m_text->setMinimumWidth(280);
    m_text->installEventFilter(this);
    m_scope = new QComboBox;
    m_scope->setAccessibleName(tr("States"));
    for (const auto& text :
         {tr("All states"), tr("Running"), tr("Waiting"), tr("Done"), tr("With failed runs"), tr("Archived")})
        m_scope->addItem(text);
    m_count = new ElidedLabel(LabelKind::caption);
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    connect(m_text, &QLineEdit::textChanged, this,
            [this](const QString& text) { m_filter.setText(text), filterChanged(); });
    connect(m_scope, &QComboBox::currentIndexChanged, this,
            [this](int scope) { m_filter.setScope(ExperimentFilter::Scope(scope)), filterChanged(); });
    return makeRow({m_text, m_scope, m_drafts, stretch(), {m_count, 1}}, space::kField);
}

void ExperimentsPage::setUpTable()
{
    m_filter.setSourceModel(&m_model);
    m_table->setModel(&m_filter);
    ringside::setUpTable(*m_table, context().theme, kRowHeight);
    m_table->setAccessibleName(tr("Experiments"));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setSortingEnabled(true);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->installEventFilter(this);
    m_table->sortByColumn(ExperimentModel::kChanged, Qt::DescendingOrder);
    auto* head = m_table->horizontalHeader();
    head->setStretchLastSection(false);
    head->setSectionResizeMode(QHeaderView::Interactive);
    head->setSectionResizeMode(ExperimentModel::kName, QHeaderView::Stretch);
    head->setSectionResizeMode(ExperimentModel::kStar, QHeaderView::Fixed);
    const std::pair<int, int> widths[] = {{ExperimentModel::kStar, 40},      {ExperimentModel::kRuns, 72},
                                          {ExperimentModel::kProgress, 176}, {ExperimentModel::kState, 176},
                                          {ExperimentModel::kSite, 136},     {ExperimentModel::kChanged, 136}};
    for (const auto& [column, width] : widths)
        m_table->setColumnWidth(column, qRound(width * context().theme.textScale()));
    head->restoreState(context().preferences.windowValue(kColumns).toByteArray());
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] { selectionChanged(); });
    connect(m_table, &QTableView::doubleClicked, this, [this] { openMostUseful(); });
    connect(m_table, &QTableView::customContextMenuRequested, this, &ExperimentsPage::showMenu);
}

void ExperimentsPage::bindActions()
{
    bind(ActionId::find, [this] { m_text->setFocus(Qt::ShortcutFocusReason); });
    bind(ActionId::editExperiment, [this] { goTo(PageId::editor); });
    bind(ActionId::launch, [this] { goTo(PageId::editor, QStringLiteral("launch")); });
    bind(ActionId::compareExperiment, [this] { goTo(PageId::compare); });
    bind(ActionId::goMonitor, [this] { goTo(PageId::monitor); });
    bind(ActionId::duplicate, [this] { duplicate(); });
    bind(ActionId::star, [this] { setStarred(); });
    bind(ActionId::archive, [this] { setArchived(); });
    bind(ActionId::removeExperiment, [this] { askDelete(); });
    selectionChanged();
}

void ExperimentsPage::activate(const Target& target)
{
    m_active = true;
    m_wanted = target.experiment;
    context().session.experiments().visit(m_wanted);
    takeExperiments();
    m_table->setFocus();
}

void ExperimentsPage::deactivate()
{
    m_active = false;
    m_sizeQuestion.cancel(); // its answer would come up on the page that is shown by then
    context().preferences.setWindowValue(kColumns, m_table->horizontalHeader()->saveState());
}

/// Those of a database that is closed go at once.
void ExperimentsPage::takeExperiments()
{
    const ExperimentList& list = context().session.experiments();
    const bool isKnown = list.knows(m_wanted);
    setLoading(m_active && !isKnown);
    if (list.rows().empty() || (m_active && isKnown))
        apply(list.rows());
}

void ExperimentsPage::apply(std::vector<store::ExperimentRow> rows)
{
    const auto isCalibration = [](const store::ExperimentRow& row) { return spec::isCalibration(row.name, row.site); };
    std::erase_if(rows, isCalibration); // Sites shows those: they compare nothing
    const QString keep = m_wanted.isEmpty() ? m_chosen : m_wanted;
    int experiments = 0, runs = 0;
    for (const auto& row : rows)
        if (!row.archived) {
            ++experiments;
            runs += plannedRuns(row);
        }
    setTitle(tr("Experiments"), tr("%1 · %2", "experiments, runs")
                                    .arg(tr("%n experiment(s)", nullptr, experiments), tr("%n run(s)", nullptr, runs)));
    m_drafts->refresh(rows);
    m_model.setRows(std::move(rows));
    showEmptyState();
    showCount();
    // Rows that only changed stay selected, several rows included.
    if (!m_wanted.isEmpty())
        reveal(m_wanted);
    if (!m_wanted.isEmpty() || selected().empty())
        select(keep);
    selectionChanged();
    m_wanted.clear();
}

/// Hidden rows are no longer selected: instead the one selected last, if it is shown, else the first row.
void ExperimentsPage::filterChanged()
{
    showEmptyState();
    showCount();
    if (selected().empty())
        select(m_chosen);
}

void ExperimentsPage::showEmptyState()
{
    const auto& rows = m_model.rows();
    const bool allArchived = std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.archived; });
    if (!allArchived || (!rows.empty() && m_scope->currentIndex() == int(ExperimentFilter::Scope::archived)))
        return showEmpty(nullptr);
    auto* empty = new EmptyState(context().theme, QStringLiteral("flask"),
                                 rows.empty() ? tr("No experiments yet.") : tr("Every experiment is archived."));
    empty->addAction(rows.empty() ? action(ActionId::runExample) : showArchived(*empty));
    empty->addAction(action(ActionId::newExperiment));
    showEmpty(empty);
}

QAction* ExperimentsPage::showArchived(QWidget& owner)
{
    auto* show = new QAction(tr("Show archived"), &owner);
    // Queued: the button goes with what it stands on.
    connect(
        show, &QAction::triggered, this, [this] { m_scope->setCurrentIndex(int(ExperimentFilter::Scope::archived)); },
        Qt::QueuedConnection);
    return show;
}

void ExperimentsPage::showCount()
{
    m_count->setFullText(tr("%n shown", "experiments", m_filter.rowCount()));
    const bool filters = m_scope->currentIndex() != 0 || !m_text->text().isEmpty();
    const bool nothingMatches = filters && m_filter.rowCount() == 0 && !m_model.rows().empty();
    if (nothingMatches)
        m_nothing->setSentence(m_text->text().isEmpty() ? tr("No experiment is in this state.")
                                                        : tr("No experiment matches “%1”.").arg(m_text->text()));
    const QWidget* focus = window()->focusWidget();
    const bool hadFocus = m_table == focus || m_nothing->isAncestorOf(focus);
    m_nothing->setVisible(nothingMatches); // in the place of the rows, so that nothing else moves
    m_table->setVisible(!nothingMatches);
    if (hadFocus)
        nothingMatches ? m_nothing->setFocus() : m_table->setFocus();
}

bool ExperimentsPage::escape()
{
    if (m_text->text().isEmpty() && m_scope->currentIndex() == 0)
        return false;
    m_text->clear();
    m_scope->setCurrentIndex(0);
    m_table->setFocus();
    return true;
}

/// Clears the filter and the scope where they hide it.
void ExperimentsPage::reveal(const QString& name)
{
    const auto& rows = m_model.rows();
    const auto wanted = std::ranges::find(rows, toUtf8(name), &store::ExperimentRow::name);
    if (wanted == rows.end() || rowOf(name) >= 0)
        return;
    m_text->clear();
    m_scope->setCurrentIndex(int(wanted->archived ? ExperimentFilter::Scope::archived : ExperimentFilter::Scope::all));
}

/// Among those shown; -1: it is not.
int ExperimentsPage::rowOf(const QString& name) const
{
    for (int row = 0; row < m_filter.rowCount(); ++row)
        if (m_filter.index(row, 0).data(kKeyRole).toString() == name)
            return row;
    return -1;
}

void ExperimentsPage::select(const QString& name)
{
    chooseRow(*m_table, m_filter.index(std::max(0, rowOf(name)), ExperimentModel::kName));
    selectionChanged();
}

std::vector<store::ExperimentRow> ExperimentsPage::selected() const
{
    std::vector<store::ExperimentRow> rows;
    for (const auto& index : m_table->selectionModel()->selectedRows())
        rows.push_back(m_model.row(m_filter.mapToSource(index).row()));
    return rows;
}

void ExperimentsPage::selectionChanged()
{
    const auto rows = selected();
    const bool one = rows.size() == 1;
    m_details->setVisible(one);
    if (one)
        m_details->setExperiment(rows.front());
    if (!rows.empty())
        m_chosen = toQt(rows.front().name);
    for (const auto id : {ActionId::editExperiment, ActionId::duplicate, ActionId::compareExperiment})
        setActionEnabled(id, one);
    const bool writable = context().session.access() == Session::Access::writing;
    setActionEnabled(ActionId::launch, one && writable && isToBeLaunched(rows.front()));
    for (const auto id : {ActionId::star, ActionId::archive, ActionId::removeExperiment})
        setActionEnabled(id, !rows.empty() && writable);
    const bool archived = !rows.empty() && rows.front().archived;
    setActionText(ActionId::archive, archived ? tr("Un&archive") : QString());
    setActionText(ActionId::star, !rows.empty() && rows.front().starred ? tr("Remove &star") : QString());
}

void ExperimentsPage::goTo(PageId page, const QString& show)
{
    const auto rows = selected();
    const QString name = rows.size() == 1 ? toQt(rows.front().name) : QString();
    context().shell.go({.page = page, .experiment = name, .show = show});
}

/// Monitor if it runs, Compare if any run is done, else the editor.
void ExperimentsPage::openMostUseful()
{
    const auto rows = selected();
    if (rows.size() != 1)
        return;
    const auto& runs = rows.front().runs;
    goTo(runs.running > 0 ? PageId::monitor : runs.done > 0 ? PageId::compare : PageId::editor);
}

template <class Function, class... Arguments>
void ExperimentsPage::ofEach(const std::vector<store::ExperimentRow>& rows, Function function, Arguments... arguments)
{
    for (const auto& row : rows)
        context().session.request(this, calling(function, row.name, arguments...), [this](const Result<void>& result) {
            if (!result)
                showError(result.error());
        });
}

void ExperimentsPage::setStarred()
{
    const auto rows = selected();
    if (!rows.empty())
        ofEach(rows, &Conductor::setStarred, !rows.front().starred);
}

void ExperimentsPage::setArchived()
{
    const auto rows = selected();
    if (!rows.empty())
        ofEach(rows, &Conductor::setArchived, !rows.front().archived);
}

/// By the answer others may be selected: it is about those that the question names.
void ExperimentsPage::askDelete()
{
    const auto rows = selected();
    if (rows.empty())
        return;
    const auto archive = [this, rows] { ofEach(rows, &Conductor::setArchived, true); };
    const auto remove = [this, rows] {
        Drafts drafts(context().preferences);
        for (const auto& row : rows)
            context().session.request(this, calling(&Conductor::deleteExperiment, row.name),
                                      [this, drafts, name = toQt(row.name)](const Result<void>& deleted) mutable {
                                          if (!deleted)
                                              return showError(deleted.error());
                                          drafts.forget(drafts.stored(name)); // a later one of its name is another
                                      });
    };
    const auto failed = [this](const Error& error) { showError(error); };
    askToDelete(context(), this, m_sizeQuestion, {rows, archive, remove, failed});
}

/// Opens the editor with the same text under a name that is free.
void ExperimentsPage::duplicate()
{
    const auto rows = selected();
    if (rows.size() != 1)
        return;
    context().session.queries().ask(
        m_sizeQuestion,
        [name = rows.front().name](const store::Database& db, std::stop_token) {
            return store::experimentText(db, name);
        },
        [this, name = rows.front().name](Result<std::string> text) {
            const auto copy = text ? copyOf(*text, freeName(name)) : tl::unexpected(text.error());
            if (!copy)
                return showError(copy.error());
            context().shell.go({.page = PageId::editor, .toml = toQt(*copy)});
        });
}

std::string ExperimentsPage::freeName(const std::string& name) const
{
    const std::vector<KeptDraft> drafts = Drafts(context().preferences).all(); // an earlier copy may not be saved yet
    const auto isTaken = [&](const std::string& wanted) {
        return std::any_of(m_model.rows().begin(), m_model.rows().end(),
                           [&](const auto& row) { return row.name == wanted; }) ||
               std::any_of(drafts.begin(), drafts.end(), [&](const KeptDraft& kept) {
                   return toUtf8(kept.origin.name) == wanted || kept.draft.experiment.name == wanted;
               });
    };
    for (int k = 2;; ++k)
        if (const auto candidate = fmt::format("{}-{}", name, k); !isTaken(candidate))
            return candidate;
}

void ExperimentsPage::showMenu(const QPoint& position)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const auto id : {ActionId::editExperiment, ActionId::duplicate, ActionId::launch, ActionId::compareExperiment,
                          ActionId::star, ActionId::archive, ActionId::removeExperiment})
        menu->addAction(action(id));
    menu->popup(m_table->viewport()->mapToGlobal(position));
}

bool ExperimentsPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table && event->type() == QEvent::Resize)
        fitColumns();
    if (event->type() != QEvent::KeyPress)
        return Page::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (watched == m_text)
        return leavesFilter(*key) || Page::eventFilter(watched, event);
    if (watched != m_table)
        return Page::eventFilter(watched, event);
    const bool plain = !(key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter)
        return plain ? openMostUseful(), true : false;
    if (plain && key->key() == Qt::Key_Space) // with Ctrl it selects
        return setStarred(), true;
    if (plain && !key->text().isEmpty() && key->text().front().isPrint()) {
        m_text->setFocus();
        m_text->setText(m_text->text() + key->text());
        return true;
    }
    return Page::eventFilter(watched, event);
}

/// From the filter into what it found: Down to the rows, Enter into the one that is chosen.
bool ExperimentsPage::leavesFilter(const QKeyEvent& key)
{
    if (m_filter.rowCount() == 0)
        return false;
    if (key.key() == Qt::Key_Down)
        return m_table->setFocus(), true;
    if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter)
        return openMostUseful(), true;
    return false;
}

void ExperimentsPage::fitColumns()
{
    const int width = int(m_table->width() / context().theme.textScale());
    m_table->setColumnHidden(ExperimentModel::kChanged, width < kDropChanged);
    m_table->setColumnHidden(ExperimentModel::kSite, width < kDropSite);
}

} // namespace ringside
