// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/slurm.h"

#include <doctest/doctest.h>
#include <functional>

using namespace ringside::slurm;
using namespace ringside::jobs;

namespace {

struct Row
{
    std::function<void(JobSettings&)> change;
    const char* field; ///< empty: allowed
};

/// Every field that people fill in, as text.
const std::vector<std::pair<const char*, std::string JobSettings::*>> kTexts = {
    {"partition", &JobSettings::partition}, {"account", &JobSettings::account},       {"qos", &JobSettings::qos},
    {"gpu_type", &JobSettings::gpuType},    {"constraint", &JobSettings::constraint}, {"memory", &JobSettings::memory}};

} // namespace

TEST_CASE("what is usual is allowed, what is not is refused by the name of its field")
{
    const Row rows[] = {
        {[](auto&) {}, ""},
        {[](auto& s) { s.partition = "gpu,gpu-long_2.a"; }, ""},
        {[](auto& s) { s.account = "project@lab"; }, ""},
        {[](auto& s) { s.constraint = "[rack1|rack2]&skylake*2"; }, ""},
        {[](auto& s) { s.memory = "0"; }, ""},
        {[](auto& s) { s.memory = "16G"; }, ""},
        {[](auto& s) {
             s.extraLines = {"--reservation=course", "-x n3", "--mail-type=END", "--no-requeue"};
         },
         ""},
        {[](auto& s) { s.gpusPerNode = 2, s.gpuType = "h200"; }, ""},
        {[](auto& s) { s.gpuType = "h200"; }, "gpu_type"},
        {[](auto& s) { s.memory = "G"; }, "memory"},
        {[](auto& s) { s.memory = "16 GB"; }, "memory"},
        {[](auto& s) { s.partition = "--wrap"; }, "partition"},
        {[](auto& s) { s.timeLimitSeconds = 59; }, "time_limit"},
        {[](auto& s) { s.nodes = 0; }, "nodes"},
        {[](auto& s) { s.ranksPerNode = -1; }, "ranks_per_node"},
        {[](auto& s) { s.coresPerRank = 0; }, "cores_per_rank"},
        {[](auto& s) { s.gpusPerNode = -1; }, "gpus_per_node"},
        {[](auto& s) { s.extraLines = {"--comment=mine"}; }, "extra_lines"},
        {[](auto& s) { s.extraLines = {"--array=1-9"}; }, "extra_lines"},
        {[](auto& s) { s.extraLines = {"--clusters=other"}; }, "extra_lines"},
        {[](auto& s) { s.extraLines = {"-M other"}; }, "extra_lines"},
        {[](auto& s) { s.extraLines = {"-a 1-9"}; }, "extra_lines"},
        {[](auto& s) { s.extraLines = {"--time=10:00:00"}; }, "extra_lines"},
        {[](auto& s) { s.extraLines = {"-N 5"}; }, "extra_lines"},
        {[](auto& s) { s.extraLines = {"--nice # all"}; }, "extra_lines"},
        {[](auto& s) { s.extraLines = {"rm -rf /"}; }, "extra_lines"},
        {[](auto& s) { s.extraLines = {"--nice\n#SBATCH --wrap=id"}; }, "extra_lines"},
    };
    for (const Row& row : rows) {
        JobSettings settings;
        row.change(settings);
        const auto problems = kSlurm.problemsOf(settings);
        CHECK((problems.empty() ? "" : problems.front().field) == row.field);
    }
}

TEST_CASE("no text field takes a line break, a quote, a space or what a shell would read")
{
    for (const auto& [field, member] : kTexts)
        for (const char* text : {"a\nb", "a\n", "a b", "'a'", "\"a\"", "$(id)", "`id`", "a;b", "a>b", "a#b", "a\\b",
                                 "-a", "ä", "a\tb", "a\x01"}) {
            CAPTURE(field);
            CAPTURE(text);
            JobSettings settings;
            settings.gpusPerNode = 1;
            settings.*member = text;
            const auto problems = kSlurm.problemsOf(settings);
            REQUIRE(problems.size() == 1);
            CHECK(problems[0].field == field);
            CHECK(problems[0].message.find('\n') == std::string::npos);
        }
    JobSettings settings;
    settings.partition = "a\nb";
    CHECK(kSlurm.problemsOf(settings).at(0).message == "It holds a line break; it must be a single line.");
}
