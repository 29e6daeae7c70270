// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/application.h"

#include "app/session/preferences.h"
#include "app/session/translations.h"
#include "app/style/resources.h"
#include "app/text/text.h"

#include <QApplication>

namespace ringside {

Application::Application(QApplication& application, StartOptions options, MakePages makePages)
    : m_application(application)
    , m_options(std::move(options))
    , m_makePages(std::move(makePages))
    , m_session(Programs::beside(toPath(QCoreApplication::applicationDirPath())))
    , m_messages(m_session.log())
{
    initRingsideResources();
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/app/ringside.svg")));
    QGuiApplication::setDesktopFileName(QStringLiteral("ringside"));
    QApplication::setAttribute(Qt::AA_DontShowIconsInMenus);
    connect(&m_preferences, &Preferences::appearanceChanged, this, &Application::applyAppearance);
    connect(&m_preferences, &Preferences::databaseFolderChanged, this, &Application::openDatabase);
    // Queued: the page that changed the language belongs to the window that goes.
    connect(&m_preferences, &Preferences::languageChanged, this, &Application::makeWindow, Qt::QueuedConnection);
}

Application::~Application() = default;

void Application::start()
{
    applyAppearance();
    makeWindow();
    connect(&m_session, &Session::accessChanged, this, &Application::startWork);
    openDatabase();
}

void Application::applyAppearance()
{
    m_theme.apply(m_preferences.appearance(), m_preferences.font(), m_preferences.textPercent() / 100.0);
}

void Application::makeWindow()
{
    installLanguage(m_application, m_preferences.language());
    if (m_window)
        m_window->close();
    m_window = std::make_unique<MainWindow>(m_session, m_preferences, m_theme, m_makePages());
    m_window->show();
}

void Application::openDatabase()
{
    std::error_code ignored; // a folder that was removed has no path: then the database is not found
    if (!m_options.store.isEmpty())
        return m_session.open(fs::absolute(toPath(std::exchange(m_options.store, {})), ignored));
    if (const auto file = m_preferences.databaseFile())
        m_session.open(*file);
    else
        m_window->notify({Severity::error, messageOf(file.error())}, false);
}

void Application::startWork()
{
    const bool ready = m_session.access() == Session::Access::writing || m_session.access() == Session::Access::reading;
    if (!ready)
        return;
    if (std::exchange(m_options.runExample, false))
        m_window->runExample();
    else if (!m_options.file.isEmpty())
        m_window->openFile(std::exchange(m_options.file, {}), m_options.runFile);
}

} // namespace ringside
