// SPDX-License-Identifier: MIT
#include "tests/conductor/spoolcompare.h"

#include "core/protocol/spool.h"
#include "tests/conductor/conductorfixture.h"

#include <fmt/format.h>
#include <set>

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

/// Returns which ranks of which attempts lack samples, and how these attempts ended.
std::set<std::string> missingFrom(const std::map<Key, Sample>& stored, const std::map<Key, Sample>& spooled,
                                  const fs::path& store)
{
    const auto db = must(store::Database::openForReading(store));
    std::set<std::string> missing;
    for (const auto& [key, sample] : spooled) {
        if (stored.contains(key))
            continue;
        const auto& [run, attempt, rank, seq] = key;
        std::string how = "which the store does not know";
        for (const store::AttemptRow& row : must(store::attempts(db, run)))
            if (row.attempt == attempt)
                how = fmt::format("{} {}", nameOf(row.state), nameOf(row.cause));
        missing.insert(
            fmt::format("rank {} of attempt {} of run {}, {}, lacks samples", rank, attempt, run.str(), how));
    }
    return missing;
}

} // namespace

std::size_t requireStoreEqualsSpools(const fs::path& store, const fs::path& root)
{
    const auto spooled = samplesInSpools(root), stored = samplesInStore(store);
    for (const std::string& missing : missingFrom(stored, spooled, store))
        MESSAGE(missing);
    CHECK(stored.size() == spooled.size());
    CHECK(stored == spooled);
    return stored.size();
}

} // namespace ringside::test
