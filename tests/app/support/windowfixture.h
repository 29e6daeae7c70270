// SPDX-License-Identifier: MIT
// A whole window on a database and settings of its own, as a user starts it.
#pragma once

#include "app/pages/pages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/mainwindow.h"
#include "tests/app/support/saveexperiment.h"
#include "tests/app/support/settle.h"

#include <QTemporaryDir>
#include <memory>

class QDialog;
class QPushButton;

namespace ringside::test {

class WindowFixture
{
public:
    /// `worker`: of this computer; empty: the one for tests, which trains nothing.
    explicit WindowFixture(Appearance appearance = Appearance::light, const fs::path& worker = {});

    /// Opens the window at this logical size on the fixture's database and waits until a page is shown.
    void show(QSize size = {1280, 800});
    /// Closes the window and opens another one with the same settings and session, as the next start does.
    void reopen();
    /// Puts the three bundled experiments, not yet run, and the measured one into the database; call before show().
    void fillStore();

    MainWindow& window() { return *m_window; }
    Session& session() { return m_session; }
    Preferences& preferences() { return m_preferences; }
    ThemeController& theme() { return m_theme; }
    fs::path folder() const;
    fs::path store() const { return folder() / "ringside.db"; }

    /// Goes to a page and lets it settle.
    void go(PageId page, const QString& experiment = {}, const QString& show = {});

private:
    void saveBundledExperiments();
    void makeWindow();

    QTemporaryDir m_folder;
    Preferences m_preferences;
    ThemeController m_theme;
    Session m_session;
    std::unique_ptr<MainWindow> m_window;
};

/// The dialog that is open on the window; nullptr if none is.
QDialog* openDialog(const MainWindow& window);

/// The visible widget of this kind below `root` for which `matches` holds; nullptr if none does.
template <class Widget, class Matches> Widget* shown(const QWidget& root, Matches matches)
{
    for (auto* widget : root.findChildren<Widget*>())
        if (widget->isVisible() && matches(*widget))
            return widget;
    return nullptr;
}

/// The visible button with this text; nullptr if there is none.
QPushButton* buttonOf(const QWidget& root, const QString& text);
/// Returns whether a visible label holds the text.
bool says(const QWidget& root, const QString& text);
/// Returns whether one holds this text alone.
bool isLabelled(const QWidget& root, const QString& text);

/// Runs the event loop until `done` or the limit; the answer says which.
bool waitFor(const std::function<bool()>& done, int limitMs = 10'000);

} // namespace ringside::test
