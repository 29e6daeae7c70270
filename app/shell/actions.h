// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window: one QAction each, shared by menus, page headers and context menus. A page binds an action
// while that page is shown; without a binding the action is disabled.
#pragma once

#include <QAction>
#include <QObject>
#include <functional>
#include <map>
#include <vector>

namespace ringside {

class ThemeController;
namespace report {
struct TableForm;
}

enum class ActionId
{
    newExperiment,
    open,
    save,
    exportToml,
    importLogs,
    exportFigure,
    quit,
    undo,
    redo,
    cut,
    copy,
    paste,
    find,
    settings,
    editExperiment,
    duplicate,
    tryOneRun,
    launch,
    compareExperiment,
    star,
    archive,
    removeExperiment,
    copyFigure,
    copyCaption,
    hold,
    retryFailed,
    cancel,
    openLog,
    showInCompare,
    copyRunId,
    goExperiments,
    goMonitor,
    goCompare,
    goSites,
    addSite,
    editSite,
    removeSite,
    testSite,
    disconnectSite,
    cleanSite,
    previousRun,
    nextRun,
    messages,
    fullScreen,
    welcome,
    runExample,
    howMeasured,
    shortcuts,
    diagnostics,
    about,
    copyTable, ///< in the first form of tables; the last, from which copyTableAs() numbers those of further forms
};

/// The action that copies the table of a comparison in this form of report::tableForms().
ActionId copyTableAs(const report::TableForm& form);
/// Those that copy a part of a comparison, in the order of menus: its figure, its table in each form, its caption.
std::vector<ActionId> copyActions();

/// A page's use of an action. `text` replaces the action's own while the page is shown ("Retry 2 failed").
struct ActionBinding
{
    std::function<void()> run;
    bool enabled = true;
    QString text;
    QString whyNot; ///< while it is disabled, in place of the tooltip; empty: none
};
using ActionBindings = std::map<ActionId, ActionBinding>;

class Actions : public QObject
{
    Q_OBJECT
public:
    explicit Actions(const ThemeController& theme);

    QAction* operator[](ActionId id) const { return m_actions.at(id).action; }
    const std::vector<ActionId>& all() const { return m_order; }

    /// Binds an action on every page that binds nothing else to it.
    void bindAlways(ActionId id, std::function<void()> run);
    /// Sets whether the action bound for every page can be done now; true by default.
    void setAlwaysEnabled(ActionId id, bool enabled);
    /// Replaces the bindings of the page that was shown before.
    void bindPage(const ActionBindings& bindings);

private:
    struct Entry
    {
        QAction* action = nullptr;
        QString text;
        std::function<void()> always;
        bool alwaysEnabled = true;
        std::function<void()> ofPage;
    };

    void add(ActionId id, const QString& text, const QKeySequence& keys = {}, const QString& icon = {});
    void addFileAndEdit();
    void addExperimentAndRun();
    void addViewAndHelp();
    void trigger(ActionId id);

    const ThemeController& m_theme;
    std::map<ActionId, Entry> m_actions;
    std::vector<ActionId> m_order;
};

} // namespace ringside
