// SPDX-License-Identifier: MIT
// Aggregation plans in the editor: chosen with what they do, composed, changed and removed.
#include "app/drafts/draft.h"
#include "app/pages/editor/plancomposer.h"
#include "app/pages/editor/plansdialog.h"
#include "app/text/text.h"
#include "core/spec/plans.h"
#include "core/spec/toml.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"

#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTest>

namespace ringside::test {

namespace {

/// A worker that can do what the first one could.
spec::SiteLimits firstWorker()
{
    spec::SiteLimits site;
    site.features = std::set<std::string>{"collective:none",  "collective:allreduce",    "grouping:one",
                                          "grouping:buckets", "schedule:after_backward", "schedule:overlapped"};
    return site;
}

QListWidgetItem* item(const QDialog& dialog, const QString& plan)
{
    const auto found = dialog.findChild<QListWidget*>()->findItems(plan, Qt::MatchExactly);
    return found.isEmpty() ? nullptr : found.front();
}

template <class Widget> Widget* named(const QWidget& root, const QString& name)
{
    return shown<Widget>(root, [&](const Widget& widget) { return widget.accessibleName() == name; });
}

/// As a user does: from the list, by what stands there.
void choose(const QDialog& dialog, const QString& part, const QString& label)
{
    auto* combo = named<QComboBox>(dialog, part);
    QVERIFY2(combo, qPrintable(part));
    const int row = combo->findText(label);
    QVERIFY2(row >= 0, qPrintable(label));
    combo->setCurrentIndex(row);
    Q_EMIT combo->activated(row);
}

void type(const QDialog& dialog, const QString& field, const QString& text)
{
    auto* line = named<QLineEdit>(dialog, field);
    QVERIFY2(line, qPrintable(field));
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, text);
}

QPushButton* useButton(const QDialog& dialog)
{
    return shown<QPushButton>(dialog, [](const QPushButton& button) { return button.isDefault(); });
}

QString faultsText(const QStringList& faults)
{
    return faults.join(QLatin1Char('\n'));
}

} // namespace

class PlansTest : public QObject
{
    Q_OBJECT

    /// Deletes itself when it is closed.
    struct Open
    {
        explicit Open(const PlanChoice& choice, const spec::SiteLimits& site = {},
                      Appearance appearance = Appearance::light)
            : fixture(appearance)
        {
            fixture.show();
            dialog = new PlansDialog(fixture.theme(), &fixture.window(), choice, site);
            QObject::connect(dialog, &PlansDialog::chosen, dialog, [this](const PlanChoice& c) { chosen = c; });
            dialog->open();
            settle();
        }
        WindowFixture fixture;
        QPointer<PlansDialog> dialog;
        std::optional<PlanChoice> chosen;
    };

private Q_SLOTS:
    void aDraftSaysItsPlansAsItsFormDoes()
    {
        Draft draft;
        QCOMPARE(planChoiceOf(draft).levels, std::vector<std::string>{"buckets"}); // nothing is said
        choosePlans(draft, {{"buckets"}, {}});
        QVERIFY(draft.experiment.fixed.empty() && draft.factors.empty());
        choosePlans(draft, {{"one"}, {}});
        QCOMPARE(planChoiceOf(draft).levels, std::vector<std::string>{"one"});
        QVERIFY(draft.factors.empty());
        choosePlans(draft, {{"one", "ddp"}, {}});
        QVERIFY(draft.experiment.fixed.empty());
        QCOMPARE(draft.factors.size(), std::size_t(1));
        QCOMPARE(draft.factors[0].text, std::string("one, ddp"));
        choosePlans(draft, {{"ddp"}, {}}); // a factor stays one
        QCOMPARE(draft.factors[0].text, std::string("ddp"));
    }

    void presetsAreChosenWithTheirSentenceAndSources()
    {
        Open open({{"one", "buckets"}, {}});
        QVERIFY(item(*open.dialog, QStringLiteral("one"))->checkState() == Qt::Checked);
        auto* horovod = item(*open.dialog, QStringLiteral("horovod"));
        open.dialog->findChild<QListWidget*>()->setCurrentItem(horovod);
        QVERIFY(says(*open.dialog, QStringLiteral("Horovod's since 0.21")));
        QVERIFY(says(*open.dialog, QStringLiteral("operations.cc:519-536")));
        horovod->setCheckState(Qt::Checked);
        QCOMPARE(useButton(*open.dialog)->text(), QStringLiteral("Use 3 plans"));
        open.dialog->findChild<QListWidget*>()->setCurrentItem(item(*open.dialog, QStringLiteral("mxnet")));
        QVERIFY(says(*open.dialog, QStringLiteral("MXNet gives whole arrays a priority")));
        QTest::mouseClick(useButton(*open.dialog), Qt::LeftButton);
        QVERIFY(open.chosen);
        QCOMPARE(open.chosen->levels, (std::vector<std::string>{"one", "buckets", "horovod"}));
        QVERIFY(open.chosen->plans.empty());
    }

