// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus.h"

#include "app/session/preferences.h"
#include "app/shell/actions.h"
#include "app/shell/shell.h"
#include "app/window/recentfiles.h"

#include <QActionGroup>
#include <QCoreApplication>
#include <QMainWindow>
#include <QMenuBar>
#include <initializer_list>
#include <optional>

namespace ringside {

namespace {

class Menus
{
    Q_DECLARE_TR_FUNCTIONS(ringside::Menus)
public:
    Menus(QMainWindow& window, const PageContext& context, RecentFiles& recent)
        : m_window(window)
        , m_context(context)
        , m_recent(recent)
    {
    }

    void build()
    {
        using enum ActionId;
        auto* file = add(tr("&File"), {newExperiment, open, save, exportToml, importLogs, {}, exportFigure});
        for (const ActionId id : copyActions())
            file->addAction(m_context.actions[id]);
        file->addSeparator();
        file->addAction(m_context.actions[quit]);
        m_recent.attach(*addBefore(*file, save, tr("Open &recent")));
        add(tr("&Edit"), {undo, redo, {}, cut, copy, paste, {}, find, {}, settings});
        add(tr("E&xperiment"),
            {editExperiment, duplicate, {}, tryOneRun, launch, compareExperiment, {}, star, archive, removeExperiment});
        add(tr("&Run"), {hold, retryFailed, cancel, {}, openLog, showInCompare, copyRunId});
        auto* view =
            add(tr("&View"), {goExperiments, goMonitor, goCompare, goSites, {}, previousRun, nextRun, {}, messages});
        addAppearance(*view->addMenu(tr("&Appearance")));
        view->addAction(m_context.actions[fullScreen]);
        add(tr("&Sites"), {addSite, editSite, removeSite, {}, testSite, disconnectSite, {}, cleanSite});
        add(tr("&Help"), {welcome, howMeasured, shortcuts, {}, diagnostics, about});
    }

private:
    /// An empty entry is a line.
    QMenu* add(const QString& title, std::initializer_list<std::optional<ActionId>> entries)
    {
        auto* menu = m_window.menuBar()->addMenu(title);
        for (const auto& entry : entries)
            entry ? menu->addAction(m_context.actions[*entry]) : void(menu->addSeparator());
        return menu;
    }

    QMenu* addBefore(QMenu& menu, ActionId next, const QString& title)
    {
        auto* sub = new QMenu(title, &menu);
        menu.insertMenu(m_context.actions[next], sub);
        menu.insertSeparator(m_context.actions[next]);
        return sub;
    }

    void addAppearance(QMenu& menu)
    {
        auto* group = new QActionGroup(&menu);
        const std::pair<Appearance, QString> choices[] = {
            {Appearance::system, tr("&System")}, {Appearance::light, tr("&Light")}, {Appearance::dark, tr("&Dark")}};
        for (const auto& [appearance, text] : choices) {
            auto* action = group->addAction(text);
            action->setCheckable(true);
            action->setData(int(appearance));
            menu.addAction(action);
        }
        auto& preferences = m_context.preferences;
        const auto check = [group, &preferences] {
            group->actions().at(int(preferences.appearance()))->setChecked(true);
        };
        QObject::connect(&preferences, &Preferences::appearanceChanged, group, check);
        QObject::connect(group, &QActionGroup::triggered, group, [&preferences](QAction* action) {
            preferences.setAppearance(Appearance(action->data().toInt()));
        });
        check();
    }

    QMainWindow& m_window;
    const PageContext& m_context;
    RecentFiles& m_recent;
};

} // namespace

void buildMenus(QMainWindow& window, const PageContext& context, RecentFiles& recent)
{
    Menus(window, context, recent).build();
}

} // namespace ringside
