// SPDX-License-Identifier: MIT
#include "core/conductor/deletion.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/store/queries.h"

namespace ringside {

namespace {

/// Size of a sample in the database, its share of the b-tree included.
constexpr std::uint64_t kBytesPerSample = 110;

} // namespace

Result<Stock> stockOf(const store::Database& db, const std::vector<std::string>& experiments,
                      const std::stop_token& stop)
{
    Stock stock;
    for (const std::string& name : experiments) {
        if (stop.stop_requested())
            break;
        TRY_ASSIGN(const std::vector<store::RunRow> runs, store::runs(db, {.experiment = name, .kind = {}}));
        stock.runs += static_cast<int>(runs.size());
        for (const store::RunRow& run : runs)
            stock.bytes += static_cast<std::uint64_t>(run.samples) * kBytesPerSample;
    }
    return stock;
}

std::string lossText(const Stock& stock)
{
    if (stock.runs == 0)
        return Words::tr("It has no runs. Archived experiments leave the list and can be restored.");
    return Words::counted("{} runs and their samples (about {}) would be deleted for good. Archived, they leave the "
                          "list and can be restored.",
                          "{} run and its samples (about {}) would be deleted for good. Archived, it leaves the list "
                          "and can be restored.",
                          static_cast<std::uint64_t>(stock.runs), humanBytes(stock.bytes));
}

} // namespace ringside
