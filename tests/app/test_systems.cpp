// SPDX-License-Identifier: MIT
// Card Systems of page Sites: a system is installed on this computer by pip, tried by the real runner, and removed;
// elsewhere it is cleaned up.
#include "app/shell/actions.h"
#include "app/widgets/iconlabel.h"
#include "core/protocol/installedengine.h"
#include "core/store/database.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/sitesfixture.h"
#include "tests/support/tinypackage.h"

#include <QDialog>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSemaphore>
#include <QTest>

namespace ringside::test {

namespace {

constexpr int kInstallMs = 120'000;

/// A window whose user has tables of their own, and a folder that pip takes its package from.
struct SystemsFixture : SitesFixture
{
    explicit SystemsFixture(Appearance appearance = Appearance::light)
        : SitesFixture(appearance)
    {
        fs::create_directories(folder() / "config/ringside/adapters");
        describe("tiny", kTinyTable);
        describe("plain", withoutRecipe("plain", R"("/usr/bin/true")"));
        describe("mine", withoutRecipe("mine", R"("{python}")"));
        describe("slow", withoutRecipe("slow", R"("/bin/sleep", "600")"));
    }
    void describe(const std::string& name, const std::string& table)
    {
        (void)writeFileAtomically(folder() / ("config/ringside/adapters/" + name + ".toml"), table);
    }
    static std::string withoutRecipe(const std::string& name, const std::string& command)
    {
        return "format = 1\nname = \"" + name + "\"\ntitle = \"" + name + "\"\n[launch]\ncommand = [" + command + "]\n";
    }
    QWidget& page() { return *window().currentPage(); }
    QPushButton* button(const QString& accessibleName)
    {
        return shown<QPushButton>(page(),
                                  [&](const QPushButton& each) { return each.accessibleName() == accessibleName; });
    }
    QPushButton* usable(const QString& accessibleName)
    {
        auto* found = button(accessibleName);
        return found && found->isEnabled() ? found : nullptr;
    }
    void press(const QString& accessibleName)
    {
        QVERIFY(waitFor([&] { return usable(accessibleName) != nullptr; }, kInstallMs));
        usable(accessibleName)->setFocus();
        QTest::keyClick(usable(accessibleName), Qt::Key_Space);
    }
    /// By the keyboard: Enter agrees.
    void install()
    {
        press(QStringLiteral("Install Tiny"));
        auto* asked = dialog();
        QVERIFY(asked);
        QVERIFY(says(*asked, QStringLiteral("MIT")));
        auto* wheels = shown<QLineEdit>(
            *asked, [](const QLineEdit& each) { return each.accessibleName() == QStringLiteral("Folder of wheels"); });
        QVERIFY(wheels);
        wheels->setText(QString::fromStdString((folder() / "wheels").string()));
        QTest::keyClick(wheels, Qt::Key_Return);
    }
};

} // namespace

class SystemsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aSystemIsInstalledCheckedAndRemoved()
    {
        SystemsFixture fixture;
        QVERIFY(makeTinyPackage(fixture.folder() / "wheels", TinyPackage::wheel));
        fixture.show({1280, 1400});
        fixture.go(PageId::sites);
        QVERIFY(waitFor([&] { return fixture.usable(QStringLiteral("Install Tiny")) != nullptr; }, kInstallMs));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-systems")), QStringList());
        fixture.press(QStringLiteral("Install MXNet"));
        auto* asked = fixture.dialog();
        QVERIFY(asked);
        QCOMPARE(lookAt(*asked, QStringLiteral("sites-install")), QStringList());
        asked->reject();
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));

        fixture.install();
        QVERIFY(waitFor([&] { return fixture.showsNow(QStringLiteral("Installing tinysystem")); }, kInstallMs));
        QVERIFY(!fixture.usable(QStringLiteral("Install MXNet"))); // one thing at a time
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-systems-installing")), QStringList());
        QVERIFY(waitFor([&] { return fixture.usable(QStringLiteral("Check Tiny")) != nullptr; }, kInstallMs));
        QVERIFY(fixture.showsNow(QStringLiteral("1.4.0")));

        fixture.press(QStringLiteral("Check Tiny"));
        QVERIFY(waitFor([&] { return fixture.showsNow(QStringLiteral("losses equal")); }, kInstallMs));
        QVERIFY(waitFor([&] { return fixture.usable(QStringLiteral("Check Tiny")) != nullptr; }, kInstallMs));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-systems-checked")), QStringList());

        fixture.press(QStringLiteral("Remove Tiny"));
        auto* confirm = fixture.dialog();
        QVERIFY(confirm);
        auto* remove = buttonOf(*confirm, QStringLiteral("Remove it"));
        QVERIFY(remove);
        remove->click();
        QVERIFY(waitFor([&] { return fixture.usable(QStringLiteral("Install Tiny")) != nullptr; }, kInstallMs));
        QVERIFY(!fs::exists(fixture.folder() / "ringside/engines/tiny"));
    }

    void aTableWithoutARecipeIsReadyOrRunByAnInterpreter()
    {
        SystemsFixture fixture;
        fixture.show({1280, 1400});
        fixture.go(PageId::sites);
        QVERIFY(waitFor([&] { return fixture.usable(QStringLiteral("Check plain")) != nullptr; }, kInstallMs));
        QVERIFY(fixture.showsNow(QStringLiteral("It needs no installation.")));
        QVERIFY(!fixture.button(QStringLiteral("Install plain")));
        QVERIFY(!fixture.button(QStringLiteral("Remove plain"))); // nothing is there
        fixture.press(QStringLiteral("Install mine"));
        auto* asked = fixture.dialog();
        QVERIFY(asked);
        const auto field = [&](const QString& name) {
            return shown<QLineEdit>(*asked, [&](const QLineEdit& each) { return each.accessibleName() == name; });
        };
        QVERIFY(!field(QStringLiteral("Folder of wheels")));
        auto* python = field(QStringLiteral("Interpreter"));
        QVERIFY(python);
        python->setText(QStringLiteral("/usr/bin/python3"));
        QTest::keyClick(python, Qt::Key_Return);
        QVERIFY(waitFor([&] { return fixture.usable(QStringLiteral("Remove mine")) != nullptr; }, kInstallMs));
        QVERIFY(fixture.showsNow(QStringLiteral("It is run by /usr/bin/python3.")));
    }

    void aWindowThatOnlyReadsDoesNotKnowWhatIsInstalled()
    {
        SystemsFixture fixture;
        const auto writer = store::Database::openForWriting(fixture.store());
        QVERIFY(writer.has_value());
        fixture.show({1280, 1400});
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::reading; }));
        fixture.go(PageId::sites);
        QVERIFY(fixture.reads(QStringLiteral("a window that only reads does not ask what is installed")));
        const auto isSaid = [&](const char* state) {
            return shown<IconLabel>(fixture.page(), [&](const IconLabel& icon) {
                       return icon.accessibleName() == QLatin1String(state);
                   }) != nullptr;
        };
        QVERIFY(waitFor([&] { return isSaid("not known"); }));
        QVERIFY(!isSaid("not installed"));
    }

    void modulesAreLoadedForAnInstallation()
    {
        SystemsFixture fixture;
        fixture.show({1280, 1400});
        fixture.go(PageId::sites);
        for (const QString& name : {QStringLiteral("Tiny"), QStringLiteral("mine")}) {
            fixture.press(QStringLiteral("Install ") + name);
            auto* asked = fixture.dialog();
            QVERIFY(asked);
            auto* modules = shown<QLineEdit>(
                *asked, [](const QLineEdit& each) { return each.accessibleName() == QStringLiteral("Modules"); });
            QVERIFY(modules);
            modules->setText(QStringLiteral(" absent/%1  other/2 ").arg(name));
            QTest::keyClick(modules, Qt::Key_Return);
            QVERIFY(fixture.reads(QStringLiteral("The modules absent/%1, other/2 cannot be loaded").arg(name)));
        }
    }

    void whatIsCleanedUpIsNoLongerShownAsInstalled()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        sshd.trust();
        SystemsFixture fixture;
        fixture.describeAlder(sshd);
        const fs::path engine = fixture.folder() / "there/engines/mine";
        fs::create_directories(engine);
        QVERIFY(writeInstalledEngine(engine, {.version = "1.0", .python = "/usr/bin/python3"}).has_value());
        fixture.show({1280, 1400});
        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(waitFor([&] { return fixture.usable(QStringLiteral("Remove mine")) != nullptr; }, kInstallMs));
        QVERIFY(fixture.testEnds());
        fixture.action(ActionId::cleanSite).trigger();
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        auto* remove = shown<QPushButton>(
            *dialog, [](const QPushButton& each) { return each.text().startsWith(QStringLiteral("Delete ")); });
        QVERIFY(remove);
        remove->click();
        QVERIFY(fixture.reads(QStringLiteral("freed on alder")));
        QVERIFY(!fs::exists(engine));
        QVERIFY(fixture.button(QStringLiteral("Install mine"))); // usable with the next contact: the agent has gone, too
        QVERIFY(!fixture.button(QStringLiteral("Remove mine")));
    }

    void anInstallationIsCancelled()
    {
        SystemsFixture fixture(Appearance::dark);
        QVERIFY(writeFileAtomically(fixture.folder() / "hold", ""));
        QVERIFY(makeTinyPackage(fixture.folder() / "wheels", TinyPackage::source, fixture.folder() / "hold"));
        fixture.show({1280, 1400});
        fixture.go(PageId::sites);
        fixture.install();
        QVERIFY(waitFor(
            [&] {
                return fixture.showsNow(QStringLiteral("Preparing metadata")) ||
                       fixture.showsNow(QStringLiteral("Building wheel"));
            },
            kInstallMs));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-systems-installing-dark")), QStringList());
        auto* cancel = buttonOf(fixture.page(), QStringLiteral("Cancel"));
        QVERIFY(cancel);
        cancel->setFocus();
        QTest::keyClick(cancel, Qt::Key_Space);
        QVERIFY(waitFor([&] { return fixture.usable(QStringLiteral("Install Tiny")) != nullptr; }, kInstallMs));
        QVERIFY(!fs::exists(fixture.folder() / "ringside/engines/tiny/engine.json"));
    }

    void aCheckUnderWayHoldsUpNeitherAnotherWindowNorTheEnd()
    {
        auto fixture = std::make_unique<SystemsFixture>();
        fixture->show({1280, 1400});
        fixture->go(PageId::sites);
        fixture->press(QStringLiteral("Check slow"));
        QVERIFY(waitFor([&] { return fixture->reads(QStringLiteral("✓ Interpreter")); }, kPatienceMs));
        QElapsedTimer time;
        time.start();
        fixture->reopen(); // as another language does
        QVERIFY2(time.elapsed() < 15'000, qPrintable(QString::number(time.elapsed())));
        fixture.reset();
        QVERIFY2(time.elapsed() < kPatienceMs, qPrintable(QString::number(time.elapsed())));
    }

    void aCheckThatAsksAPersonEndsWithTheSession()
    {
        auto session = std::make_unique<Session>(Programs{});
        QSemaphore isAsking;
        std::optional<bool> isTrusted;
        session->checks().post([&, &questions = session->questions()] {
            isAsking.release();
            isTrusted = questions.trustHostKey({}).value_or(false);
        });
        isAsking.acquire();
        session.reset();
        QCOMPARE(isTrusted, std::optional(false));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::SystemsTest)
#include "test_systems.moc"
