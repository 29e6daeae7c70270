// SPDX-License-Identifier: GPL-3.0-or-later
// Actions of pages: when they are offered, which keys carry them out, and where their answers lead.
#include "app/session/background.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/lenetexperiment.h"

#include <QAction>
#include <QDialog>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <SQLiteCpp/Database.h>
#include <algorithm>
#include <fmt/format.h>
#include <future>

namespace ringside::test {

class ActionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void workThatHangsHoldsNothingUp()
    {
        std::promise<void> server;
        const auto read = [answer = server.get_future().share()](const std::stop_token&) {
            answer.wait();
            return 1;
        };
        int delivered = 0;
        const auto deliver = [&](int value) { delivered += value; };
        {
            JobTracker closed;
            runApart(closed, read, deliver);
        } // comes back
        JobTracker open;
        runApart(open, read, deliver);
        server.set_value();
        QVERIFY(waitFor([&] { return delivered > 0; }));
        settle();
        QCOMPARE(delivered, 1);
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::ActionsTest)
#include "test_actions.moc"
