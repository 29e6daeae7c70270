// SPDX-License-Identifier: MIT
// The readers of what Slurm's programs print, on any text.
#include "core/jobs/duration.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/jobs/schedulers/slurm/slurm.h"
#include "tests/fuzz/property.h"

using namespace ringside;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& reports : {slurm::kSlurm.parseQueue(text), slurm::kSlurm.parseAccounting(text)})
        for (const auto& report : reports) {
            fuzz::require(slurm::kSlurm.isJobId(report.id), "an id is digits");
            (void)jobs::sentenceOf(because(why::kJob, {{"scheduler", "slurm"},
                                                       {"job", report.id},
                                                       {"state", std::string(nameOf(report.state))},
                                                       {"word", report.reason}}));
        }
    for (const auto& partition : slurm::kSlurm.parsePartitions(text))
        fuzz::require(partition.nodes >= 0 && partition.coresPerNode >= 0, "counts are counts");
    if (const auto hosts = slurm::kSlurm.expandHosts(text))
        fuzz::require(hosts->size() <= 100'000, "a list of hosts has an end");
    if (const auto seconds = jobs::parseDuration(text))
        fuzz::require(*seconds >= 0, "a time is not negative");
    if (const auto job = slurm::kSlurm.parseSubmitted(text))
        fuzz::require(slurm::kSlurm.isJobId(*job), "a submitted job has an id");
    fuzz::require(slurm::kSlurm.refusal(text).message.size() < 2'000, "a refusal is a sentence");
    return 0;
}
