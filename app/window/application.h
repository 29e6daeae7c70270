// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the parts together: preferences, theme, language, session, window; makes a new window when the language changes.
#pragma once

#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/mainwindow.h"

#include <QObject>
#include <memory>

class QApplication;

namespace ringside {

struct StartOptions
{
    QString store;        ///< database file; empty: as in the preferences
    QString file;         ///< an experiment to open
    bool runFile = false; ///< and to launch
    bool runExample = false;
};

class Application : public QObject
{
    Q_OBJECT
public:
    using MakePages = std::function<std::vector<PageEntry>()>;

    Application(QApplication& application, StartOptions options, MakePages makePages);
    ~Application() override;

    void start();
    MainWindow& window() { return *m_window; }
    Session& session() { return m_session; }
    Preferences& preferences() { return m_preferences; }

private:
    void applyAppearance();
    void makeWindow();
    void openDatabase();
    void startWork();

    QApplication& m_application;
    StartOptions m_options;
    MakePages m_makePages;
    Preferences m_preferences;
    ThemeController m_theme;
    Session m_session;
    MessageCapture m_messages;
    std::unique_ptr<MainWindow> m_window; // last: it uses the rest
};

} // namespace ringside
