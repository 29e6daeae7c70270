// SPDX-License-Identifier: MIT
#include "core/conductor/translate.h"

#include <cstdlib>
#include <ctime>
#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("a job that waits is named, with the scheduler's guess when it will start")
{
    ::setenv("TZ", "Europe/Berlin", 1);
    ::tzset();
    const std::int64_t second = 1'000'000'000, noon = 1'795'345'200 * second; // 2026-11-22 12:00
    wire::CampaignStatus status;
    status.job = "4711";
    status.jobState = JobState::pending;
    status.reason = "Waits for free nodes.";
    CHECK(wordsOf(status, noon) == "Job 4711: Waits for free nodes.");
    status.expectedStartNs = noon + 5 * 3'600 * second;
    CHECK(wordsOf(status, noon) == "Job 4711: Waits for free nodes. Slurm expects it to start at 17:00.");
    status.expectedStartNs += 12 * 3'600 * second;
    CHECK(wordsOf(status, noon) == "Job 4711: Waits for free nodes. Slurm expects it to start at 2026-11-23 05:00.");
    status.expectedStartNs = noon - second; // an old guess
    CHECK(wordsOf(status, noon) == "Job 4711: Waits for free nodes.");
    status.jobState = JobState::running;
    CHECK(wordsOf(status, noon) == "Waits for free nodes.");
    status.jobState = JobState::unknown;
    status.job.clear();
    status.reason = "Waits to be submitted by hand: sbatch /r/script";
    CHECK(wordsOf(status, noon) == status.reason);
    ::unsetenv("TZ");
    ::tzset();
}
