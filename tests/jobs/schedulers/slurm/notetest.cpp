// SPDX-License-Identifier: MIT
#include "core/jobs/jobwords.h"
#include "core/jobs/schedulers/slurm/slurm.h"

#include <cstdlib>
#include <ctime>
#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("a job that waits is named, with the scheduler's guess when it will start")
{
    ::setenv("TZ", "Europe/Berlin", 1);
    ::tzset();
    const std::int64_t second = 1'000'000'000, noon = 1'795'345'200 * second; // 2026-11-22 12:00
    const auto note = [&](std::int64_t expectedStartNs, JobState state = JobState::pending) {
        return jobs::noteOf(slurm::scheduler(), "4711", state, "Waits for free nodes.", expectedStartNs, noon);
    };
    CHECK(note(0) == "Job 4711: Waits for free nodes.");
    CHECK(note(noon + 5 * 3'600 * second) == "Job 4711: Waits for free nodes. Slurm expects it to start at 17:00.");
    CHECK(note(noon + 17 * 3'600 * second) ==
          "Job 4711: Waits for free nodes. Slurm expects it to start at 2026-11-23 05:00.");
    CHECK(note(noon - second) == "Job 4711: Waits for free nodes."); // an old guess
    CHECK(note(noon - second, JobState::running) == "Waits for free nodes.");
    const std::string byHand = "Waits to be submitted by hand: sbatch /r/script";
    CHECK(jobs::noteOf(slurm::scheduler(), "", JobState::unknown, byHand, 0, noon) == byHand);
    ::unsetenv("TZ");
    ::tzset();
}
