// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/slurm.h"

#include "tests/jobs/schedulers/slurm/recorded.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <doctest/doctest.h>
#include <random>

using namespace ringside;
using namespace ringside::slurm;
using namespace ringside::jobs;
using ringside::test::recorded;

namespace {

/// "3 running None" a line, by id, for comparing as text.
std::string told(std::vector<JobReport> reports)
{
    std::sort(reports.begin(), reports.end(),
              [](const auto& a, const auto& b) { return std::stoi(a.id) < std::stoi(b.id); });
    std::string text;
    for (const auto& report : reports)
        text += fmt::format("{} {} {} {}{}\n", report.id, nameOf(report.state), report.reason, report.nodes,
                            report.campaign ? " ours" : "");
    return text;
}

} // namespace

TEST_CASE("the queue as Slurm wrote it, foreign comments with bars and line breaks among it")
{
    CHECK(told(kSlurm.parseQueue(recorded("queue-pending"))) == "1 cancelled  n[1-3]\n"
                                                                "2 completed  n[1-3]\n"
                                                                "3 running  n[1-3] ours\n"
                                                                "4 pending Resources \n"
                                                                "5 pending Priority \n"
                                                                "6 pending JobHeldUser \n"
                                                                "7 pending BeginTime \n"
                                                                "8 pending PartitionTimeLimit \n");
    CHECK(told(kSlurm.parseQueue(recorded("queue-ended"))) == "1 cancelled  n[1-3]\n"
                                                              "2 completed  n[1-3]\n"
                                                              "3 cancelled  n[1-3] ours\n"
                                                              "4 cancelled Resources \n"
                                                              "5 cancelled Priority \n"
                                                              "6 cancelled JobHeldUser \n"
                                                              "7 cancelled BeginTime \n"
                                                              "8 cancelled PartitionTimeLimit \n"
                                                              "9 failed NonZeroExitCode n1\n"
                                                              "10 completed  n1\n"
                                                              "11 running  n2\n"
                                                              "12 out_of_memory OutOfMemory n2\n");
    CHECK(kSlurm.parseQueue(recorded("queue-pending")).back().secondsLeft == 59 * 60 + 51);
}

