// SPDX-License-Identifier: MIT
// A whole window on a database and settings of its own, as a user starts it.
#pragma once

#include "app/pages/pages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/mainwindow.h"

#include <QTemporaryDir>
#include <memory>

namespace ringside::test {

class WindowFixture
{
public:
    explicit WindowFixture(Appearance appearance = Appearance::light);

    /// Opens the window at this logical size on the fixture's database and waits until a page is shown.
    void show(QSize size = {1280, 800});
    /// Puts the three bundled experiments, not yet run, and the measured one into the database; call before show().
    void fillStore();

    MainWindow& window() { return *m_window; }
    Session& session() { return m_session; }
    Preferences& preferences() { return m_preferences; }
    ThemeController& theme() { return m_theme; }
    fs::path folder() const;
    fs::path store() const { return folder() / "ringside.db"; }

    /// Goes to a page and lets it settle.
    void go(PageId page, const QString& experiment = {});

private:
    void saveBundledExperiments();

    QTemporaryDir m_folder;
    Preferences m_preferences;
    ThemeController m_theme;
    Session m_session;
    std::unique_ptr<MainWindow> m_window;
};

/// Runs the event loop until `done` or the limit; the answer says which.
bool waitFor(const std::function<bool()>& done, int limitMs = 10'000);

} // namespace ringside::test
