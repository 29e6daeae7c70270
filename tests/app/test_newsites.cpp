// SPDX-License-Identifier: MIT
// The ways to another site that the Sites page offers.
#include "app/pages/sites/hostsdialog.h"
#include "app/shell/democard.h"
#include "app/text/text.h"
#include "core/remote/ssh/configfile.h"
#include "core/sites/sitebook.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/sitesfixture.h"
#include "tests/support/built.h"
#include "tests/support/temporaryfolder.h"

#include <QDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTimer>
#include <QTreeWidget>
#include <fstream>

namespace ringside::test {

namespace {

/// Returns the hosts that an ssh configuration in a home of its own names.
std::vector<ConfiguredHost> hostsIn(const TemporaryFolder& home, const char* text)
{
    fs::create_directories(home / ".ssh");
    std::ofstream(home / ".ssh/config") << text;
    ssh::ConfigPlaces places;
    places.home = home.path();
    places.localUser = "kim";
    places.systemConfig = home / "none";
    return configuredHosts(places).value_or(std::vector<ConfiguredHost>{});
}

Result<void> keepSite(const std::string& name)
{
    Site site;
    site.name = site.host = name;
    return SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.save(site); });
}

/// Opens the menu of "Add site" with `open`, and presses `then` in it; false if no menu opens. Qt's menu has an event
/// loop of its own, so that what is to happen in it is put off until then.
bool pressInMenu(SitesFixture& fixture, Qt::Key open, Qt::Key then, const QString& picture = {})
{
    auto* button = buttonOf(*fixture.window().currentPage(), QStringLiteral("&Add site"));
    if (!button)
        return false;
    bool wasOpen = false;
    QTimer::singleShot(100, button, [&] {
        wasOpen = button->menu()->isVisible();
        if (!picture.isEmpty())
            button->menu()->grab().save(toQt(screenshotFolder() / (picture.toStdString() + ".png")));
        QTest::keyClick(button->menu(), then);
        button->menu()->close();
    });
    button->setFocus();
    QTest::keyClick(button, open);
    settle();
    return wasOpen;
}

} // namespace

class NewSitesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aSiteIsMovedBeforeItsRunsHaveEndedOnlyIfAPersonSaysThatItIsTheSamePlace()
    {
        SitesFixture fixture;
        fixture.fillStore();
        QVERIFY(!submit(fixture.store(), "alder", "4711").empty());
        Site alder;
        alder.name = alder.host = "alder";
        QVERIFY(SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.save(alder); }).has_value());
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        const QString busy = QStringLiteral("Runs of “plans-on-four-ranks” on alder have not ended.");
        const auto asks = [&] { return openDialog(fixture.window()) && says(*openDialog(fixture.window()), busy); };
        const auto save = [&](const char* field, const char* text) {
            fixture.action(ActionId::editSite).trigger();
            fieldOf(*fixture.dialog(), QString::fromLatin1(field))->setText(QString::fromLatin1(text));
            buttonOf(*fixture.dialog(), QStringLiteral("Save"))->click();
        };
        save("Folder there", "elsewhere");
        QVERIFY(waitFor(asks));
        QCOMPARE(lookAt(*fixture.dialog(), QStringLiteral("move-site")), QStringList());
        buttonOf(*fixture.dialog(), QStringLiteral("Change it again"))->click();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()) && !asks(); }));
        QCOMPARE(fieldOf(*fixture.dialog(), QStringLiteral("Folder there"))->text(), QStringLiteral("elsewhere"));
        buttonOf(*fixture.dialog(), QStringLiteral("Save"))->click();
        QVERIFY(waitFor(asks));
        QTest::keyClick(fixture.dialog(), Qt::Key_Return); // the harmless answer
        settle();
        QCOMPARE(siteOfUser("alder")->root, alder.root);
        save("Folder there", "elsewhere");
        QVERIFY(waitFor(asks));
        buttonOf(*fixture.dialog(), QStringLiteral("It is the same place"))->click();
        QVERIFY(waitFor([&] { return siteOfUser("alder")->root == "elsewhere"; }));
        save("Modules", "gcc");
        QVERIFY(waitFor([&] { return siteOfUser("alder")->modules.size() == 1; })); // where they run is the same
        setStages(fixture.store(), "ended");
        save("Folder there", "at another place");
        QVERIFY(waitFor([&] { return siteOfUser("alder")->root == "at another place"; }));
    }

    void theMenuIsReachedByKeys()
    {
        SitesFixture fixture;
        fixture.show();
        fixture.go(PageId::sites);
        auto* button = buttonOf(*fixture.window().currentPage(), QStringLiteral("&Add site"));
        QVERIFY(button);
        QVERIFY(button->focusPolicy() & Qt::TabFocus);
        QVERIFY(pressInMenu(fixture, Qt::Key_Space, Qt::Key_Escape, QStringLiteral("add-site-menu")));
        QVERIFY(!openDialog(fixture.window()));
        QVERIFY(pressInMenu(fixture, Qt::Key_Return, Qt::Key_H));
        QDialog* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(says(*dialog, QStringLiteral("Where can experiments run?")));
    }

    void hostsOfTheConfigurationBecomeSites()
    {
        const TemporaryFolder home;
        const auto hosts =
            hostsIn(home, "Host cedar\n HostName cedar.example.org\n User lee\n ProxyJump gate\nHost elm\n Port 2222\n"
                          "Host birch\nHost *\n ServerAliveInterval 5\nHost x-?\n User nobody\n");
        QCOMPARE(hosts.size(), std::size_t(3)); // patterns are no hosts
        SitesFixture fixture;
        fixture.show();
        std::vector<Site> added;
        chooseHosts(&fixture.window(), fixture.theme(), hosts, {{"elm", QStringLiteral("lab")}},
                    [&](const std::vector<Site>& sites) -> Result<void> {
                        if (sites.size() == 1)
                            return fail(ErrorCode::exists, "There is one.");
                        added = sites;
                        return {};
                    });
        QDialog* dialog = fixture.dialog();
        QVERIFY(dialog);
        auto* list = dialog->findChild<QTreeWidget*>();
        QCOMPARE(list->topLevelItemCount(), 3);
        const auto text = [&](int row, int column) { return list->topLevelItem(row)->text(column); };
        QCOMPARE(QStringList({text(0, 0), text(0, 1), text(0, 2), text(0, 3)}),
                 QStringList(
                     {QStringLiteral("cedar"), QStringLiteral("lee"), QStringLiteral("22"), QStringLiteral("gate")}));
        QCOMPARE(text(1, 2), QStringLiteral("2222"));
        QVERIFY(list->topLevelItem(1)->isDisabled());
        QVERIFY(text(1, 4).contains(QStringLiteral("lab")));
        list->setCurrentItem(list->topLevelItem(0));
        QVERIFY(buttonOf(*dialog, QStringLiteral("Add 1 site")));
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY2(says(*dialog, QStringLiteral("There is one.")), "the dialog stays and says why");
        for (const Qt::Key key : {Qt::Key_Space, Qt::Key_Down, Qt::Key_Space}) // past the one that is a site
            QTest::keyClick(list, key);
        QVERIFY(buttonOf(*dialog, QStringLiteral("Add 2 sites")));
        QCOMPARE(lookAt(*dialog, QStringLiteral("add-sites")), QStringList());
        QTest::keyClick(dialog, Qt::Key_Return);
        QCOMPARE(added.size(), std::size_t(2));
        QCOMPARE(added[0].name, std::string("cedar"));
        QCOMPARE(added[1].host, std::string("birch"));
    }

    void aSiteIsAddedFromAnyPage()
    {
        SitesFixture fixture;
        fixture.show();
        fixture.go(PageId::settings);
        QVERIFY(fixture.action(ActionId::addSite).isEnabled());
        fixture.action(ActionId::addSite).trigger();
        QDialog* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(says(*dialog, QStringLiteral("Where can experiments run?")));
    }

    void aFieldThatCannotBeUnderstoodIsMarkedAndTheFormKeepsItsRoom()
    {
        SitesFixture fixture;
        fixture.show();
        fixture.go(PageId::sites);
        fixture.action(ActionId::addSite).trigger();
        QDialog* dialog = fixture.dialog();
        QVERIFY(dialog);
        const auto lineFor = [&](const char* placeholder) {
            return shown<QLineEdit>(*dialog, [&](const QLineEdit& line) {
                return line.placeholderText().startsWith(QLatin1String(placeholder));
            });
        };
        auto* limit = lineFor("1:00:00");
        QVERIFY(limit && lineFor("alder") && lineFor("kim@"));
        lineFor("alder")->setText(QStringLiteral("alder"));
        lineFor("kim@")->setText(QStringLiteral("alder"));
        limit->setText(QStringLiteral("abc"));
        settle();
        const int before = dialog->height();
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(says(*dialog, QStringLiteral("Time limit: “abc” is no time.")));
        settle();
        QVERIFY(limit->property("invalid").toBool());
        QVERIFY2(dialog->height() > before, "the error takes nothing of the form");
        QCOMPARE(lookAt(*dialog, QStringLiteral("add-site-error")), QStringList());
        limit->setText(QStringLiteral("1:00:00"));
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(!limit->property("invalid").toBool());
    }

    void aSiteThatWasNeverReachedIsNotCalledDisconnected()
    {
        SitesFixture fixture;
        QVERIFY(keepSite("alder"));
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        const auto become = [&](SiteStatus::Contact contact) {
            fixture.session().live().siteChanged({"alder", contact, 1, "no answer"});
            settle();
        };
        QVERIFY2(!fixture.action(ActionId::cleanSite).isEnabled(), "nothing is known of it");
        QVERIFY(fixture.showsNow(QStringLiteral("not tested yet")));
        become(SiteStatus::Contact::lost);
        QVERIFY2(fixture.status().startsWith(QStringLiteral("not reached, ")), qPrintable(fixture.status()));
        become(SiteStatus::Contact::connected);
        become(SiteStatus::Contact::lost);
        QVERIFY2(fixture.status().startsWith(QStringLiteral("disconnected since ")), qPrintable(fixture.status()));
    }

    void theDemoClusterIsOfferedAndChosenWhereItIs()
    {
        if (DemoCard::script().isEmpty())
            QSKIP("tests/cluster is not there.");
        SitesFixture fixture;
        fixture.show();
        fixture.go(PageId::sites);
        QVERIFY(pressInMenu(fixture, Qt::Key_Return, Qt::Key_D));
        QDialog* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(buttonOf(*dialog, QStringLiteral("Start the demo cluster")));
        settle();
        QCOMPARE(lookAt(*dialog, QStringLiteral("add-demo")), QStringList());
        QVERIFY(keepSite("demo"));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QVERIFY(waitFor([&] { return fixture.list().model()->rowCount() == 2; })); // read again once it is closed
        QCOMPARE(fixture.list().currentIndex().row(), 0);
        QVERIFY(pressInMenu(fixture, Qt::Key_Return, Qt::Key_D));
        QVERIFY(waitFor([&] { return fixture.list().currentIndex().data().toString() == QStringLiteral("demo"); }));
        QVERIFY(!openDialog(fixture.window()));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::NewSitesTest)
#include "test_newsites.moc"