TEST_CASE("when Slurm expects a waiting job to start is read in this machine's time, and is no guess of ours")
{
    ::setenv("TZ", "Europe/Berlin", 1);
    ::tzset();
    const auto startOf = [](const char* state, const char* start) {
        const auto reports = kSlurm.parseQueue(
            fmt::format("\x1e{}\x1f{}\x1fResources\x1f{}\x1f\x1f{}\x1f(null)\n", "7", state, "1:00:00", start));
        REQUIRE(reports.size() == 1);
        return reports[0].expectedStart;
    };
    CHECK(startOf("PENDING", "2026-11-22T17:05:00") == 1'795'363'500);
    CHECK(startOf("PENDING", "2026-07-22T17:05:00") == 1'784'732'700); // summer time
    CHECK_FALSE(startOf("RUNNING", "2026-11-22T17:05:00"));            // it has
    for (const char* none : {"N/A", "", "17:05", "2026-11-22T17:05:00 or so", "tomorrow"})
        CHECK_FALSE(startOf("PENDING", none));
    const auto recordedOnes = kSlurm.parseQueue(recorded("queue-starts"));
    REQUIRE(recordedOnes.size() == 3);
    CHECK(recordedOnes[0].expectedStart == startOf("PENDING", "2026-11-22T17:27:39"));
    CHECK_FALSE(recordedOnes[1].expectedStart); // held
    CHECK_FALSE(recordedOnes[2].expectedStart); // runs
    ::unsetenv("TZ");
    ::tzset();
}

TEST_CASE("the accounting as Slurm wrote it")
{
    CHECK(told(kSlurm.parseAccounting(recorded("sacct"))) == "1 cancelled  n[1-3]\n"
                                                             "2 completed  n[1-3]\n"
                                                             "3 cancelled  n[1-3]\n"
                                                             "4 cancelled  \n"
                                                             "5 cancelled  \n"
                                                             "8 cancelled PartitionConfig \n"
                                                             "9 failed  n1\n"
                                                             "10 completed  n1\n"
                                                             "11 running  n2\n"
                                                             "12 out_of_memory  n2\n");
}

TEST_CASE("every state that Slurm has a word for is told apart")
{
    const std::pair<const char*, JobState> states[] = {
        {"PENDING", JobState::pending},     {"CONFIGURING", JobState::pending},
        {"RUNNING", JobState::running},     {"COMPLETING", JobState::completing},
        {"COMPLETED", JobState::completed}, {"FAILED", JobState::failed},
        {"CANCELLED", JobState::cancelled}, {"CANCELLED by 7", JobState::cancelled},
        {"TIMEOUT", JobState::timeout},     {"OUT_OF_MEMORY", JobState::outOfMemory},
        {"NODE_FAIL", JobState::nodeFail},  {"PREEMPTED", JobState::preempted},
        {"REQUEUED", JobState::requeued},   {"BOOT_FAIL", JobState::bootFail},
        {"DEADLINE", JobState::timeout},    {"SUSPENDED", JobState::suspended},
        {"NEW_IN_2030", JobState::unknown}};
    for (const auto& [word, state] : states) {
        const auto reports = kSlurm.parseAccounting(std::string("5\x1f") + word + "\x1fNone\x1fn1\n");
        REQUIRE(reports.size() == 1);
        CHECK(reports[0].state == state);
    }
    for (const auto state : {JobState::pending, JobState::requeued, JobState::running, JobState::completing})
        CHECK_FALSE(isOver(state));
    for (const auto state : {JobState::completed, JobState::cancelled, JobState::nodeFail, JobState::bootFail})
        CHECK(isOver(state));
}

TEST_CASE("ids that are no plain job's are passed over, so that nothing else comes into a command")
{
    for (const char* id : {"5_1", "5+0", "", "-5", "5 ", "12345678901", "x"})
        CHECK(kSlurm.parseAccounting(std::string(id) + "\x1fRUNNING\x1fNone\x1fn1\n").empty());
}

TEST_CASE("hostile text is read without harm")
{
    std::mt19937 random(5);
    const std::string seed = recorded("queue-pending") + recorded("sacct");
    for (int round = 0; round < 2'000; ++round) {
        std::string text = seed.substr(random() % seed.size());
        for (int change = 0; change < 20; ++change)
            text[random() % text.size()] = static_cast<char>(random());
        for (const auto& reports : {kSlurm.parseQueue(text), kSlurm.parseAccounting(text)})
            for (const auto& report : reports) {
                CHECK(kSlurm.isJobId(report.id));
                CHECK(report.reason.size() <= 600);
            }
    }
}

TEST_CASE("of a campaign's jobs the living one counts, then the one that was noted, then the latest")
{
    const auto id = CampaignId::random();
    const auto job = [&](const char* number, JobState state) { return JobReport{number, state, {}, {}, {}, id}; };
    const std::vector<JobReport> reports = {job("9", JobState::failed), job("10", JobState::cancelled),
                                            job("8", JobState::running)};
    CHECK(jobOf(reports, id, "9")->id == "8");
    CHECK(jobOf({reports[0], reports[1]}, id, "9")->id == "9");
    CHECK(jobOf({reports[0], reports[1]}, id, "")->id == "10");
    CHECK(jobOf(reports, CampaignId::random(), "77") == nullptr);
    CHECK(jobOf(reports, CampaignId::random(), "8") == nullptr); // Slurm may count from the start again
    CHECK(jobOf(reports, {}, "8")->id == "8");
}

TEST_CASE("what is asked names everything that the answer is read for")
{
    const auto queue = kSlurm.queueCommand(1000u);
    CHECK(queue[3] == "--user=1000");
    CHECK(kSlurm.queueCommand(std::string("12"))[3] == "--jobs=12");
    CHECK(kSlurm.accountingCommand({"12", "13"})[6] == "--jobs=12,13");
    CHECK(kSlurm.saysUnknownJob(recorded("unknown")));
    CHECK_FALSE(kSlurm.saysUnknownJob("slurm_load_jobs error: Unable to contact slurm controller (connect failure)"));
    CHECK(kSlurm.tellsOnlyTheCode("srun: error: n1: task 0: Exited with exit code 2"));
    CHECK_FALSE(kSlurm.tellsOnlyTheCode("slurmstepd: error: execve(): /tmp/agent: No such file or directory"));
}
