// SPDX-License-Identifier: GPL-3.0-or-later
// The stalls of the window's thread while 20,000 samples/s arrive on the page that shows them.
#include "app/pages/pages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/mainwindow.h"
#include "core/base/environment.h"
#include "tests/app/support/livefeed.h"
#include "tests/bench/support/numbers.h"
#include "tests/bench/support/stallprobe.h"
#include "tests/support/temporaryfolder.h"

#include <QApplication>
#include <QTimer>
#include <fmt/format.h>

using namespace ringside;
using namespace ringside::bench;

namespace {

constexpr std::chrono::seconds kLength{20};

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

    StallProbe probe;
    std::optional<test::LiveFeed> feed;
    QTimer::singleShot(1000, &application, [&] {
        feed.emplace(session.live(), "bench");
        probe.start();
    });
    QTimer::singleShot(1000 + std::chrono::milliseconds(kLength).count(), &application, &QApplication::quit);
    application.exec();
    probe.stop();
    feed.reset();
    const auto& delaysMs = probe.delaysMs();
    fmt::print("window.stall_p99 {:.1f} ms 16  # median {:.1f}, longest {:.1f}; {} samples/s for {} s, {} probes\n",
               quantile(delaysMs, 0.99), median(delaysMs), quantile(delaysMs, 1), test::LiveFeed::kSamplesPerSecond,
               kLength.count(), delaysMs.size());
    return 0;
}
