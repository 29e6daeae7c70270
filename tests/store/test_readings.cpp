// SPDX-License-Identifier: MIT
// Telemetry about a run while it was measured.
#include "core/store/readings.h"

#include "tests/store/endedrun.h"

using namespace ringside;
using namespace ringside::test;

TEST_CASE("only load inside the measured window disturbs a run")
{
    LongRun run;
    SUBCASE("before and after it, and in the reading that began before it, it does not")
    {
        for (int second = 0; second <= 50; ++second)
            run.read(second, second <= 3 || second > 41 ? 0.9f : 0.05f, second <= 3 || second > 41 ? 0.9f : 0.0f);
        CHECK(run.end().empty());
    }
    SUBCASE("inside it does, on the rank's cores and on the host apart")
    {
        for (int second = 0; second <= 50; ++second)
            run.read(second, second > 10 && second <= 20 ? 0.4f : 0, second > 30 && second <= 36 ? 0.2f : 0);
        CHECK(run.end() == std::vector<std::string>{"disturbed"});
        CHECK(run.reasons(0, "disturbed") == std::vector<std::string>{"foreign_cores 0 0.20", "foreign_host -1 0.40"});
        const auto reasons = must(store::flagReasons(run.db, run.row(0).id, 1));
        CHECK(reasons[1].host == "n7");
        CHECK(reasons[1].limit == 0.1);
    }
    SUBCASE("twelve busy cores of 128 are not the host's tenth, but all of a rank's")
    {
        for (int second = 0; second <= 50; ++second)
            run.read(second, 12 / 128.0f, 0.97f);
        CHECK(run.end() == std::vector<std::string>{"disturbed"});
        CHECK(run.reasons(0, "disturbed") == std::vector<std::string>{"foreign_cores 0 0.97"});
    }
}

TEST_CASE("a rank that stood still while it was measured is disturbed, since its rate includes that time")
{
    LongRun run;
    const auto standStill = [&](int from, int to) { // what is behind comes later
        for (Record& record : run.arrival.records)
            if (auto& sample = std::get<Sample>(record); sample.startNs >= from * LongRun::kSecond)
                sample.startNs += (to - from) * LongRun::kSecond;
    };
    SUBCASE("for longer than a busy computer leaves out a reading")
    {
        standStill(20, 620);
        for (int second = 0; second <= 650; ++second)
            if (second <= 20 || second >= 620)
                run.read(second, 0);
        CHECK(run.end() == std::vector<std::string>{"disturbed"});
        CHECK(run.reasons(0, "disturbed") == std::vector<std::string>{"stood_still 0 600.00"});
    }
    SUBCASE("not where iterations went on, of which readings were lost")
    {
        for (int second = 0; second <= 50; ++second)
            if (second <= 20 || second >= 30)
                run.read(second, 0);
        CHECK(run.end().empty());
    }
    SUBCASE("nor in the warm-up")
    {
        standStill(2, 602);
        for (int second = 0; second <= 650; ++second)
            if (second <= 1 || second >= 602)
                run.read(second, 0);
        CHECK(run.end().empty());
    }
}

TEST_CASE("a window without a reading is unobserved, never undisturbed")
{
    LongRun run;
    SUBCASE("none at all") {}
    SUBCASE("none inside")
    {
        for (const int second : {0, 1, 2, 3, 43, 50})
            run.read(second, 0.9f);
    }
    CHECK(run.end() == std::vector<std::string>{"unobserved"});
    CHECK(run.reasons(0, "unobserved") == std::vector<std::string>{"no_reading 0 -1.00"});
}

TEST_CASE("a summary says how busy a rank kept its cores and its GPU while it was measured")
{
    LongRun run;
    SUBCASE("by readings inside the window")
    {
        for (int second = 0; second <= 50; ++second) {
            run.readOwn(second, second <= 3 || second > 41 ? 0.1f : second <= 22 ? 0.75f : 0.25f); // 19 seconds each
            GpuTelemetry gpu;
            gpu.atNs = second * LongRun::kSecond;
            gpu.busyShare = second < 3 || second > 41 ? 0.0f : 0.5f;
            run.arrival.records.emplace_back(gpu);
        }
        run.end();
        CHECK(run.summary().ownCoresShare == doctest::Approx(0.5));
        CHECK(run.summary().gpuBusyShare == doctest::Approx(0.5));
    }
    SUBCASE("not where no reading inside says it, or a driver only zeros")
    {
        for (int second = 0; second <= 50; ++second) {
            run.readOwn(second, second <= 3 ? 0.5f : Telemetry::kNotTold);
            run.readGpu(second, 0);
        }
        run.end();
        CHECK_FALSE(run.summary().ownCoresShare);
        CHECK_FALSE(run.summary().gpuBusyShare);
    }
    SUBCASE("and of a role that reports in the place of ranks")
    {
        run.arrival.rank = 1; // the run has one rank
        for (int second = 0; second <= 50; ++second)
            run.readOwn(second, 0.5f);
        run.end();
        CHECK_FALSE(run.summary().ownCoresShare);
    }
    SUBCASE("where one reports for others, whose load its own does not show")
    {
        run.db.handle().exec("UPDATE runs SET rank_processes = 2");
        for (int second = 0; second <= 50; ++second)
            run.readOwn(second, 0.5f);
        run.end();
        CHECK_FALSE(run.summary().ownCoresShare);
    }
    SUBCASE("a share that is none is never stored as one")
    {
        for (int second = 0; second <= 50; ++second)
            run.readOwn(second, second % 2 == 0 ? std::numeric_limits<float>::infinity() : 7.0f);
        run.end();
        CHECK(run.summary().ownCoresShare == 1.0);
    }
    SUBCASE("where none was made")
    {
        run.end();
        CHECK_FALSE(run.summary().ownCoresShare);
        CHECK_FALSE(run.summary().gpuBusyShare);
    }
}

TEST_CASE("a GPU that others use or that is too hot is flagged, within the window")
{
    LongRun run;
    for (int second = 0; second <= 50; ++second)
        run.read(second, 0);
    SUBCASE("before it, it is not")
    {
        for (int second = 0; second <= 50; ++second)
            run.readGpu(second, second < 3, second < 3 ? 0x40 : 0);
        CHECK(run.end().empty());
    }
    SUBCASE("inside it is")
    {
        for (int second = 0; second <= 50; ++second)
            run.readGpu(second, 2, second == 20 ? 0x120 : 0x40); // by two reasons, and at a clock for displays
        CHECK(run.end() == std::vector<std::string>{"disturbed", "throttled"});
        CHECK(run.reasons(0, "disturbed") == std::vector<std::string>{"shared_gpu 0 2.00"});
        CHECK(run.reasons(0, "throttled") == std::vector<std::string>{"slowed_gpu 0 96.00"});
    }
    SUBCASE("the owners of the processes are not known")
    {
        for (int second = 0; second <= 50; ++second)
            run.readGpu(second, GpuTelemetry::kUnknown);
        CHECK(run.end() == std::vector<std::string>{"unobserved"});
        CHECK(run.reasons(0, "unobserved") == std::vector<std::string>{"unknown_gpu_processes 0 -1.00"});
        CHECK(must(store::gpuTelemetry(run.db, run.row(0).id, 1))[0].telemetry.foreignProcesses ==
              GpuTelemetry::kUnknown);
    }
}
