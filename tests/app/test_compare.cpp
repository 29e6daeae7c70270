// SPDX-License-Identifier: GPL-3.0-or-later
// Choices that Compare offers, in a window on a store with measured runs.
#include "app/charts/figureview.h"
#include "app/figures/panels.h"
#include "app/pages/compare/choicebar.h"
#include "app/pages/compare/comparemodel.h"
#include "app/pages/compare/facetmodel.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "core/planning/planning.h"
#include "core/report/analyse.h"
#include "core/report/tableforms.h"
#include "core/spec/calibration.h"
#include "core/spec/schema.h"
#include "core/spec/systems.h"
#include "core/store/edits.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/pseudolanguage.h"
#include "tests/app/support/windowfixture.h"
#include "tests/report/support/lab.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLocale>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <SQLiteCpp/Database.h>
#include <algorithm>
#include <fmt/format.h>

namespace ringside::test {

namespace {

const QString kCalibration = QStringLiteral("calibration-local");
const QString kMeasured = QString::fromLatin1(kMeasuredExperiment);

/// A window that shows a figure of the measured experiment.
struct Compared : WindowFixture
{
    explicit Compared(const char* figure)
    {
        fillStore();
        show();
        showFigure(figure);
    }

    void showFigure(const char* figure) { go(PageId::compare, kMeasured, QString::fromLatin1(figure)); }
    QTableView& table() { return *window().currentPage()->findChild<QTableView*>(); }
};

bool isOffered(WindowFixture& fixture)
{
    return shown<QComboBox>(*fixture.window().currentPage(),
                            [](const QComboBox& combo) { return combo.findText(kCalibration) >= 0; }) != nullptr;
}

void addCalibration(const fs::path& path)
{
    auto db = store::Database::openForWriting(path);
    QVERIFY(db.has_value());
    const auto edit = editOf(spec::calibrationExperiment("local", {}, 1), {"local"});
    QVERIFY(edit.has_value());
    QVERIFY(store::saveExperiment(*db, *edit).has_value());
}

report::FigureData figureOfSeries(int count)
{
    report::FigureData figure;
    auto& panel = figure.as<report::Points>()->panels.emplace_back();
    for (int i = 0; i < count; ++i)
        panel.series.push_back(
            {fmt::format("plan {}", i), std::min(i, report::kSeriesColours), false, {report::Point{}}});
    return figure;
}

QAction* actionNamed(const QToolButton& button, const QString& text)
{
    const QList<QAction*> actions = button.menu()->actions();
    const auto found = std::ranges::find(actions, text, &QAction::text);
    return found == actions.end() ? nullptr : *found;
}

QComboBox* choiceOf(const ChoiceBar& bar, const char* name)
{
    const auto choices = bar.findChildren<QComboBox*>();
    const auto found = std::ranges::find(choices, QString::fromLatin1(name), &QComboBox::accessibleName);
    return found == choices.end() ? nullptr : *found;
}

/// As a user does.
void choose(QComboBox& choice, const char* key)
{
    choice.setCurrentIndex(choice.findData(QString::fromLatin1(key)));
    Q_EMIT choice.activated(choice.currentIndex());
}

/// The table that the command line prints of the measured experiment.
report::Table printedTable(const fs::path& store)
{
    const auto db = store::Database::openForReading(store);
    const auto measured = report::loadMeasured(db.value(), kMeasuredExperiment);
    report::AnalysisRequest request;
    request.kind = &report::kThroughput;
    request.compare.experiment = measured.value().experiment;
    return report::analyse(*db, *measured, request).value().table;
}

QString textsOf(const QAbstractItemModel& table)
{
    QStringList texts;
    for (int row = 0; row < table.rowCount(); ++row)
        for (int column = 0; column < table.columnCount(); ++column)
            texts << table.index(row, column).data().toString();
    return texts.join(u'|');
}

/// A run of two ranks, read from a log that states these settings, too.
store::MeasuredRun importedRun(store::MeasuredRun run, const Settings& told)
{
    Settings settings = {{"ranks", Value(std::int64_t{2})}, {"plan", Value(std::string(spec::kOwnPlan))}};
    settings.insert(told.begin(), told.end());
    run.row.id = RunId::random();
    run.row.kind = RunKind::imported;
    run.row.settings = settings;
    run.ranks.resize(2, run.ranks.front());
    run.row.configurationKey = "imported";
    return run;
}

/// So that its experiment can be deleted.
void endCampaigns(const fs::path& path)
{
    auto db = store::Database::openForWriting(path);
    QVERIFY(db.has_value());
    const auto unfinished = store::campaigns(*db, true);
    QVERIFY(unfinished.has_value());
    for (const store::CampaignRow& campaign : *unfinished)
        QVERIFY(store::setStage(*db, campaign.id, campaign::Stage::ended).has_value());
}

QModelIndex levelNamed(const FacetModel& facets, const std::string& name)
{
    const auto flags = Qt::MatchExactly | Qt::MatchRecursive;
    return facets.match(facets.index(0, 0), Qt::DisplayRole, toQt(name), 1, flags).value(0);
}

} // namespace

class CompareTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aCalibrationIsNotCompared()
    {
        WindowFixture fixture;
        fixture.fillStore();
        addCalibration(fixture.store());
        fixture.show();
        fixture.go(PageId::compare);
        QVERIFY(!isOffered(fixture));
        fixture.go(PageId::compare, kCalibration, QStringLiteral("throughput"));
        QVERIFY(isOffered(fixture)); // who asks for it gets an answer
        for (const char* show : {"throughput", "timeline"}) {
            fixture.go(PageId::compare, kCalibration, QString::fromLatin1(show));
            QVERIFY(waitFor([&] {
                return says(*fixture.window().currentPage(), QStringLiteral("trains nothing that could be compared"));
            }));
            QVERIFY(!says(*fixture.window().currentPage(), QStringLiteral("images/s")));
            QVERIFY(!fixture.window().actions()[ActionId::exportFigure]->isEnabled());
        }
    }