    void aPlanIsComposedAndSaysWhatItDoesAndWhyItCannotBe()
    {
        Open open({{"one"}, {}});
        QTest::mouseClick(buttonOf(*open.dialog, QStringLiteral("Compose a plan")), Qt::LeftButton);
        QCOMPARE(named<QLineEdit>(*open.dialog, QStringLiteral("Name of the plan"))->text(), QStringLiteral("my-one"));
        type(*open.dialog, QStringLiteral("Name of the plan"), QStringLiteral("mine"));
        QVERIFY(item(*open.dialog, QStringLiteral("mine")));
        choose(*open.dialog, QStringLiteral("Schedule"), QStringLiteral("Priority"));
        QVERIFY(says(*open.dialog, QStringLiteral("has nothing to put in order")));
        QVERIFY(!useButton(*open.dialog)->isEnabled());
        choose(*open.dialog, QStringLiteral("Grouping"), QStringLiteral("Buckets"));
        type(*open.dialog, QStringLiteral("Other buckets"), QStringLiteral("4 MB"));
        QVERIFY(says(*open.dialog, QStringLiteral("Other buckets: “4 MB” cannot be read.")));
        QVERIFY(!useButton(*open.dialog)->isEnabled());
        type(*open.dialog, QStringLiteral("Other buckets"), QStringLiteral("4000000 B"));
        QVERIFY(says(*open.dialog, QStringLiteral("= 4.00\u202fMB")));
        type(*open.dialog, QStringLiteral("Other buckets"), QStringLiteral("4 MiB"));
        QVERIFY(!says(*open.dialog, QStringLiteral("= 4.")));
        choose(*open.dialog, QStringLiteral("Collective"), QStringLiteral("Parameter server"));
        choose(*open.dialog, QStringLiteral("Compression"), QStringLiteral("Top-k"));
        QVERIFY(says(*open.dialog, QStringLiteral("1 server rank on the workers' nodes adds them up and updates the "
                                                  "weights; only the largest 5 % travel")));
        QVERIFY(useButton(*open.dialog)->isEnabled());
        QTest::mouseClick(useButton(*open.dialog), Qt::LeftButton);
        QVERIFY(open.chosen);
        QCOMPARE(open.chosen->levels, (std::vector<std::string>{"one", "mine"}));
        const AggregationPlan& plan = open.chosen->plans.at("mine");
        QCOMPARE(plan.name, std::string("mine"));
        QVERIFY(plan.collective == Collective::parameterServer && plan.schedule == Schedule::priority);
        QCOMPARE(plan.bucketCapBytes, std::uint64_t(4u << 20));
    }

    void ownPlansAreRenamedAndRemoved()
    {
        AggregationPlan small = spec::findBuiltInPlan("buckets")->plan;
        small.name = "small";
        Open open({{"small", "one"}, {{"small", small}}});
        auto* list = open.dialog->findChild<QListWidget*>();
        list->setCurrentItem(item(*open.dialog, QStringLiteral("small")));
        type(*open.dialog, QStringLiteral("Name of the plan"), QStringLiteral("one"));
        QVERIFY(says(*open.dialog, QStringLiteral("another plan is called “one”")));
        type(*open.dialog, QStringLiteral("Name of the plan"), QStringLiteral("a, b"));
        QVERIFY(says(*open.dialog, QStringLiteral("use letters, digits")));
        QVERIFY(!useButton(*open.dialog)->isEnabled());
        list->setCurrentRow(0); // what cannot be is forgotten
        QVERIFY(useButton(*open.dialog)->isEnabled());
        QVERIFY(!buttonOf(*open.dialog, QStringLiteral("Remove"))->isEnabled());
        list->setCurrentRow(list->count() - 1);
        QTest::mouseClick(buttonOf(*open.dialog, QStringLiteral("Remove")), Qt::LeftButton);
        QCOMPARE(useButton(*open.dialog)->text(), QStringLiteral("Use 1 plan"));
        QTest::mouseClick(useButton(*open.dialog), Qt::LeftButton);
        QVERIFY(open.chosen && open.chosen->plans.empty());
        QCOMPARE(open.chosen->levels, std::vector<std::string>{"one"});
    }

