// SPDX-License-Identifier: MIT
// The engines that the editor's form offers: with their versions where the experiment's site has them, and with what to
// do where it does not.
#include "app/pages/editor/experimentform.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "core/base/findprogram.h"
#include "core/protocol/installedengine.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/sitesfixture.h"
#include "tests/support/lenetexperiment.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>
#include <QTest>
#include <algorithm>

namespace ringside::test {

namespace {

const QString kInstalled = QStringLiteral("MXNet 1.9.1"), kMissing = QStringLiteral("MXNet (not installed)"),
              kUnknown = QStringLiteral("MXNet");

struct EnginesFixture : SitesFixture
{
    /// Below this computer's folder, or below that of alder.
    void install(const fs::path& root, const std::string& engine, const std::string& version)
    {
        const fs::path there = folder() / root / "engines" / engine;
        fs::create_directories(there);
        QVERIFY(writeInstalledEngine(there, {.version = version, .python = findProgram("python3")}).has_value());
    }
    void open(const std::string& factors)
    {
        window().go({.page = PageId::editor, .toml = toQt(lenetExperiment("engines", factors, 5, 8))});
    }
    ExperimentForm& form() { return *window().currentPage()->findChild<ExperimentForm*>(); }
    template <class Field> Field& field(const char* name)
    {
        return *shown<Field>(form(),
                             [&](const Field& each) { return each.accessibleName() == QString::fromLatin1(name); });
    }
    QComboBox& engine() { return field<QComboBox>("Engine"); }
    bool offers(const QString& label)
    {
        return waitFor([&] { return engine().findText(label) >= 0; }, kPatienceMs);
    }
    /// As a hand does.
    static void pick(QComboBox& combo, const QString& word)
    {
        combo.setCurrentIndex(combo.findData(word));
        Q_EMIT combo.activated(combo.currentIndex());
    }
    /// The level that is held constant, as it would be stored.
    std::string engineHeld()
    {
        const Settings& fixed = form().draft().experiment.fixed;
        return fixed.contains("engine") ? toText(fixed.at("engine")) : "ringside";
    }
};

QString helpOf(const QComboBox& combo, const QString& label)
{
    return combo.itemData(combo.findText(label), Qt::AccessibleDescriptionRole).toString();
}

} // namespace

class EnginesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anInstalledEngineComesFirstAndWithItsVersion()
    {
        EnginesFixture fixture;
        fixture.install("ringside", "mxnet", "1.9.1");
        fixture.install("ringside", "tensorflow", "1.0.0");
        fixture.show();
        fixture.open("ranks = [2]");
        QVERIFY(fixture.offers(kInstalled));
        QComboBox& engine = fixture.engine();
        QCOMPARE(engine.currentText(), QStringLiteral("Ringside"));
        QCOMPARE(engine.findText(QStringLiteral("Ringside")), 0);
        QVERIFY(engine.findText(kInstalled) < engine.findText(QStringLiteral("PyTorch (not installed)")));
        QVERIFY(helpOf(engine, kInstalled).isEmpty());
        QVERIFY(helpOf(engine, QStringLiteral("PyTorch (not installed)"))
                    .contains(QStringLiteral("Install it in Sites, card Systems, or by “ringside-cli engine install "
                                             "pytorch”")));
        const QString old = QStringLiteral("TensorFlow 1.0.0 (install it again)");
        QVERIFY(helpOf(engine, old).contains(QStringLiteral("1.0.0 is installed; the table is for")));
        EnginesFixture::pick(engine, QStringLiteral("mxnet"));
        QCOMPARE(fixture.engineHeld(), std::string("mxnet"));
        QCOMPARE(engine.currentText(), kInstalled);
        settle(); // the options of MXNet come
        QVERIFY(std::ranges::any_of(fixture.form().findChildren<QComboBox*>(), [](const QComboBox* box) {
            return box->accessibleName().contains(QStringLiteral("Key-value store")) &&
                   box->toolTip().endsWith(QStringLiteral("Source of the default: MXNet: kvstore.create"));
        }));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("editor-engines")), QStringList());
    }

    void levelsOfTheFactorAreOfferedAlike()
    {
        EnginesFixture fixture;
        fixture.install("ringside", "mxnet", "1.9.1");
        fixture.show();
        fixture.open("engine = [\"ringside\"]\nranks = [1]");
        QVERIFY(waitFor([&] {
            return shown<QLineEdit>(fixture.form(), [](const QLineEdit& line) {
                       return line.accessibleName() == QStringLiteral("Levels");
                   }) != nullptr;
        }));
        auto& levels = fixture.field<QLineEdit>("Levels");
        const auto offered = [&] {
            QStringList labels;
            const QAbstractItemModel& model = *levels.completer()->model();
            for (int row = 0; row < model.rowCount(); ++row)
                labels << model.index(row, 0).data().toString();
            return labels;
        };
        QVERIFY(waitFor([&] { return offered().contains(kInstalled); }, kPatienceMs));
        QVERIFY(offered().indexOf(kInstalled) < offered().indexOf(QStringLiteral("PyTorch (not installed)")));
        fixture.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        levels.setFocus();
        levels.end(false);
        QTest::keyClicks(&levels, QStringLiteral(", mx"));
        QAbstractItemView* popup = levels.completer()->popup();
        QVERIFY(waitFor([&] { return popup->isVisible(); }));
        QCOMPARE(popup->model()->index(0, 0).data().toString(), kInstalled);
        QTest::keyClick(popup, Qt::Key_Down);
        QTest::keyClick(popup, Qt::Key_Return);
        QVERIFY(levels.text().endsWith(QStringLiteral(", mxnet")));
        const auto isInDraft = [&] { return toQt(fixture.form().draft().factors.front().text) == levels.text(); };
        QVERIFY(waitFor(isInDraft, 2'000)); // what is chosen counts as what is typed
    }

    void theyAreThoseOfTheSite()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        sshd.trust();
        EnginesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.install("there", "mxnet", "1.9.1");
        fixture.show();
        fixture.open("ranks = [1]");
        QVERIFY(fixture.offers(kMissing)); // on this computer
        const auto chooseSite = [&](const char* site) {
            auto& sites = fixture.field<QComboBox>("Site");
            if (waitFor([&] { return sites.findData(QLatin1String(site)) >= 0; }))
                EnginesFixture::pick(sites, QLatin1String(site));
        };
        chooseSite("alder");
        QVERIFY(fixture.offers(kUnknown)); // nothing was asked there

        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(fixture.testEnds());
        fixture.open("ranks = [1]");
        chooseSite("alder");
        QVERIFY(fixture.offers(kInstalled));
        QVERIFY(helpOf(fixture.engine(), QStringLiteral("PyTorch (not installed)"))
                    .contains(QStringLiteral("ringside-cli engine install pytorch --site alder")));
        EnginesFixture::pick(fixture.engine(), QStringLiteral("pytorch"));
        QVERIFY(waitFor([&] { return says(*fixture.window().currentPage(), QStringLiteral("alder has no PyTorch")); }));
        QVERIFY(says(*fixture.window().currentPage(), QStringLiteral("engine install pytorch --site alder")));
        chooseSite("local");
        QVERIFY(fixture.offers(kMissing));

        fixture.install("there", "mxnet", "1.8.0");
        fixture.go(PageId::sites);
        fixture.open("ranks = [1]");
        chooseSite("alder");
        QVERIFY(fixture.offers(QStringLiteral("MXNet 1.8.0"))); // asked again
        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::disconnectSite).trigger();
        fixture.open("ranks = [1]");
        chooseSite("alder");
        QVERIFY(fixture.offers(kUnknown));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::EnginesTest)
#include "test_engines.moc"
