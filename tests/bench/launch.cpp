// SPDX-License-Identifier: GPL-3.0-or-later
// A launch of 10,000 runs on this computer: the time until it is planned, until it is stored, and until Monitor lists
// it, from the moment that the user asks for it, and the window's stalls meanwhile.
#include "app/pages/monitor/runmodel.h"
#include "app/pages/pages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/mainwindow.h"
#include "core/base/environment.h"
#include "core/spec/toml.h"
#include "tests/bench/support/numbers.h"
#include "tests/bench/support/stallprobe.h"
#include "tests/support/built.h"
#include "tests/support/temporaryfolder.h"

#include <QApplication>
#include <QTableView>
#include <QTimer>
#include <fmt/ranges.h>
#include <numeric>

using namespace ringside;
using namespace ringside::bench;

namespace {

constexpr int kRuns = 10'000; // 125 batches × 10 plans × 8 repeats
constexpr int kTries = 5;
constexpr std::chrono::seconds kLimit{60}; // of a try
const QString kExperiment = QStringLiteral("ten-thousand");

spec::Experiment tenThousand()
{
    std::vector<int> batches(125);
    std::iota(batches.begin(), batches.end(), 1);
    return must(spec::parseExperiment(
        fmt::format("format = 1\nname = \"{}\"\n[factors]\nbatch_per_rank = [{}]\n"
                    "plan = [\"one\", \"one-overlapped\", \"buckets\", \"buckets-after\", \"caffe\", \"caffe-mpi\", "
                    "\"cntk\", \"cntk-1bit\", \"tensorflow-collective\", \"horovod\"]\n"
                    "[fixed]\nmodel = \"lenet\"\nranks = 2\n[runs]\nrepeats = 8\niterations = 10\nwarmup = 2\n",
                    kExperiment.toStdString(), fmt::join(batches, ", "))));
}

/// One launch in a window on a database of its own; times in seconds.
class Try : public QObject
{
public:
    explicit Try(const fs::path& folder)
        : m_preferences(QString::fromStdString((folder / "settings.ini").string()))
        , m_session({test::builtProgram("ringside-agent"), test::testProgram("testworker")})
        , m_window(m_session, m_preferences, m_theme, allPages())
    {
        m_theme.apply(Appearance::light, FontChoice::ringside, 1);
        m_window.resize(1280, 800);
        m_window.show();
        connect(&m_session, &Session::accessChanged, this, [this] {
            if (m_session.access() == Session::Access::writing)
                save();
        });
        connect(&m_session.live(), &QtSink::runsUpdated, this, [this] {
            if (stored == 0)
                stored = passed();
        });
        connect(&m_look, &QTimer::timeout, this, &Try::look);
        QTimer::singleShot(kLimit, this, &Try::giveUp);
        m_session.open(folder / "ringside.db");
    }

    StallProbe probe;
    double planned = 0, stored = 0, shown = 0;

private:
    double passed() const { return double(monotonicNs() - m_beganNs) / 1e9; }

    void save()
    {
        request<void>(
            [](Conductor& conductor, Completion<> done) { conductor.saveExperiment(tenThousand(), std::move(done)); },
            [this](const Result<void>&) { QTimer::singleShot(500, this, &Try::preview); });
    }

    void preview()
    {
        m_beganNs = monotonicNs();
        request<LaunchPreview>(
            [](Conductor& conductor, Completion<LaunchPreview> done) {
                conductor.preview({kExperiment.toStdString()}, std::move(done));
            },
            [this](const Result<LaunchPreview>&) {
                planned = passed();
                QTimer::singleShot(500, this, &Try::launch);
            });
    }

    void launch()
    {
        probe.start();
        m_beganNs = monotonicNs();
        m_window.go({PageId::monitor, kExperiment, {}, {}, {}});
        request<void>([](Conductor& conductor,
                         Completion<> done) { conductor.launch({kExperiment.toStdString()}, std::move(done)); },
                      {});
        m_look.start(1);
    }

    template <class T, class Make> void request(const Make& make, const Completion<T>& then)
    {
        m_session.request<T>(this, make, [then](const Result<T>& result) {
            if (result)
                return then ? then(result) : void();
            fmt::print(stderr, "{}\n", result.error().text());
            QApplication::exit(1);
        });
    }

    store::RunCounts listed() const
    {
        for (const auto* table : m_window.currentPage()->findChildren<QTableView*>())
            if (const auto* runs = qobject_cast<const RunModel*>(table->model()))
                return runs->counts();
        return {};
    }

    void look()
    {
        if (listed().total == kRuns && shown == 0)
            QTimer::singleShot(0, this, &Try::end); // what was laid out is painted before
    }

    void end()
    {
        m_look.stop();
        shown = passed();
        probe.stop();
        cancel(0);
    }

    void giveUp()
    {
        fmt::print(stderr, "after {} s: planned {:.2f}, stored {:.2f}, shown {:.2f} s\n", kLimit.count(), planned,
                   stored, shown);
        cancel(1);
    }

    /// Nothing of it goes on in a folder that is removed.
    void cancel(int exitCode)
    {
        request<void>(
            [](Conductor& conductor, Completion<> done) {
                conductor.control({{Control::Kind::cancel}, kExperiment.toStdString()}, std::move(done));
            },
            [this, exitCode](const Result<void>&) { leaveOnceEnded(exitCode); });
    }

    void leaveOnceEnded(int exitCode)
    {
        auto* look = new QTimer(this);
        connect(look, &QTimer::timeout, this, [this, exitCode] {
            if (listed().unfinished() == 0)
                QApplication::exit(exitCode);
        });
        look->start(100);
        QTimer::singleShot(kLimit, this, [] {
            fmt::print(stderr, "The cancelled runs did not end within {} s.\n", kLimit.count());
            QApplication::exit(1);
        });
    }

    std::int64_t m_beganNs = 0;
    Preferences m_preferences;
    Session m_session;
    ThemeController m_theme;
    MainWindow m_window;
    QTimer m_look;
};

} // namespace

int main(int argc, char** argv)
{
    if (!environment("DISPLAY") && !environment("WAYLAND_DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    std::vector<double> planned, stored, shown, stalls;
    for (int i = 0; i < kTries; ++i) {
        const test::TemporaryFolder folder;
        qputenv("XDG_DATA_HOME", QByteArray::fromStdString(folder.path().string()));
        Try one(folder.path());
        if (application.exec() != 0)
            return 1;
        planned.push_back(one.planned);
        stored.push_back(one.stored);
        shown.push_back(one.shown);
        stalls.push_back(quantile(one.probe.delaysMs(), 1));
    }
    fmt::print("launch.planned {:.2f} s -  # matrix, runs and script before the question, median of {}\n",
               median(planned), kTries);
    fmt::print("launch.stored {:.2f} s -  # {} runs, from the launch\n", median(stored), kRuns);
    fmt::print(
        "launch.shown {:.2f} s 1  # listed in Monitor; slowest {:.2f}, the window did not answer for {:.0f} ms\n",
        median(shown), quantile(shown, 1), median(stalls));
    return 0;
}
