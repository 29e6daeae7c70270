// SPDX-License-Identifier: MIT
// A store in a folder of its own with one experiment of two runs in a campaign.
#pragma once

#include "core/store/database.h"
#include "core/store/edits.h"
#include "core/store/ingest.h"
#include "core/store/queries.h"
#include "tests/support/temporaryfolder.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>

namespace ringside::test {

/// The value, or a failed test that shows the error.
template <class T> T must(Result<T> result)
{
    if (!result)
        FAIL(result.error().text());
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

struct StoreFixture
{
    StoreFixture();

    /// Samples `from` … `to - 1` of one rank: 10 ms each, 4 items, one millisecond of forward more per rank.
    store::SpoolArrival samples(int run, int rank, std::uint32_t from, std::uint32_t to, std::uint64_t offset) const;
    /// The journal's word on an attempt.
    campaign::RunChange change(int run, int attempt, RunState state, std::int64_t atNs,
                               Cause cause = Cause::none) const;
    store::RunRow row(int run) const
    {
        return *must(store::runById(db, plan.runs.at(static_cast<std::size_t>(run)).id));
    }
    std::int64_t count(const std::string& table) const;

    TemporaryFolder folder;
    fs::path path = folder / "lab.db";
    store::Database db = must(store::Database::openForWriting(path));
    CampaignPlan plan;
};

inline constexpr std::int64_t kStart = 1'800'000'000'000'000'000;

} // namespace ringside::test
