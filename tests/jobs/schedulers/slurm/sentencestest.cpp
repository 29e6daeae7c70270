// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/slurm.h"

#include "tests/jobs/schedulers/slurm/recorded.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::slurm;

namespace {

/// Returns Slurm's answer to "== options" of the record.
std::string refused(const std::string& options)
{
    const std::string text = "\n" + test::recorded("refusals");
    const std::string key = "\n== " + options + "\n";
    const auto begin = text.find(key);
    REQUIRE(begin != std::string::npos);
    const auto end = text.find("\n== ", begin + key.size() - 1);
    return text.substr(begin + key.size(), end == std::string::npos ? end : end + 1 - begin - key.size());
}

} // namespace

TEST_CASE("a pending job says what it waits for")
{
    const std::pair<const char*, const char*> rows[] = {
        {"Resources", "Waits for free nodes."},
        {"Priority", "Waits behind jobs of higher priority."},
        {"QOSMaxJobsPerUserLimit", "As many of your jobs run already as this QOS allows at once."},
        {"QOSMaxGRESPerUser",
         "Asks for more than its QOS allows one user or job. Wait for your other jobs, or ask for less."},
        {"AssocGrpCpuLimit", "All that your account may use at once is in use."},
        {"ReqNodeNotAvail, UnavailableNodes:n2",
         "A node that it needs is down, drained or reserved, perhaps for maintenance."},
        {"DependencyNeverSatisfied", "Waits for a job that it depends on and that has failed. Cancel it."},
        {"", "Waits to be considered by Slurm."},
        {"SomethingNew\x1b[31m", "Waits; Slurm says: SomethingNew?[31m."}};
    for (const auto& [word, sentence] : rows)
        CHECK(kSlurm.pendingSentence(word) == sentence);
    CHECK(kSlurm.pendingSentence("PartitionTimeLimit").find("less time") != std::string::npos);
}

TEST_CASE("a refusal says what Slurm objects to and what to change")
{
    const std::pair<const char*, const char*> rows[] = {
        {"-p nope", "partition"},     {"-A nope", "account"},
        {"-q nope", "QOS"},           {"-C nope", "constraint"},
        {"--gres=gpu:9", "per node"}, {"--mem=9000G", "memory"},
        {"--nope", "extra line"},     {"--reservation=nope", "reservation"}};
    for (const auto& [options, hint] : rows) {
        CAPTURE(options);
        const Error error = kSlurm.refusal(refused(options));
        CHECK(error.code == ErrorCode::usage);
        CHECK(error.message.starts_with("Slurm refused the job: "));
        CHECK(error.message.find("sbatch: ") == std::string::npos);
        CHECK(error.hint.find(hint) != std::string::npos);
    }
    CHECK(kSlurm.refusal(refused("-p nope")).message ==
          "Slurm refused the job: Batch job submission failed: Invalid partition "
          "name specified.");
    CHECK(kSlurm.refusal(refused("--nope")).message == "Slurm refused the job: unrecognized option '--nope'.");
}

TEST_CASE("a controller that is away is no refusal")
{
    const Error error =
        kSlurm.refusal("sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect "
                       "failure)\n");
    CHECK(error.code == ErrorCode::unavailable);
    CHECK(kSlurm.refusal("").code == ErrorCode::usage);
    CHECK(kSlurm.refusal(std::string(10'000, '\n') + std::string(10'000, 'x')).message.size() < 500);
}

TEST_CASE("what passes by waiting is no refusal: a partition that is opened again, other jobs that end")
{
    const std::string policy = "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job "
                               "submit limit, user's size and/or time limits)\n";
    const std::pair<std::string, const char*> passing[] = {
        {"sbatch: error: Batch job submission failed: Required partition not available (inactive or drain)\n",
         "Slurm did not accept the job: Batch job submission failed: Required partition not available (inactive or "
         "drain). The partition accepts no jobs at present."},
        {"sbatch: error: QOSMaxSubmitJobPerUserLimit\n" + policy,
         "Slurm did not accept the job: Batch job submission failed: Job violates accounting/QOS policy (job submit "
         "limit, user's size and/or time limits). As many jobs are queued already as your account or QOS allows, which "
         "may be none."}};
    for (const auto& [said, message] : passing) {
        const Error error = kSlurm.refusal(said);
        CHECK(error.code == ErrorCode::unavailable);
        CHECK(error.message == message);
    }
    CHECK(kSlurm.refusal("sbatch: error: AssocGrpSubmitJobsLimit\n" + policy).code == ErrorCode::unavailable);
    const Error tooLong = kSlurm.refusal("sbatch: error: QOSMaxWallDurationPerJobLimit\n" + policy);
    CHECK(tooLong.code == ErrorCode::usage);
    CHECK(tooLong.hint.find("too large or too long a job") != std::string::npos);
}

TEST_CASE("the id that sbatch answers, with or without the cluster and a site's own lines")
{
    CHECK(kSlurm.parseSubmitted("4711\n") == "4711");
    CHECK(kSlurm.parseSubmitted("4711;demo\n") == "4711");
    CHECK(kSlurm.parseSubmitted("Welcome to the cluster\nYour quota: 7%\n4711\n") == "4711");
    for (const char* text : {"", "\n", "Submitted batch job 4711", "4711 4712", "../x", "47 11;x"})
        CHECK_FALSE(kSlurm.parseSubmitted(text));
}

TEST_CASE("variables that override a script stay here")
{
    CHECK(kSlurm.overridesScript("SBATCH_PARTITION"));
    CHECK(kSlurm.overridesScript("SLURM_JOB_ID"));
    CHECK_FALSE(kSlurm.overridesScript("SLURM_CONF"));
    CHECK_FALSE(kSlurm.overridesScript("PATH"));
}
