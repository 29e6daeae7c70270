// SPDX-License-Identifier: GPL-3.0-or-later
// From the end of an iteration in the real worker to the frame of the window that shows it, over a line with a round
// trip of 50 ms: spool, relay, SSH, store, chart. Layers are paced, so that the worker leaves the machine to the rest.
#include "app/charts/throughputchart.h"
#include "app/pages/pages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/mainwindow.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/spec/toml.h"
#include "tests/bench/support/benchsite.h"
#include "tests/bench/support/numbers.h"
#include "tests/support/built.h"
#include "tests/support/lenetexperiment.h"

#include <QApplication>
#include <QTimer>
#include <QtCharts/QLineSeries>

using namespace ringside;
using namespace ringside::bench;

namespace {

constexpr std::chrono::milliseconds kRoundTrip{50};
constexpr int kFlushMs = 200; ///< the worker's
constexpr int kIterations = 300, kWarmup = 20;
constexpr std::chrono::minutes kLimit{3};
const QString kExperiment = QStringLiteral("latency");

/// Samples on their way to the eye: those that came are in the chart once its line was replaced, and seen once it was
/// painted after that.
class Eye : public QObject
{
public:
    void expect(const std::vector<SampleBatch>& batches)
    {
        for (const SampleBatch& batch : batches)
            for (const Sample& sample : batch.samples)
                if (sample.seq >= kWarmup)
                    m_arrived.push_back(sample.endNs());
    }

    /// Looks for the chart, which the page makes when it is first shown.
    void watch(const QWidget& window)
    {
        auto* chart = window.findChild<ThroughputChart*>();
        if (m_isWatching || !chart || chart->chart()->series().empty())
            return;
        m_isWatching = true;
        chart->viewport()->installEventFilter(this);
        connect(qobject_cast<QXYSeries*>(chart->chart()->series().back()), &QXYSeries::pointsReplaced, this,
                [this] { m_inChart.insert(m_inChart.end(), m_arrived.begin(), m_arrived.end()), m_arrived.clear(); });
    }

    const std::vector<double>& agesMs() const { return m_agesMs; }

private:
    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() == QEvent::Paint && !m_inChart.empty()) // once this frame is painted
            QMetaObject::invokeMethod(
                this, [this, seen = std::exchange(m_inChart, {})] { see(seen); }, Qt::QueuedConnection);
        return false;
    }

    void see(const std::vector<std::int64_t>& endsNs)
    {
        for (const std::int64_t endNs : endsNs)
            m_agesMs.push_back(double(monotonicNs() - endNs) / 1e6);
    }

    bool m_isWatching = false;
    std::vector<std::int64_t> m_arrived, m_inChart;
    std::vector<double> m_agesMs;
};

spec::Experiment experiment()
{
    const std::string paced = "compute = \"paced\"\nlayer_ms = 10\n";
    std::string text = test::lenetExperiment(kExperiment.toStdString(), "ranks = [1]", 1, kIterations);
    text.insert(text.find("[runs]"), paced);
    return must(spec::parseExperiment(text));
}

} // namespace

int main(int argc, char** argv)
{
    if (!environment("DISPLAY") && !environment("WAYLAND_DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    BenchSite site;
    site.setRoundTrip(kRoundTrip);
    site.describe(site.root(), test::builtProgram("ringside-worker"));
    site.makeUsers();
    QApplication application(argc, argv);
    Preferences preferences(QString::fromStdString((site.folder() / "settings.ini").string()));
    Session session(Programs::beside(test::builtPrograms()));
    ThemeController theme;
    theme.apply(Appearance::light, FontChoice::ringside, 1);
    MainWindow window(session, preferences, theme, allPages());
    window.resize(1280, 800);
    window.show();

    Eye eye;
    QObject::connect(&session.live(), &QtSink::samplesReceived, &eye, [&](const std::vector<SampleBatch>& batches) {
        eye.watch(window);
        eye.expect(batches);
    });
    QObject::connect(&session.live(), &QtSink::runsUpdated, &application, [&](const std::vector<store::RunRow>& rows) {
        if (!rows.empty() && isFinal(rows.front().state))
            QTimer::singleShot(1000, &application, &QApplication::quit);
    });
    const auto end = [](const Result<void>& result) {
        if (!result) {
            fmt::print(stderr, "{}\n", result.error().text());
            QApplication::exit(1);
        }
    };
    QObject::connect(&session, &Session::accessChanged, &application, [&] {
        if (session.access() != Session::Access::writing)
            return;
        session.request(
            &application,
            [](Conductor& conductor, Completion<> done) {
                conductor.launch(launchOf(experiment(), BenchSite::kName), std::move(done));
            },
            [&](const Result<void>& result) {
                window.go({PageId::monitor, kExperiment, {}, {}, {}});
                end(result);
            });
    });
    session.open(site.options().store);
    QTimer::singleShot(kLimit, &application, [] { QApplication::exit(1); });
    if (application.exec() != 0 || eye.agesMs().empty())
        return 1;
    fmt::print(
        "latency.p95 {:.0f} ms {}  # from the worker to the frame, round trip {} ms, flushed every {} ms; median "
        "{:.0f}, longest {:.0f}; {} of {} samples\n",
        quantile(eye.agesMs(), 0.95), 250 + kFlushMs, kRoundTrip.count(), kFlushMs, median(eye.agesMs()),
        quantile(eye.agesMs(), 1), eye.agesMs().size(), kIterations - kWarmup);
    return 0;
}
