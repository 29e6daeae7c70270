// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/mainwindow.h"

#include "app/dialogs/connectiondialogs.h"
#include "app/dialogs/dialogs.h"
#include "app/dialogs/importdialog.h"
#include "app/dialogs/importtexts.h"
#include "app/session/bundled.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/navrail.h"
#include "app/widgets/numbers.h"
#include "app/widgets/scrollmanners.h"
#include "app/widgets/toast.h"
#include "app/window/accessmessage.h"
#include "app/window/endmessage.h"
#include "app/window/menus.h"
#include "app/window/messagepanel.h"
#include "app/window/notifier.h"
#include "app/window/statusarea.h"
#include "app/window/windowstate.h"

#include "core/spec/toml.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QMetaMethod>
#include <QPushButton>
#include <QStatusBar>
#include <QToolButton>
#include <algorithm>

namespace ringside {

namespace {

const QString kMessages = QStringLiteral("messages");

Message messageFor(const Error& error)
{
    return {.severity = Severity::error, .text = messageOf(error), .details = detailsOf(error)};
}

/// Enter arrives here only if nothing below wanted it: buttons outside dialogs ignore it.
void clickFocused(const QWidget& window)
{
    auto* focus = window.focusWidget();
    if (qobject_cast<QPushButton*>(focus) || qobject_cast<QToolButton*>(focus))
        static_cast<QAbstractButton*>(focus)->click();
}

/// Edit menu: what has the focus does it, if it can.
void tellFocus(const char* slot)
{
    auto* focus = QApplication::focusWidget();
    const int method = focus ? focus->metaObject()->indexOfSlot(slot) : -1;
    if (method >= 0)
        focus->metaObject()->method(method).invoke(focus);
}

} // namespace

MainWindow::MainWindow(Session& session, Preferences& preferences, ThemeController& theme, std::vector<PageEntry> pages)
    : m_actions(theme)
    , m_context{*this, session, preferences, theme, m_actions}
    , m_knownSites(session.sites(), preferences)
    , m_work(session)
    , m_recent(preferences, [this](const QString& path) { openFile(path); })
    , m_rail(new NavRail(theme))
    , m_stack(new PageStack(m_context, std::move(pages)))
    , m_files("files")
{
    auto* centre = new QWidget;
    fillRow(centre, {m_rail, {m_stack, 1}}, 0);
    setCentralWidget(centre);
    m_status = new StatusArea(*statusBar(), m_context, m_work, m_log);
    m_toast = new Toast(theme, this);
    m_panel = new MessagePanel(m_log, theme, this);
    m_log.restore(preferences.windowValue(kMessages).toList());
    buildRail();
    bindActions();
    bindNavigation();
    buildMenus(*this, m_context, m_recent);
    connect(m_stack, &PageStack::pageChanged, this, &MainWindow::showTitle);
    connectSession();
    restoreWindow(*this, preferences);
    new ScrollManners(this);
    showAccess();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildRail()
{
    for (const auto& entry : m_stack->entries())
        if (!entry.railText.isEmpty())
            m_rail->addPage(int(entry.id), entry.icon, entry.railText, entry.atFoot);
    connect(m_rail, &NavRail::chosen, this, [this](int id) { go({.page = PageId(id)}); });
}

void MainWindow::bindActions()
{
    const auto bind = [this](ActionId id, auto run) { m_actions.bindAlways(id, run); };
    if (m_stack->has(PageId::editor))
        bind(ActionId::newExperiment, [this] { go({.page = PageId::editor}); });
    if (m_stack->has(PageId::sites))
        bind(ActionId::addSite, [this] {
            go({.page = PageId::sites}); // which binds it
            m_actions[ActionId::addSite]->trigger();
        });
    bind(ActionId::open, [this] { askForFile(); });
    bind(ActionId::importLogs, [this] { importLogs(); });
    bind(ActionId::quit, [this] { close(); });
    const std::pair<ActionId, const char*> edits[] = {{ActionId::undo, "undo()"},
                                                      {ActionId::redo, "redo()"},
                                                      {ActionId::cut, "cut()"},
                                                      {ActionId::copy, "copy()"},
                                                      {ActionId::paste, "paste()"}};
    for (const auto& [id, slot] : edits)
        bind(id, [slot = slot] { tellFocus(slot); });
    bind(ActionId::runExample, [this] { runExample(); });
    bind(ActionId::messages, [this] { showMessages(); });
    bind(ActionId::fullScreen, [this] { toggleFullScreen(); });
    bind(ActionId::howMeasured, [this] { showHelp(); });
    bind(ActionId::shortcuts, [this] { showShortcuts(*this); });
    bind(ActionId::diagnostics, [this] {
        showDiagnostics(m_context, {m_context.session.sites().statuses(), m_log.texts()}, this);
    });
    bind(ActionId::about, [this] { showAbout(this); });
    addActions(m_actions.findChildren<QAction*>());
}

void MainWindow::bindNavigation()
{
    const std::pair<ActionId, PageId> ways[] = {
        {ActionId::goExperiments, PageId::experiments}, {ActionId::goMonitor, PageId::monitor},
        {ActionId::goCompare, PageId::compare},         {ActionId::goSites, PageId::sites},
        {ActionId::settings, PageId::settings},         {ActionId::welcome, PageId::welcome}};
    for (const auto& [action, page] : ways)
        if (m_stack->has(page))
            m_actions.bindAlways(action, [this, page = page] { go({.page = page}); });
}

void MainWindow::connectSession()
{
    auto& session = m_context.session;
    connect(&session, &Session::accessChanged, this, &MainWindow::showAccess);
    connect(&session.sites(), &SiteStates::changed, this, &MainWindow::showWaiting);
    connect(&session.sites(), &SiteStates::changed, this, &MainWindow::notifyOfContact);
    connect(&session.sites(), &SiteStates::forgotten, this, [this](const QString& site) {
        m_lost.erase(site);
        m_refused.remove(site);
        showWaiting();
    });
    connect(&session.live(), &QtSink::problemFound, this, [this](const Error& error) {
        notify(messageFor(error), false);
        if (currentPage())
            currentPage()->showMessage(messageFor(error));
    });
    auto& questions = session.questions();
    connect(&questions, &Questions::hostKeyAsked, this,
            [this](const auto& question, const auto& reply) { askHostKey(this, m_context.theme, question, reply); });
    connect(&questions, &Questions::signInAsked, this, [this](const auto& round, bool canBeKept, const auto& reply) {
        askToSignIn(this, m_context.theme, round, canBeKept, reply);
    });
    connect(&questions, &Questions::hostKeyRefused, this,
            [this](const auto& alarm) { showHostKeyRefused(this, m_context.theme, alarm); });
    connect(&questions, &Questions::noticeGiven, this, [this](const QString& subject, const QString& text) {
        const Message message{Severity::info, QStringLiteral("%1: %2").arg(subject, text)};
        notify(message, true); // a push waits on the user's phone
    });
    connect(&m_work, &WorkTracker::changed, this, &MainWindow::showWork);
    connect(&m_work, &WorkTracker::experimentEnded, this, &MainWindow::lookAtEnd);
    connect(&m_work, &WorkTracker::runsFailed, this, &MainWindow::notifyOfFailures);
}

void MainWindow::go(const Target& target)
{
    m_stack->go(target);
    if (const auto* entry = m_stack->currentEntry())
        m_rail->setCurrent(int(entry->railId));
}

void MainWindow::showTitle()
{
    const auto* page = currentPage();
    if (!page)
        return;
    const auto& work = m_work.unfinished();
    const QString progress =
        work.unfinished() > 0 ? QStringLiteral("(%1/%2) ").arg(work.carriedOut()).arg(work.total) : QString();
    setWindowTitle(progress + tr("%1[*] – Ringside", "window title: page or experiment").arg(page->windowName()));
    setWindowModified(page->hasUnsavedChanges());
}

void MainWindow::showWork()
{
    m_rail->setMark(int(PageId::monitor), Ink::running, workText(m_work.unfinished()));
    showTitle();
    showFirstPage();
    m_stack->dropOutcomes([this](const QString& experiment) {
        return std::ranges::any_of(m_context.session.experiments().rows(), [&](const store::ExperimentRow& row) {
            return toQt(row.name) == experiment && row.runs.unfinished() == 0;
        });
    });
}

/// Sites that only a person can get back, or that nothing here can.
void MainWindow::showWaiting()
{
    int waiting = 0, refused = 0;
    for (const auto& [name, site] : m_context.session.sites().statuses()) {
        waiting += site.contact == SiteStatus::Contact::needsPerson;
        refused += site.contact == SiteStatus::Contact::refused;
    }
    QStringList parts;
    if (refused > 0)
        parts << tr("%n refused", "sites", refused);
    if (waiting > 0)
        parts << tr("%n need(s) you", nullptr, waiting);
    m_rail->setMark(int(PageId::sites), refused > 0 ? Ink::failed : Ink::warning, parts.join(QStringLiteral(", ")));
}

/// Pages show the state of contact; the bell records that it was lost and found again.
void MainWindow::notifyOfContact(const QString& site)
{
    const SiteStatus status = m_context.session.sites().statusOf(site);
    const QString name = siteInSentence(toUtf8(site));
    if (status.contact == SiteStatus::Contact::connected) {
        m_refused.remove(site);
        m_context.preferences.setLastContact(site, status.since);
    }
    if (status.contact == SiteStatus::Contact::refused && !m_refused.contains(site)) {
        m_refused.insert(site); // once, however often it is tried
        notify({Severity::error, tr("%1 is refused: %2").arg(name, toQt(status.text))}, false);
    } else if (status.contact == SiteStatus::Contact::lost && m_lost.emplace(site, status.since).second)
        notify({Severity::warning,
                tr("No contact with %1 since %2. %3").arg(name, Numbers::timeOfDay(status.since), toQt(status.text))},
               false);
    else if (status.contact == SiteStatus::Contact::connected)
        if (const auto lost = m_lost.extract(site); !lost.empty())
            notify({Severity::done,
                    tr("Contact with %1 again, after none since %2.").arg(name, Numbers::timeOfDay(lost.mapped()))},
                   false);
}

void MainWindow::showAccess()
{
    m_actions.setAlwaysEnabled(ActionId::runExample, m_context.session.access() == Session::Access::writing);
    m_stack->setStanding(accessMessage(m_context.session, [this] { chooseDatabaseFolder(); }));
    if (m_context.session.access() == Session::Access::reading)
        m_onlyRead = m_context.session.store();
    else if (m_context.session.access() == Session::Access::writing)
        if (std::exchange(m_onlyRead, {}) == m_context.session.store())
            notify({.severity = Severity::done, .text = tr("The obstacle is gone: this window can write.")}, true);
    if (m_context.session.access() == Session::Access::none && !m_context.session.obstacle().message.empty())
        showFirstPage();
}

/// Welcome while the database holds no experiment; else the page that was last seen.
void MainWindow::showFirstPage()
{
    if (std::exchange(m_firstPageShown, true) || currentPage())
        return;
    const auto last = PageId(m_context.preferences.windowValue(QStringLiteral("page")).toInt());
    const bool isEmpty = m_context.session.experiments().rows().empty();
    const bool keep = !isEmpty && last != PageId::welcome && last != PageId::editor && m_stack->has(last);
    const auto otherwise = isEmpty ? PageId::welcome : PageId::experiments;
    go({.page = keep ? last : otherwise});
}

void MainWindow::notify(const Message& message, bool asToast)
{
    notify(message, asToast, asToast && m_context.preferences.desktopNotifications());
}

void MainWindow::notify(const Message& message, bool asToast, bool onDesktop)
{
    m_log.add(message);
    if (asToast)
        m_toast->setMessage(message);
    if (isActiveWindow())
        return;
    QApplication::alert(this);
    if (onDesktop)
        sendDesktopNotification(tr("Ringside"), message.text);
}

/// Speed-up is a ratio to a base case: only with one is it offered, and that stands in the experiment's text.
void MainWindow::lookAtEnd(const store::ExperimentRow& experiment)
{
    m_ended.push_back(experiment);
    const auto baseCases = [ended = m_ended](const store::Database& db,
                                             std::stop_token) -> Result<std::set<std::string>> {
        std::set<std::string> names;
        for (const auto& row : ended) {
            TRY_ASSIGN(const auto text, store::experimentText(db, row.name));
            TRY_ASSIGN(const auto parsed, spec::parseStoredExperiment(text, row.name));
            if (!parsed.base.empty())
                names.insert(row.name);
        }
        return names;
    };
    m_context.session.queries().ask(m_endQuestion, baseCases, [this](const Result<std::set<std::string>>& names) {
        for (const auto& row : std::exchange(m_ended, {}))
            notifyOfEnd(row, names && names->contains(row.name));
    });
}

/// On the page if it shows this experiment, else as a toast; in the bell's list in any case.
void MainWindow::notifyOfEnd(const store::ExperimentRow& experiment, bool hasBaseCase)
{
    const QString name = toQt(experiment.name);
    Message message = endMessage(experiment);
    if (hasBaseCase && experiment.runs.done > 0) {
        message.button = tr("Show the speed-up");
        message.act = [this, name] {
            go({.page = PageId::compare, .experiment = name, .show = QStringLiteral("speedup")});
        };
    }
    const bool isShown = currentPage() && currentPage()->windowName() == name;
    notify(message, !isShown, m_context.preferences.announcesEndOf(name));
    if (isShown)
        currentPage()->showMessage(message);
}

void MainWindow::notifyOfFailures(const std::vector<store::RunRow>& runs)
{
    const auto& first = runs.front();
    const QString reason = first.reason ? reasonText(*first.reason) : coreText(nameOf(first.cause));
    const QString text = runs.size() == 1 ? tr("Run %1 failed: %2").arg(first.number).arg(reason)
                                          : tr("%n runs failed; the first: %1", nullptr, int(runs.size())).arg(reason);
    const Target target{.page = PageId::monitor, .experiment = toQt(first.experiment), .run = first.id};
    notify({Severity::error, text, tr("Show"), [this, target] { go(target); }, {}}, true);
}

/// As it is stored, if it is: the user may have changed it.
void MainWindow::runExample()
{
    const auto example = firstLight();
    if (!example)
        return currentPage()->showMessage(messageFor(example.error()));
    const auto stored = [name = example->name](const store::Database& db, std::stop_token) -> Result<spec::Experiment> {
        TRY_ASSIGN(const auto text, store::experimentText(db, name));
        return spec::parseStoredExperiment(text, name);
    };
    m_context.session.queries().ask(
        m_exampleQuestion, stored,
        [this, example = *example](const Result<spec::Experiment>& found) { launchHere(found ? *found : example); });
}

void MainWindow::launchHere(const spec::Experiment& experiment)
{
    go({.page = PageId::monitor, .experiment = toQt(experiment.name)});
    const auto tell = [this](const Result<void>& result) {
        if (!result && currentPage())
            currentPage()->showMessage(messageFor(result.error()));
    };
    m_context.session.request(this, calling(&Conductor::launch, launchOf(experiment, spec::kLocalSite)), tell);
}

void MainWindow::showHelp()
{
    showHowMeasured(m_context.theme, this);
}

void MainWindow::askForFile()
{
    auto* dialog = new QFileDialog(this, tr("Open an experiment"), {}, tr("Experiments (*.toml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { openFile(path); });
    dialog->open();
}

void MainWindow::importLogs()
{
    auto* dialog = new ImportDialog(m_context.theme, this, m_context.session);
    connect(dialog, &ImportDialog::imported, this, [this](const QString& experiment, const QStringList& leftOut) {
        go({.page = PageId::experiments, .experiment = experiment});
        if (leftOut.isEmpty())
            return;
        notify(leftOutMessage(leftOut), false);
        currentPage()->showMessage(leftOutMessage(leftOut));
    });
    dialog->open();
}

void MainWindow::openFile(const QString& path, bool andRun)
{
    const auto read = [file = toPath(path), store = m_context.session.store()](std::stop_token) -> Result<std::string> {
        if (store::isFileOf(store, file))
            return fail(ErrorCode::usage,
                        toUtf8(tr("%1 is the open database, not an experiment.").arg(toQt(file.string()))),
                        toUtf8(tr("Choose a file that ends in .toml.")));
        return readFile(file, spec::kMaxExperimentBytes);
    };
    runLatest(m_files, m_reading, this, read,
              [this, path, andRun](Result<std::string> text) { fileRead(path, text, andRun); });
}

void MainWindow::fileRead(const QString& path, const Result<std::string>& text, bool andRun)
{
    const auto complain = [this](const Error& error) {
        if (!currentPage())
            go({.page = PageId::welcome});
        currentPage()->showMessage(messageFor(error));
    };
    if (!text)
        return complain(text.error());
    m_recent.add(path);
    if (!andRun)
        return go({.page = PageId::editor, .toml = toQt(*text)});
    const auto experiment = spec::parseExperiment(*text, toUtf8(path));
    if (!experiment)
        return complain(experiment.error());
    if (experiment->site != spec::kLocalSite) // there nothing is submitted unseen
        return go({.page = PageId::editor, .show = QStringLiteral("launch"), .toml = toQt(*text)});
    launchHere(*experiment);
}

void MainWindow::chooseDatabaseFolder()
{
    auto* dialog = new QFileDialog(this, tr("Folder for the database"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& folder) { m_context.preferences.setDatabaseFolder(folder); });
    dialog->open();
}

void MainWindow::showMessages()
{
    const auto* bell = m_status->bell();
    m_panel->openAt(bell->mapToGlobal(QPoint(bell->width(), -4)));
}

void MainWindow::toggleFullScreen()
{
    setWindowState(windowState() ^ Qt::WindowFullScreen);
}

void MainWindow::cycleFocus(int step)
{
    QList<QWidget*> parts{m_rail};
    if (currentPage())
        parts += currentPage()->focusParts();
    parts += statusBar();
    const auto* focus = QApplication::focusWidget();
    qsizetype current = -1;
    for (qsizetype i = 0; i < parts.size(); ++i)
        if (focus && (parts[i] == focus || parts[i]->isAncestorOf(focus)))
            current = i; // the last one: a side panel lies in the content
    QWidget* next = parts[(current + step + parts.size()) % parts.size()];
    QWidget* target = next == m_rail        ? m_rail->focusTarget()
                      : next == statusBar() ? m_status->focusTarget()
                                            : firstFocusable(next);
    target->setFocus(Qt::TabFocusReason);
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F6)
        return cycleFocus(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    if (event->key() == Qt::Key_Escape && currentPage() && currentPage()->escape())
        return;
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        return clickFocused(*this);
    QMainWindow::keyPressEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    saveWindow(*this, m_context.preferences);
    m_context.preferences.setWindowValue(kMessages, m_log.kept());
    if (const auto* entry = m_stack->currentEntry())
        m_context.preferences.setWindowValue(QStringLiteral("page"), int(entry->id));
    if (currentPage())
        currentPage()->deactivate();
    QMainWindow::closeEvent(event);
}

} // namespace ringside
