// SPDX-License-Identifier: GPL-3.0-or-later
// The window: menus, rail, pages, status bar, bell. It moves between pages and says what belongs to no page. GUI
// thread.
#pragma once

#include "app/session/background.h"
#include "app/session/knownsites.h"
#include "app/shell/shell.h"
#include "app/window/messagelog.h"
#include "app/window/pagestack.h"
#include "app/window/recentfiles.h"
#include "app/window/worktracker.h"

#include <QMainWindow>
#include <QSet>
#include <map>

namespace ringside {

class MessagePanel;
class NavRail;
class StatusArea;
class Toast;

class MainWindow : public QMainWindow, public Shell
{
    Q_OBJECT
public:
    MainWindow(Session& session, Preferences& preferences, ThemeController& theme, std::vector<PageEntry> pages);
    ~MainWindow() override;

    void go(const Target& target) override;
    void notify(const Message& message, bool asToast) override;
    void runExample() override;
    void showHelp() override;

    /// Opens an experiment file in the editor; `andRun` also stores and launches it: at once on this computer, after a
    /// look at what is submitted on another site.
    void openFile(const QString& path, bool andRun = false);

    const Actions& actions() const { return m_actions; }
    Page* currentPage() const { return m_stack->currentPage(); }

protected:
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildRail();
    void bindActions();
    void bindNavigation();
    void connectSession();
    void showAccess();
    void showFirstPage();
    void showTitle();
    void showWork();
    void showWaiting();
    void notifyOfContact(const QString& site);
    void launchHere(const spec::Experiment& experiment);
    void lookAtEnd(const store::ExperimentRow& experiment);
    /// As notify(); on the desktop, too, if that is wanted and the window is not in front.
    void notify(const Message& message, bool asToast, bool onDesktop);
    void notifyOfEnd(const store::ExperimentRow& experiment, bool hasBaseCase);
    void notifyOfFailures(const std::vector<store::RunRow>& runs);
    void askForFile();
    void importLogs();
    void chooseDatabaseFolder();
    void fileRead(const QString& path, const Result<std::string>& text, bool andRun);
    void cycleFocus(int step);
    void toggleFullScreen();
    void showMessages();

    Actions m_actions;
    PageContext m_context;
    MessageLog m_log;
    KnownSites m_knownSites;
    WorkTracker m_work;
    RecentFiles m_recent;
    NavRail* m_rail;
    PageStack* m_stack;
    StatusArea* m_status = nullptr;
    Toast* m_toast = nullptr;
    MessagePanel* m_panel = nullptr;
    bool m_firstPageShown = false;
    std::map<QString, std::int64_t> m_lost;    ///< sites without contact, and since when (wall clock, ns)
    QSet<QString> m_refused;                   ///< sites whose refused host key was reported
    fs::path m_onlyRead;                       ///< the database that another program writes; empty: none
    std::vector<store::ExperimentRow> m_ended; ///< not announced yet
    JobTracker m_reading, m_exampleQuestion, m_endQuestion;
    TaskThread m_files; // last: it calls back
};

} // namespace ringside
