// SPDX-License-Identifier: MIT
// Unsaved input of the editor: it replaces nothing that is stored, and is lost only on demand.
#include "app/drafts/drafts.h"
#include "app/pages/editor/experimentform.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/lenetexperiment.h"

#include <QAction>
#include <QLineEdit>
#include <QTest>
#include <QToolButton>

namespace ringside::test {

namespace {

struct DraftsFixture : WindowFixture
{
    DraftsFixture()
    {
        fillStore();
        show();
    }

    QLineEdit* field(const char* name)
    {
        return shown<QLineEdit>(
            window(), [&](const QLineEdit& edit) { return edit.accessibleName() == QString::fromLatin1(name); });
    }
    QString question() { return field("Question") ? field("Question")->text() : QString(); }

    /// As a user types: what stands there is replaced.
    void ask(const QString& text)
    {
        QVERIFY(field("Question"));
        field("Question")->setFocus();
        field("Question")->selectAll();
        QTest::keyClicks(field("Question"), text);
    }

    QString storedQuestion(const char* experiment)
    {
        const auto db = store::Database::openForReading(store());
        const auto text = store::experimentText(*db, experiment);
        return text ? toQt(spec::parseExperiment(*text)->question) : QString();
    }

    QAction& action(ActionId id) { return *window().actions()[id]; }
};

const QString kExperiment = QStringLiteral("first-light");

} // namespace

class DraftsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aTrialLeavesWhatIsStoredAndWhatIsTyped()
    {
        DraftsFixture fixture;
        fixture.go(PageId::editor, kExperiment);
        const QString stored = fixture.question();
        fixture.ask(QStringLiteral("only tried"));
        const auto* editor = fixture.window().currentPage();
        QVERIFY(waitFor([&] { return fixture.action(ActionId::tryOneRun).isEnabled(); }));
        fixture.action(ActionId::tryOneRun).trigger();
        QVERIFY(waitFor([&] { return fixture.window().currentPage() != editor; }, 60'000));
        QCOMPARE(fixture.storedQuestion("first-light"), stored);
        fixture.go(PageId::editor, kExperiment);
        QCOMPARE(fixture.question(), QStringLiteral("only tried"));
        QVERIFY(fixture.window().currentPage()->hasUnsavedChanges());
    }

    void aFactorThatIsRemovedComesBackWithWhatWasTypedBefore()
    {
        DraftsFixture fixture;
        fixture.go(PageId::editor, kExperiment);
        const auto factors = [&] {
            return fixture.window().currentPage()->findChild<ExperimentForm*>()->draft().factors;
        };
        auto* levels = fixture.field("Levels");
        QVERIFY(levels);
        levels->setFocus();
        QTest::keyClick(levels, Qt::Key_End);
        QTest::keyClicks(levels, QStringLiteral(", vgg11"));
        const std::vector<DraftFactor> typed = factors();
        auto* remove = shown<QToolButton>(fixture.window(), [](const QToolButton& button) {
            return button.accessibleName() == QStringLiteral("Remove factor Plan");
        });
        QVERIFY(remove);
        QTest::mouseClick(remove, Qt::LeftButton);
        QCOMPARE(factors().size(), typed.size() - 1);
        fixture.action(ActionId::undo).trigger();
        QVERIFY(factors() == typed);
    }

    void twoFilesOfOneNameHaveADraftEach()
    {
        DraftsFixture fixture;
        const auto open = [&](int repeats) {
            fixture.window().go(
                {.page = PageId::editor, .toml = toQt(lenetExperiment("few", "ranks = [1]", repeats, 8))});
            settle();
        };
        open(5);
        fixture.ask(QStringLiteral("of five"));
        open(6);
        fixture.ask(QStringLiteral("of six"));
        open(5);
        QCOMPARE(fixture.question(), QStringLiteral("of five"));
        open(6);
        QCOMPARE(fixture.question(), QStringLiteral("of six"));
    }

    void aDraftThatAnotherWindowHasWrittenStays()
    {
        DraftsFixture fixture;
        fixture.go(PageId::editor, kExperiment);
        fixture.ask(QStringLiteral("here?"));
        fixture.go(PageId::experiments);
        Preferences preferences(toQt(fixture.folder() / "settings.ini")); // of the other window
        Drafts others(preferences);
        KeptDraft theirs = others.all().at(0);
        theirs.draft.experiment.question = "there?";
        others.keep(theirs.entry, theirs.origin, theirs.base, theirs.draft);
        QCOMPARE(others.all().size(), std::size_t(1)); // it went on with what it has read
        fixture.window().go({.page = PageId::editor, .toml = toQt(lenetExperiment("few", "ranks = [1]", 5, 8))});
        settle();
        const auto questions = [&] {
            QStringList all;
            for (const KeptDraft& kept : others.all())
                all << toQt(kept.draft.experiment.question);
            all.sort();
            return all.join(QLatin1Char('|'));
        };
        QVERIFY2(questions().contains(QStringLiteral("there?")), qPrintable(questions()));
        fixture.go(PageId::editor, kExperiment);
        fixture.ask(QStringLiteral("here again?"));
        theirs.draft.experiment.question = "there again?";
        others.keep(theirs.entry, theirs.origin, theirs.base, theirs.draft);
        fixture.action(ActionId::save).trigger();
        QVERIFY(waitFor([&] { return fixture.storedQuestion("first-light") == QStringLiteral("here again?"); }));
        settle();
        QVERIFY2(questions().contains(QStringLiteral("there again?")), qPrintable(questions()));
    }

    void theDraftOfADeletedExperimentDoesNotComeBack()
    {
        DraftsFixture fixture;
        Drafts drafts(fixture.preferences());
        fixture.go(PageId::editor, kExperiment);
        fixture.ask(QStringLiteral("gone?"));
        fixture.go(PageId::experiments);
        QCOMPARE(drafts.all().size(), std::size_t(1));
        drafts.forget(drafts.stored(kExperiment)); // as when it is deleted in the list
        fixture.go(PageId::editor, QStringLiteral("aggregation-plans"));
        QCOMPARE(drafts.all().size(), std::size_t(0));
    }

    void aSecondCopyHasANameOfItsOwn()
    {
        DraftsFixture fixture;
        const auto copy = [&] {
            fixture.go(PageId::experiments, kExperiment);
            QVERIFY(waitFor([&] { return fixture.action(ActionId::duplicate).isEnabled(); }));
            fixture.action(ActionId::duplicate).trigger();
            QVERIFY(waitFor([&] { return fixture.field("Question") != nullptr; }));
            settle();
        };
        copy();
        QCOMPARE(fixture.field("Name")->text(), QStringLiteral("first-light-2"));
        fixture.ask(QStringLiteral("of the first copy"));
        copy();
        QCOMPARE(fixture.field("Name")->text(), QStringLiteral("first-light-3"));
        QVERIFY(fixture.question() != QStringLiteral("of the first copy"));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::DraftsTest)
#include "test_drafts.moc"
