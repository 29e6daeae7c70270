// SPDX-License-Identifier: MIT
// Experiments, files and drafts as the editor opens them.
#include "app/drafts/drafts.h"
#include "app/pages/editor/factorrow.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "core/store/edits.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/built.h"
#include "tests/support/lenetexperiment.h"

#include <QAction>
#include <QDialog>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTest>
#include <latch>

namespace ringside::test {

namespace {

/// With an option that no table here has.
void saveUnread(const fs::path& store)
{
    auto db = store::Database::openForWriting(store);
    QVERIFY(store::saveExperiment(*db, {.name = "unread",
                                        .question = "",
                                        .site = "local",
                                        .repeats = 6,
                                        .toml = "format = 1\nname = \"unread\"\n[fixed]\ngone-system.depth = 3\n",
                                        .cells = {}}));
}

QString editedToml(WindowFixture& fixture)
{
    const auto* toml =
        shown<QPlainTextEdit>(fixture.window(), [](const QPlainTextEdit& each) { return !each.isReadOnly(); });
    return toml ? toml->toPlainText() : QString();
}

QLineEdit* question(WindowFixture& fixture)
{
    return shown<QLineEdit>(fixture.window(),
                            [](const QLineEdit& edit) { return edit.accessibleName() == QStringLiteral("Question"); });
}

/// As a user types: what stands there is replaced.
void askInstead(WindowFixture& fixture, const QString& text)
{
    question(fixture)->setFocus();
    question(fixture)->selectAll();
    QTest::keyClicks(question(fixture), text);
}
/// Lets no question to the store be answered before end().
class SlowStore
{
public:
    explicit SlowStore(Session& session)
    {
        const auto wait = [gate = m_gate](const store::Database&, const std::stop_token&) -> Result<bool> {
            gate->wait();
            return true;
        };
        session.queries().ask(m_job, wait, [](const Result<bool>&) {});
    }
    ~SlowStore() { end(); }
    void end()
    {
        if (!std::exchange(m_hasEnded, true))
            m_gate->count_down();
    }

private:
    std::shared_ptr<std::latch> m_gate = std::make_shared<std::latch>(1);
    bool m_hasEnded = false;
    JobTracker m_job;
};

} // namespace

class OpeningTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anExperimentThatCannotBeReadIsOpenedAsText()
    {
        WindowFixture fixture;
        fixture.fillStore();
        saveUnread(fixture.store());
        fixture.show();
        fixture.go(PageId::editor, QStringLiteral("unread"));
        QVERIFY(waitFor([&] { return says(fixture.window(), QStringLiteral("gone-system")); }));
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("unread"));
        QVERIFY2(editedToml(fixture).contains(QStringLiteral("gone-system")), qPrintable(editedToml(fixture)));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("editor-unreadable")), QStringList());
    }

    void aCopyOfAnExperimentThatCannotBeReadIsOpenedAsText()
    {
        WindowFixture fixture;
        fixture.fillStore();
        saveUnread(fixture.store());
        fixture.show();
        fixture.go(PageId::experiments, QStringLiteral("unread"));
        auto* copy = fixture.window().actions()[ActionId::duplicate];
        QVERIFY(waitFor([&] { return copy->isEnabled(); }));
        copy->trigger();
        QVERIFY(waitFor([&] { return says(fixture.window(), QStringLiteral("gone-system")); }));
        for (const char* written : {"unread-2", "gone-system"})
            QVERIFY2(editedToml(fixture).contains(QLatin1String(written)), qPrintable(editedToml(fixture)));
    }

    void formsOpenedOneAfterAnotherAreLaidOut()
    {
        WindowFixture fixture;
        fixture.show();
        std::vector<QString> texts;
        for (const auto& entry : fs::recursive_directory_iterator(sourceFolder() / "resources" / "experiments"))
            if (entry.path().extension() == ".toml")
                texts.push_back(toQt(readFile(entry.path()).value()));
        QVERIFY(texts.size() > 8);
        QStringList faults;
        for (const QString& text : texts) {
            fixture.window().go({.page = PageId::editor, .toml = text});
            settle();
            (void)QTest::qWaitFor([&] { return overlaps(fixture.window()).isEmpty(); }, 3'000);
            faults << overlaps(fixture.window());
        }
        QCOMPARE(faults, QStringList());
    }

    void aLateAnswerDoesNotReplaceWhatWasOpenedSince()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        SlowStore slow(fixture.session());
        fixture.window().go({.page = PageId::editor, .experiment = QStringLiteral("first-light")});
        fixture.window().actions()[ActionId::newExperiment]->trigger();
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("untitled"));
        slow.end();
        settle();
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("untitled"));
    }

    void aLateAnswerOpensNoLaunchAboveAnotherPage()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        const Target launch{
            .page = PageId::editor, .experiment = QStringLiteral("first-light"), .show = QStringLiteral("launch")};
        fixture.window().go(launch);
        QVERIFY(waitFor([&] { return openDialog(fixture.window()) != nullptr; }));
        openDialog(fixture.window())->reject();
        fixture.go(PageId::experiments);
        SlowStore slow(fixture.session());
        fixture.window().go(launch);
        fixture.window().go({.page = PageId::compare});
        slow.end();
        settle();
        QVERIFY(!openDialog(fixture.window()));
    }

    void aDraftThatCannotBeReadAgainIsKeptAsItsText()
    {
        WindowFixture fixture;
        Drafts drafts(fixture.preferences());
        const DraftOrigin origin{DraftOrigin::Kind::text, QStringLiteral("large")};
        Draft base;
        base.experiment.name = "large";
        Draft draft = base;
        draft.experiment.question = "kept?";
        draft.experiment.runs.seed = 9'999'999'999'999'999'999u; // no integer of TOML
        draft.factors = {{"ranks", "1, 2"}};
        DraftEntry entry;
        drafts.keep(entry, origin, base, draft);
        const auto found = drafts.find(origin, base);
        QVERIFY(found && found->draft.toml);
        for (const char* written : {"kept?", "9999999999999999999", "[1, 2]"})
            QVERIFY2(found->draft.toml->find(written) != std::string::npos, found->draft.toml->c_str());
        QCOMPARE(drafts.all().size(), std::size_t(1));
    }

    void aDraftIsOfItsDatabaseAlone()
    {
        WindowFixture fixture;
        Drafts drafts(fixture.preferences());
        Draft base;
        base.experiment.name = "mine";
        Draft draft = base;
        draft.experiment.question = "here?";
        const auto mine = [&] { return drafts.stored(QStringLiteral("mine")); };
        DraftEntry here, there;
        drafts.keep(here, mine(), base, draft);
        fixture.preferences().setDatabaseFolder(QStringLiteral("/elsewhere"));
        QVERIFY(!drafts.find(mine(), base));
        QCOMPARE(drafts.all().size(), std::size_t(1));
        QVERIFY(!drafts.isOfOpenDatabase(drafts.all().front().origin));
        draft.experiment.question = "there?";
        drafts.keep(there, mine(), base, draft);
        QCOMPARE(drafts.find(mine(), base)->draft.experiment.question, std::string("there?"));
        drafts.forget(mine());
        fixture.preferences().setDatabaseFolder({});
        QCOMPARE(drafts.find(mine(), base)->draft.experiment.question, std::string("here?"));
        QVERIFY(drafts.isOfOpenDatabase(drafts.all().front().origin));
    }

    void whatIsTypedIsADraftBeforeThePageIsLeft()
    {
        WindowFixture fixture;
        fixture.show();
        fixture.go(PageId::editor);
        const Drafts drafts(fixture.preferences());
        askInstead(fixture, QStringLiteral("kept?"));
        QVERIFY(waitFor([&] { return drafts.all().size() == 1; }));
        QCOMPARE(drafts.all().front().draft.experiment.question, std::string("kept?"));
    }

    void aDraftWhoseFactorNoTableHasAnyMoreIsOpenedAsText()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        Draft base;
        base.experiment.name = "first-light";
        Draft draft = base;
        draft.factors = {{"ranks", "1, 2"}, {"gone-system.depth", "3, deep"}};
        Drafts drafts(fixture.preferences());
        DraftEntry entry;
        drafts.keep(entry, drafts.stored(QStringLiteral("first-light")), base, draft);
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        QVERIFY(waitFor([&] { return says(fixture.window(), QStringLiteral("The TOML cannot be read.")); }));
        fixture.window().currentPage()->findChild<QTabBar*>()->setCurrentIndex(2);
        for (const char* written : {"= [1, 2]", "\"gone-system.depth\" = [3, \"deep\"]"})
            QVERIFY2(editedToml(fixture).contains(QLatin1String(written)), qPrintable(editedToml(fixture)));
    }

    void aDraftWhoseConstantNoTableHasAnyMoreIsFoundAsText()
    {
        WindowFixture fixture;
        const QString base = QStringLiteral("format = 1\nname = \"mine\"\n");
        const QString edited = base + QStringLiteral("[fixed]\ngone-system.depth = 3\n");
        const QVariantMap entry{{QStringLiteral("kind"), int(DraftOrigin::Kind::stored)},
                                {QStringLiteral("name"), QStringLiteral("mine")},
                                {QStringLiteral("base"), QStringList{base}},
                                {QStringLiteral("draft"), QStringList{edited, QStringLiteral("ranks"), {}}}};
        fixture.preferences().setWindowValue(QStringLiteral("editor/drafts/1"), entry);
        const Drafts drafts(fixture.preferences());
        const auto found = drafts.find({DraftOrigin::Kind::stored, QStringLiteral("mine")}, {});
        QVERIFY(found && found->draft.toml);
        QVERIFY2(found->draft.toml->find("\"gone-system.depth\" = 3") != std::string::npos, found->draft.toml->c_str());
        QCOMPARE(drafts.all().size(), std::size_t(1));
    }

    void aNewExperimentIsThereAgainThoughDefaultsHaveChanged()
    {
        WindowFixture fixture;
        fixture.show();
        fixture.go(PageId::editor);
        askInstead(fixture, QStringLiteral("of the new one"));
        fixture.go(PageId::experiments);
        fixture.preferences().setRepeats(fixture.preferences().repeats() + 3);
        fixture.go(PageId::editor);
        QCOMPARE(question(fixture)->text(), QStringLiteral("of the new one"));
    }

    void aFileWithTheNameOfAnotherLeavesItsDraftAlone()
    {
        WindowFixture fixture;
        fixture.show();
        const auto open = [&](int repeats) {
            fixture.window().go(
                {.page = PageId::editor, .toml = toQt(lenetExperiment("few", "ranks = [1]", repeats, 8))});
            settle();
        };
        open(5);
        askInstead(fixture, QStringLiteral("of five"));
        open(6);
        QVERIFY(question(fixture)->text().isEmpty());
        fixture.go(PageId::experiments);
        open(5);
        QCOMPARE(question(fixture)->text(), QStringLiteral("of five"));
    }

    void aFactorThatNoTableHasStaysAsItIs()
    {
        WindowFixture fixture;
        const FactorRow row(fixture.theme(), {"gone-system.depth", "3, deep"});
        QVERIFY((row.factor() == DraftFactor{"gone-system.depth", "3, deep"}));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::OpeningTest)
#include "test_opening.moc"