    void whereAllRunsAreLeftOutItIsSaidWhyAndWhatToDo()
    {
        WindowFixture fixture;
        fixture.fillStore();
        {
            auto db = store::Database::openForWriting(fixture.store());
            QVERIFY(db.has_value());
            db->handle().exec("UPDATE attempts SET flags = '[\"nan\"]'");
        }
        fixture.show();
        fixture.go(PageId::compare, kMeasured, QStringLiteral("throughput"));
        const QWidget& page = *fixture.window().currentPage();
        QVERIFY(waitFor([&] {
            return says(page, QStringLiteral("All %1 finished runs of “%2” are left out: loss not a number (%1).")
                                  .arg(QString::number(kMeasuredDone), kMeasured));
        }));
        QVERIFY(says(page, QStringLiteral("tick “Done, loss is NaN”")));
        buttonOf(page, QStringLiteral("Show all runs again"))->click();
        QVERIFY(waitFor([&] { return fixture.window().actions()[ActionId::exportFigure]->isEnabled(); }));
        QVERIFY(!says(page, QStringLiteral("are left out")));
    }

    void whatIsNotToldStandsBesideThePhases()
    {
        WindowFixture fixture;
        {
            auto db = store::Database::openForWriting(fixture.store());
            QVERIFY(db.has_value());
            QVERIFY(addMeasuredExperiment(*db, fixture.folder() / "ringside", {"alexnet"},
                                          {Phase::forward, Phase::backward}));
        }
        fixture.show();
        fixture.go(PageId::compare, kMeasured, QStringLiteral("phases"));
        const QWidget& page = *fixture.window().currentPage();
        QVERIFY(waitFor([&] { return says(page, QStringLiteral("are together in “Not told”")); }));
        const auto key = figures::painterOf(stacksOf(page.findChild<FigureView*>()->figure()))->keyEntries();
        QCOMPARE(std::ranges::count(key, QStringLiteral("Not told"), &figures::KeyEntry::text), 1);
        const QAbstractItemModel& table = *page.findChild<QTableView*>()->model();
        QStringList heads;
        for (int column = 0; column < table.columnCount(); ++column)
            heads << table.headerData(column, Qt::Horizontal).toString().simplified();
        QVERIFY2(heads.contains(QStringLiteral("Not told")), qPrintable(heads.join(u'|')));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("compare-phases-not-told")));
    }

    void whatIsCopiedHasTheNumbersOfFilesWhateverTheLocale()
    {
        const auto restore = qScopeGuard([before = QLocale()] { QLocale::setDefault(before); });
        QLocale::setDefault(QLocale(QLocale::German));
        Compared fixture("throughput");
        const Actions& actions = fixture.window().actions();
        QVERIFY(waitFor([&] { return actions[ActionId::copyTable]->isEnabled(); }));
        const QString seen = textsOf(*fixture.table().model());
        QVERIFY2(seen.contains(QRegularExpression(QStringLiteral("\\d,\\d"))), qPrintable(seen));
        const report::Table printed = printedTable(fixture.store());
        for (const report::TableForm& form : report::tableForms()) {
            actions[copyTableAs(form)]->trigger();
            QCOMPARE(QApplication::clipboard()->text(), toQt(form.write(printed)));
        }
        actions[ActionId::copy]->trigger();
        QCOMPARE(QApplication::clipboard()->text(), toQt(written("tsv", printed)));
    }

    void allFormsOfTablesAreOfferedByTheButtonAndTheMenu()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::compare);
        const Actions& actions = fixture.window().actions();
        const QPushButton* button = buttonOf(*fixture.window().currentPage(), QStringLiteral("Copy"));
        QVERIFY(button && button->menu());
        const QMenu* file = fixture.window().menuBar()->actions().front()->menu();
        for (const report::TableForm& form : report::tableForms()) {
            QAction* action = actions[copyTableAs(form)];
            QCOMPARE(action->text(), QString::fromUtf8(form.action));
            QVERIFY2(button->menu()->actions().contains(action), qPrintable(action->text()));
            QVERIFY2(file->actions().contains(action), qPrintable(action->text()));
        }
    }

    void whatDiffersFromTheFastestIsSaidInTheLanguageOfTheWindow()
    {
        const report::TableCell cell{"slower", 0.002, false, "p = 0.002", {"batch_per_rank"}};
        QCOMPARE(cell.text(), std::string("slower, p = 0.002, differs in batch per rank, too"));
        QCOMPARE(shownText(cell), QString::fromStdString(cell.text()));
        PseudoLanguage language;
        QCoreApplication::installTranslator(&language);
        const QString text = shownText(cell);
        QCoreApplication::removeTranslator(&language);
        QVERIFY2(!text.contains(QStringLiteral("differs in")) && text.contains(QStringLiteral("p = 0.002")),
                 qPrintable(text));
    }

    void theChoicesNameWhatIsDrawnOnceWhatWasChosenDoesNotVaryAnyMore()
    {
        report::CompareRequest request;
        request.experiment = plansExperiment({2, 4});
        const auto runs = measure(request.experiment, usualMeasurement);
        ChoiceBar bar;
        bar.offer(*report::compare(runs, request), request.experiment, *request.kind);
        const QComboBox *x = choiceOf(bar, "x axis"), *series = choiceOf(bar, "Series");
        choose(*choiceOf(bar, "x axis"), "model");
        choose(*choiceOf(bar, "Series"), "plan");
        bar.offer(*report::compare(runs, request), request.experiment, *request.kind);
        QCOMPARE(series->currentData().toString(), QStringLiteral("plan"));
        request.leftOut = {{"plan", {Value("one")}}}; // then all that is left has the other one
        bar.offer(*report::compare(runs, request), request.experiment, *request.kind);
        QCOMPARE(x->currentData().toString(), QStringLiteral("model"));
        QCOMPARE(series->currentData().toString(), QStringLiteral("ranks"));
        request.leftOut.clear(); // the choice comes back with what was chosen
        bar.offer(*report::compare(runs, request), request.experiment, *request.kind);
        QCOMPARE(series->currentData().toString(), QStringLiteral("plan"));
        choose(*choiceOf(bar, "x axis"), "plan");
        request.leftOut = {{"plan", {Value("one")}}};
        bar.offer(*report::compare(runs, request), request.experiment, *request.kind);
        QCOMPARE(x->currentData().toString(), QStringLiteral("ranks"));
    }

    void theChosenBaseCaseIsNamedUntilAnotherOneIsChosen()
    {
        for (const Settings& own : {Settings{{"ranks", Value(std::int64_t{1})}}, Settings()}) {
            report::CompareRequest request;
            request.experiment = plansExperiment({1, 2, 4});
            request.experiment.base = own;
            const auto runs = measure(request.experiment, usualMeasurement);
            ChoiceBar bar;
            const auto offer = [&] {
                request.base = bar.base();
                bar.offer(*report::compare(runs, request), request.experiment, *request.kind);
            };
            offer();
            QComboBox& base = *choiceOf(bar, "Base case");
            const QString two = base.itemText(1);
            base.setCurrentIndex(1);
            QVERIFY((bar.base() == Settings{{"ranks", Value(std::int64_t{2})}}));
            choose(*choiceOf(bar, "x axis"), "model"); // whose levels are offered, not those of the ranks
            offer();
            QCOMPARE(base.currentText(), two);
            QVERIFY(bar.base() == request.base); // that of the figure
            base.setCurrentIndex(0);
            offer();
            QCOMPARE(base.findText(two), -1);
        }
    }

    void whatAnImportBroughtCanBeLeftOut()
    {
        report::CompareRequest request;
        request.experiment = plansExperiment({1, 2}, 6, {"alexnet"});
        request.experiment.factors.erase(request.experiment.factors.begin());
        request.experiment.fixed["model"] = Value("alexnet");
        std::vector<store::MeasuredRun> runs = measure(request.experiment, usualMeasurement);
        const int own = int(runs.size());
        FacetModel facets;
        QAbstractItemModelTester tester(&facets);
        facets.setRuns(request.experiment, runs);
        QCOMPARE(facets.rowCount(), 3); // ranks, plan and state: nothing else varies
        const Settings brought = {{"engine", Value("pytorch")},
                                  {"site", Value("imported")},
                                  {"model", Value("resnet50")},
                                  {"device", Value("cuda")}};
        runs.push_back(importedRun(runs.front(), brought));
        facets.setRuns(request.experiment, runs);
        QCOMPARE(facets.rowCount(), 7);
        QCOMPARE(report::compare(runs, request)->chosen, own + 1);
        for (const auto& [key, level] : brought) {
            const QModelIndex leaf = levelNamed(facets, spec::shownLabelOf(key, level));
            QVERIFY2(leaf.isValid(), key.c_str());
            QCOMPARE(leaf.siblingAtColumn(FacetModel::kCount).data().toString(), QStringLiteral("1"));
            QVERIFY(facets.setData(leaf, Qt::Unchecked, Qt::CheckStateRole));
            request.leftOut = facets.leftOut();
            QVERIFY((request.leftOut == std::map<std::string, std::vector<Value>>{{key, {level}}}));
            QCOMPARE(report::compare(runs, request)->chosen, own);
            facets.setRuns(request.experiment, runs);
            QVERIFY(facets.leftOut() == request.leftOut); // as long as the user says
            facets.tickAll();
        }
    }

    void clearShowsWhatWasShownAtFirst()
    {
        const spec::Experiment experiment = plansExperiment({1, 2});
        FacetModel facets;
        facets.setRuns(experiment, measure(experiment, usualMeasurement));
        QVERIFY(!facets.keepNan());
        facets.tickAll();
        QVERIFY(facets.keepNan());
        facets.restore();
        QVERIFY(!facets.keepNan() && !facets.leaveOutDisturbed());
    }

    void newsOfARunChangesNeitherFoldsNorTheRowChosen()
    {
        Compared fixture("throughput");
        auto* table = &fixture.table();
        auto* facets = fixture.window().currentPage()->findChild<QTreeView*>();
        QVERIFY(waitFor([&] { return table->model()->rowCount() > 1 && facets->model()->rowCount() > 0; }));
        settle();
        table->selectRow(1);
        const QString chosen = table->currentIndex().siblingAtColumn(0).data().toString();
        table->setColumnWidth(0, 321);
        facets->collapse(facets->model()->index(0, 0));
        QSignalSpy resets(table->model(), &QAbstractItemModel::modelReset);
        Q_EMIT fixture.session().live().runsOutdated({kMeasured});
        QVERIFY(waitFor([&] { return !resets.empty(); }));
        settle();
        QCOMPARE(table->selectionModel()->selectedRows().value(0).data().toString(), chosen);
        QCOMPARE(table->columnWidth(0), 321);
        QVERIFY(!facets->isExpanded(facets->model()->index(0, 0)));
    }

    void namesKeepTheirRoomBesideTheMarksOfAnotherFigure()
    {
        Compared fixture("timeline");
        auto* table = &fixture.table();
        const auto hasMarks = [&] { return table->model()->index(0, 0).data(Qt::DecorationRole).isValid(); };
        const auto fits = [&] {
            const QAbstractItemView& view = *table;
            return waitFor([&] { return table->model()->rowCount() > 1 && hasMarks(); }) &&
                   table->columnWidth(0) >= view.sizeHintForColumn(0);
        };
        QVERIFY(waitFor([&] { return table->model()->rowCount() > 1; }));
        fixture.showFigure("speedup");
        QVERIFY(fits());
    }

    void anExperimentThatCannotBeReadLeavesNoFigureOfAnother()
    {
        Compared fixture("throughput");
        const auto* exporting = fixture.window().actions()[ActionId::exportFigure];
        auto* table = &fixture.table();
        QVERIFY(waitFor([&] { return exporting->isEnabled() && table->model()->rowCount() > 0; }));
        {
            SQLite::Database db(fixture.store(), SQLite::OPEN_READWRITE, 10'000);
            QVERIFY(db.exec("UPDATE revisions SET toml = 'no experiment' WHERE experiment = "
                            "(SELECT id FROM experiments WHERE name = 'first-light')") > 0);
        }
        fixture.go(PageId::compare, QStringLiteral("first-light"), QStringLiteral("throughput"));
        QVERIFY(waitFor([&] { return !exporting->isEnabled() && table->model()->rowCount() == 0; }));
    }

    void aBaseCaseGoesWithTheExperimentThatItWasChosenFor()
    {
        WindowFixture fixture;
        fixture.fillStore();
        endCampaigns(fixture.store());
        fixture.show();
        fixture.go(PageId::compare, kMeasured, QStringLiteral("speedup"));
        auto* bar = fixture.window().currentPage()->findChild<ChoiceBar*>();
        const auto shown = [&] { return fixture.window().currentPage()->windowName(); };
        QVERIFY(waitFor([&] { return shown() == kMeasured; }));
        QComboBox* base = choiceOf(*bar, "Base case");
        QVERIFY(base && base->count() > 1);
        bar->chooseBase(base->count() - 1);
        settle();
        QVERIFY(bar->base());
        std::optional<Result<void>> deleted;
        fixture.session().request(&fixture.window(),
                                  calling(&Conductor::deleteExperiment, std::string(kMeasuredExperiment)),
                                  [&](const Result<void>& result) { deleted = result; });
        QVERIFY(waitFor([&] { return deleted.has_value(); }));
        QVERIFY2(deleted->has_value(), deleted->has_value() ? "" : deleted->error().text().c_str());
        QVERIFY(waitFor([&] { return shown() != kMeasured; }));
        settle();
        QVERIFY2(!bar->base(), "that of the next experiment is its own");
    }

    void aWindowThatOnlyReadsComparesWhatAnotherProgramWrites()
    {
        WindowFixture fixture;
        fixture.fillStore();
        auto writer = store::Database::openForWriting(fixture.store());
        QVERIFY(writer.has_value());
        fixture.show();
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::reading; }));
        fixture.go(PageId::compare, kMeasured, QStringLiteral("throughput"));
        const QWidget& page = *fixture.window().currentPage();
        QVERIFY(waitFor([&] { return page.findChild<QTableView*>()->model()->rowCount() > 0; }));
        writer->handle().exec("UPDATE attempts SET flags = '[\"nan\"]'");
        QVERIFY(waitFor([&] { return says(page, QStringLiteral("are left out: loss not a number")); }, 60'000));
    }

    void theUserChoosesWhichSeriesAreInColour()
    {
        ChoiceBar bar;
        QSignalSpy changed(&bar, &ChoiceBar::layoutChanged);
        bar.offerColours(figureOfSeries(9));
        auto* button = bar.findChild<QToolButton*>();
        QVERIFY(!button->isHidden());
        QVERIFY(!actionNamed(*button, QStringLiteral("plan 8"))->isEnabled()); // all colours are taken
        actionNamed(*button, QStringLiteral("plan 2"))->trigger();
        QCOMPARE(changed.size(), 1);
        const std::vector<std::string> coloured = bar.request().coloured;
        QCOMPARE(coloured.size(), std::size_t{6});
        QCOMPARE(std::ranges::count(coloured, "plan 2"), 0);
        bar.offerColours(figureOfSeries(7));
        QVERIFY(button->isHidden());
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::CompareTest)
#include "test_compare.moc"
