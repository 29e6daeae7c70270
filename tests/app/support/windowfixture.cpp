// SPDX-License-Identifier: MIT
#include "tests/app/support/windowfixture.h"

#include "app/session/bundled.h"
#include "app/session/translations.h"
#include "app/style/resources.h"
#include "app/text/text.h"

#include "core/adapters/adapterbook.h"
#include "core/spec/toml.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/support/built.h"

#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QTest>

namespace ringside::test {

namespace {

QString prepared(const QTemporaryDir& folder)
{
    initRingsideResources();
    return folder.filePath(QStringLiteral("settings.ini"));
}

Programs programs(const fs::path& worker = {})
{
    return {builtProgram("ringside-agent"), worker.empty() ? fs::path(testProgram("testworker")) : worker};
}

} // namespace

WindowFixture::WindowFixture(Appearance appearance, const fs::path& worker)
    : m_preferences(prepared(m_folder))
    , m_session(programs(worker))
{
    qputenv("XDG_DATA_HOME", m_folder.path().toUtf8());
    qputenv("XDG_CONFIG_HOME", m_folder.filePath(QStringLiteral("config")).toUtf8());
    installLanguage(*QCoreApplication::instance(), QStringLiteral("en"));
    m_preferences.setAppearance(appearance);
    m_theme.apply(appearance, FontChoice::ringside, 1.0);
}

fs::path WindowFixture::folder() const
{
    return toPath(m_folder.path());
}

void WindowFixture::makeWindow()
{
    adapters::usersAdapters(); // as the program does before anything reads an experiment
    m_window = std::make_unique<MainWindow>(m_session, m_preferences, m_theme, allPages());
}

void WindowFixture::show(QSize size)
{
    makeWindow();
    m_window->resize(size);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_session.open(store());
    QVERIFY(waitFor([this] { return m_window->currentPage() != nullptr; }));
    m_window->activateWindow();
    QVERIFY(waitFor([this] { return m_window->isActiveWindow(); }));
}

void WindowFixture::reopen()
{
    m_window->close();
    m_window.reset();
    makeWindow();
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void WindowFixture::fillStore()
{
    saveBundledExperiments();
    auto db = store::Database::openForWriting(store());
    QVERIFY2(db.has_value(), db ? "" : db.error().text().c_str());
    const auto added = addMeasuredExperiment(*db, folder() / "ringside");
    QVERIFY2(added.has_value(), added ? "" : added.error().text().c_str());
}

void WindowFixture::saveBundledExperiments()
{
    Session session(programs());
    session.open(store());
    QVERIFY(waitFor([&] { return session.access() == Session::Access::writing; }));
    for (const auto& name :
         {QStringLiteral("first-light"), QStringLiteral("scaling-of-one-model"), QStringLiteral("aggregation-plans")}) {
        const auto text = bundledExperimentText(name);
        QVERIFY(text);
        const auto experiment = spec::parseExperiment(*text);
        QVERIFY2(experiment.has_value(), experiment ? "" : experiment.error().text().c_str());
        const auto saved = save(session, *experiment);
        QVERIFY2(saved.has_value(), saved ? "" : saved.error().text().c_str());
    }
}

void WindowFixture::go(PageId page, const QString& experiment, const QString& show)
{
    m_window->go({.page = page, .experiment = experiment, .run = {}, .show = show, .toml = {}});
    settle();
}

QDialog* openDialog(const MainWindow& window)
{
    return shown<QDialog>(window, [](const QDialog&) { return true; });
}

bool waitFor(const std::function<bool()>& done, int limitMs)
{
    return QTest::qWaitFor(done, limitMs);
}

QPushButton* buttonOf(const QWidget& root, const QString& text)
{
    return shown<QPushButton>(root, [&](const QPushButton& button) { return button.text() == text; });
}

bool says(const QWidget& root, const QString& text)
{
    return shown<QLabel>(root, [&](const QLabel& label) { return label.text().contains(text); }) != nullptr;
}

bool isLabelled(const QWidget& root, const QString& text)
{
    return shown<QLabel>(root, [&](const QLabel& label) { return label.text() == text; }) != nullptr;
}

} // namespace ringside::test