    void whatTheWorkerCannotDoIsNotToBeChosen()
    {
        AggregationPlan fused = spec::findBuiltInPlan("horovod")->plan;
        fused.name = "fused";
        Open open({{"one", "fused"}, {{"fused", fused}}}, firstWorker());
        QVERIFY(item(*open.dialog, QStringLiteral("ddp"))->flags() & Qt::ItemIsUserCheckable);
        auto* horovod = item(*open.dialog, QStringLiteral("horovod"));
        QVERIFY(!(horovod->flags() & Qt::ItemIsUserCheckable));
        open.dialog->findChild<QListWidget*>()->setCurrentItem(horovod);
        QVERIFY(says(*open.dialog, QStringLiteral("The worker of this computer cannot do “fusion”")));
        QVERIFY(!useButton(*open.dialog)->isEnabled()); // for the sake of the experiment's own
        open.dialog->findChild<QListWidget*>()->setCurrentItem(item(*open.dialog, QStringLiteral("fused")));
        auto* grouping = named<QComboBox>(*open.dialog, QStringLiteral("Grouping"));
        const auto* items = qobject_cast<QStandardItemModel*>(grouping->model());
        QVERIFY(!items->item(grouping->findText(QStringLiteral("Fusion")))->isEnabled());
        QVERIFY(items->item(grouping->findText(QStringLiteral("Buckets")))->isEnabled());
        choose(*open.dialog, QStringLiteral("Grouping"), QStringLiteral("Buckets"));
        QVERIFY(useButton(*open.dialog)->isEnabled());
    }

    void theEditorKeepsThemInTheExperiment()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        QVERIFY(waitFor([&] { return buttonOf(fixture.window(), QStringLiteral("Plans…")) != nullptr; }));
        QTest::mouseClick(buttonOf(fixture.window(), QStringLiteral("Plans…")), Qt::LeftButton);
        auto* dialog = openDialog(fixture.window());
        QVERIFY(dialog);
        QTest::mouseClick(buttonOf(*dialog, QStringLiteral("Compose a plan")), Qt::LeftButton);
        type(*dialog, QStringLiteral("Name of the plan"), QStringLiteral("mine"));
        choose(*dialog, QStringLiteral("Schedule"), QStringLiteral("Overlapped"));
        QTest::mouseClick(useButton(*dialog), Qt::LeftButton);
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
        const auto levels = [&] {
            return shown<QLineEdit>(fixture.window(), [](const QLineEdit& line) {
                       return line.accessibleName() == QStringLiteral("Levels") &&
                              line.text().endsWith(QStringLiteral(", mine"));
                   }) != nullptr;
        };
        QVERIFY(waitFor(levels));
        fixture.window().currentPage()->findChild<QTabBar*>()->setCurrentIndex(2);
        const auto inToml = [&] {
            return shown<QPlainTextEdit>(fixture.window(), [](const QPlainTextEdit& edit) {
                       return edit.toPlainText().contains(QStringLiteral("[plans.mine]"));
                   }) != nullptr;
        };
        QVERIFY(waitFor(inToml));
    }

    void looks_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void looks()
    {
        QFETCH(bool, dark);
        const QString suffix = dark ? QStringLiteral("-dark") : QStringLiteral("-light");
        Open open({{"one", "buckets"}, {}}, firstWorker(), dark ? Appearance::dark : Appearance::light);
        QStringList faults;
        open.dialog->findChild<QListWidget*>()->setCurrentItem(item(*open.dialog, QStringLiteral("singa-sparse")));
        faults += lookAt(*open.dialog, QStringLiteral("plans-preset") + suffix);
        open.dialog->findChild<QListWidget*>()->setCurrentItem(item(*open.dialog, QStringLiteral("mxnet")));
        QTest::mouseClick(buttonOf(*open.dialog, QStringLiteral("Compose a plan")), Qt::LeftButton);
        faults += lookAt(*open.dialog, QStringLiteral("plans-compose") + suffix);
        QVERIFY2(faults.isEmpty(), qPrintable(faultsText(faults)));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::PlansTest)
#include "test_plans.moc"
