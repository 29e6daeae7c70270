// SPDX-License-Identifier: MIT
#include "core/report/utilisation.h"

#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/stats/utilisation.h"

namespace ringside::report {

Utilisation utilisationOf(const std::vector<store::RankSummary>& ranks)
{
    Utilisation utilisation;
    for (const auto& [what, share] : {std::pair(Utilised::cpu, &store::RankSummary::ownCoresShare),
                                      std::pair(Utilised::gpu, &store::RankSummary::gpuBusyShare)})
        utilisation.of(what) = stats::meanOverRanks(
            mapped(ranks, [share = share](const store::RankSummary& rank) { return rank.*share; }));
    return utilisation;
}

const char* titleOf(Utilised what)
{
    return what == Utilised::cpu ? Words::noop("CPU utilisation") : Words::noop("GPU utilisation");
}

std::string fieldOf(Utilised what)
{
    return std::string(nameOf(what)) + "_utilisation";
}

} // namespace ringside::report
