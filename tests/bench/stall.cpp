// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window's thread does not answer while 20,000 samples/s arrive on the page that shows them.
// A probe posts an event every 2 ms; its delay until it is handled is the stall that a user would feel.
#include "app/pages/pages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/mainwindow.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "tests/app/support/livefeed.h"
#include "tests/support/temporaryfolder.h"

#include <QApplication>
#include <QTimer>
#include <algorithm>
#include <fmt/format.h>
#include <thread>

using namespace ringside;

namespace {

constexpr std::chrono::seconds kLength{20};
constexpr std::chrono::milliseconds kProbe{2};

} // namespace

int main(int argc, char** argv)
{
    if (!environment("DISPLAY") && !environment("WAYLAND_DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const test::TemporaryFolder folder;
    Preferences preferences(QString::fromStdString((folder / "settings.ini").string()));
    Session session(Programs::beside(folder.path()));
    ThemeController theme;
    theme.apply(Appearance::light, FontChoice::ringside, 1);
    MainWindow window(session, preferences, theme, allPages());
    window.resize(1280, 800);
    window.show();
    window.go({PageId::monitor, QStringLiteral("bench"), {}, {}, {}});

    std::vector<double> delaysMs;
    std::optional<test::LiveFeed> feed;
    std::jthread prober;
    QTimer::singleShot(1000, &application, [&] {
        feed.emplace(session.live(), "bench");
        prober = std::jthread([&](std::stop_token stop) {
            while (!stop.stop_requested()) {
                const std::int64_t sent = monotonicNs();
                QMetaObject::invokeMethod(
                    &application, [&delaysMs, sent] { delaysMs.push_back(double(monotonicNs() - sent) / 1e6); },
                    Qt::QueuedConnection);
                std::this_thread::sleep_for(kProbe);
            }
        });
    });
    QTimer::singleShot(1000 + std::chrono::milliseconds(kLength).count(), &application, [&] {
        prober.request_stop();
        application.quit();
    });
    application.exec();
    feed.reset();
    prober = {};
    std::sort(delaysMs.begin(), delaysMs.end());
    const auto at = [&](double p) { return delaysMs[std::size_t(p * double(delaysMs.size() - 1))]; };
    fmt::print("window.stall_p99 {:.1f} ms 16  # median {:.1f}, longest {:.1f}; {} samples/s for {} s, {} probes\n",
               at(0.99), at(0.5), delaysMs.back(), test::LiveFeed::kSamplesPerSecond, kLength.count(), delaysMs.size());
    return 0;
}
