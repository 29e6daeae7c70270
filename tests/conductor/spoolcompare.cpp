// SPDX-License-Identifier: MIT
#include "tests/conductor/spoolcompare.h"

#include "core/protocol/spool.h"
#include "tests/conductor/conductorfixture.h"

namespace ringside::test {

namespace {

using Key = std::tuple<RunId, int, int, std::uint32_t>;

std::map<Key, Sample> samplesInSpools(const fs::path& root)
{
    std::map<Key, Sample> found;
    for (const auto& entry : fs::recursive_directory_iterator(root / "runs")) {
        if (entry.path().extension() != ".spool")
            continue;
        SpoolReader reader;
        std::vector<Sample> samples;
        must(reader.feed(must(readFile(entry.path())), [&](const Record& record) {
            if (const auto* sample = std::get_if<Sample>(&record))
                samples.push_back(*sample);
        }));
        if (!reader.header())
            continue; // its rank was killed before the head was whole
        for (const Sample& sample : samples)
            found.emplace(Key(reader.header()->run, reader.header()->attempt, reader.header()->rank, sample.seq),
                          sample);
    }
    return found;
}

std::map<Key, Sample> samplesInStore(const fs::path& path)
{
    const auto db = must(store::Database::openForReading(path));
    std::map<Key, Sample> found;
    for (const store::RunRow& run : must(store::runs(db)))
        for (const store::AttemptRow& attempt : must(store::attempts(db, run.id)))
            for (const store::RankSample& row : must(store::samples(db, run.id, attempt.attempt)))
                found.emplace(Key(run.id, attempt.attempt, row.rank, row.sample.seq), row.sample);
    return found;
}

} // namespace

std::size_t requireStoreEqualsSpools(const fs::path& store, const fs::path& root)
{
    const auto spooled = samplesInSpools(root), stored = samplesInStore(store);
    CHECK(stored.size() == spooled.size());
    CHECK(stored == spooled);
    return stored.size();
}

} // namespace ringside::test
