// SPDX-License-Identifier: GPL-3.0-or-later
// What Compare offers to compare, in a window on a store with measured runs.
#include "app/shell/actions.h"
#include "core/conductor/planning.h"
#include "core/spec/calibration.h"
#include "core/store/edits.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QComboBox>
#include <QTest>

namespace ringside::test {

namespace {

const QString kCalibration = QStringLiteral("calibration-local");

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
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::CompareTest)
#include "test_compare.moc"
