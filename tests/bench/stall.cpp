// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window's thread does not answer while 20,000 samples/s arrive on the page that shows them.
// A probe posts an event every 2 ms; its delay until it is handled is the stall that a user would feel.
#include "app/pages/pages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/mainwindow.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "tests/support/temporaryfolder.h"

#include <QApplication>
#include <QTimer>
#include <algorithm>
#include <fmt/format.h>
#include <thread>

using namespace ringside;

namespace {

constexpr int kRanks = 8;
constexpr int kSamplesPerSecond = 20'000;
constexpr std::chrono::seconds kLength{20};
constexpr std::chrono::milliseconds kPace{10}; // batches as they come from the store
constexpr std::chrono::milliseconds kProbe{2};

store::RunRow makeRun()
{
    store::RunRow run;
    run.id = RunId::random();
    run.number = 1;
    run.experiment = "bench";
    run.site = "local";
    run.factors = {{"model", Value(std::string("resnet50"))},
                   {"ranks", Value(std::int64_t{kRanks})},
                   {"plan", Value(std::string("buckets"))}};
    run.attempt = 1;
    run.state = RunState::running;
    run.iterations = kSamplesPerSecond / kRanks * int(kLength.count());
    run.warmup = 50;
    return run;
}

Sample sampleNumber(std::uint32_t seq)
{
    Sample sample;
    sample.seq = seq;
    sample.startNs = std::int64_t{seq} * 400'000;
    sample.phases = {1'000, 1'000, 120'000, 220'000, 40'000, 15'000, 3'000};
    sample.items = 32;
    return sample;
}

void feed(QtSink& sink, const store::RunRow& run, std::stop_token stop)
{
    std::uint32_t seq = 0;
    const std::uint32_t perBatch = kSamplesPerSecond / kRanks * std::uint32_t(kPace.count()) / 1000;
    auto next = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
        for (int rank = 0; rank < kRanks; ++rank) {
            SampleBatch batch{run.id, 1, rank, {}};
            for (std::uint32_t i = 0; i < perBatch; ++i)
                batch.samples.push_back(sampleNumber(seq + i));
            sink.samplesArrived(batch);
        }
        seq += perBatch;
        std::this_thread::sleep_until(next += kPace);
    }
}

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
    const store::RunRow run = makeRun();
    window.go({PageId::monitor, QStringLiteral("bench"), {}, {}, {}});

    std::vector<double> delaysMs;
    std::jthread feeder, prober;
    QTimer::singleShot(1000, &application, [&] {
        session.live().runsChanged({run});
        feeder = std::jthread([&](std::stop_token stop) { feed(session.live(), run, stop); });
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
        feeder.request_stop();
        prober.request_stop();
        application.quit();
    });
    application.exec();
    feeder = {};
    prober = {};
    std::sort(delaysMs.begin(), delaysMs.end());
    const auto at = [&](double p) { return delaysMs[std::size_t(p * double(delaysMs.size() - 1))]; };
    fmt::print("window.stall_p99 {:.1f} ms 16  # median {:.1f}, longest {:.1f}; {} samples/s for {} s, {} probes\n",
               at(0.99), at(0.5), delaysMs.back(), kSamplesPerSecond, kLength.count(), delaysMs.size());
    return 0;
}
