// SPDX-License-Identifier: MIT
#include "tests/app/support/settle.h"

#include "tests/support/processstat.h"
#include "tests/support/runningtime.h"

#include <QApplication>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace ringside::test {

namespace {

namespace fs = std::filesystem;

/// By the state that the kernel gives: R is running or about to, D waits for a disk. A thread that has ended sleeps.
bool sleeps(const fs::path& thread)
{
    const auto stat = readProcessStat(thread);
    return !stat || (stat->state != 'R' && stat->state != 'D');
}

bool otherThreadsSleep()
{
    const std::string own = std::to_string(::gettid());
    std::error_code error;
    return std::ranges::all_of(
        fs::directory_iterator("/proc/self/task", error),
        [&](const fs::directory_entry& thread) { return thread.path().filename() == own || sleeps(thread.path()); });
}

bool timerIsDue()
{
    constexpr int kLongest = 1'000; // ms; what waits longer, such as a toast, is no part of settling
    return std::ranges::any_of(QApplication::topLevelWidgets(), [](const QWidget* window) {
        return std::ranges::any_of(window->findChildren<QTimer*>(), [](const QTimer* timer) {
            return timer->isActive() && timer->isSingleShot() && timer->interval() < kLongest;
        });
    });
}

} // namespace

void settle()
{
    // An answer that is on its way between threads leaves all asleep for a moment: one look is not enough.
    constexpr int kQuietLooks = 15;
    constexpr std::chrono::seconds kLimit{10};
    const RunningTime since;
    for (int quiet = 0; quiet < kQuietLooks && since.elapsed() < kLimit;) {
        QTest::qWait(10);
        quiet = otherThreadsSleep() && !timerIsDue() ? quiet + 1 : 0;
    }
}

} // namespace ringside::test
