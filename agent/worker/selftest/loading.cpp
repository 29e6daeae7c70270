// SPDX-License-Identifier: MIT
// The factors of the loading study change how pictures come, and not what comes.
#include "agent/worker/data/batchsource.h"
#include "agent/worker/selftest/selftest.h"
#include "core/base/filesystem.h"
#include "core/base/privatefolder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace ringside {

namespace {

constexpr int kPictures = 12, kBatch = 4, kBatches = 6; ///< two epochs

/// One thread, and as much ahead as runs have that do not say it.
DataSettings plainly(const fs::path& folder)
{
    DataSettings settings;
    settings.source = "synthetic-files";
    settings.folder = folder;
    settings.pictures = kPictures;
    settings.batch = kBatch;
    settings.imageSize = 32;
    return settings;
}

struct Stream
{
    std::vector<float> images;
    std::vector<std::int64_t> labels;
    bool operator==(const Stream&) const = default;
};

Result<Stream> streamOf(const DataSettings& settings)
{
    TRY_ASSIGN(const auto source, openBatchSource(settings));
    const auto numbers = kBatch * settings.channels * settings.imageSize * settings.imageSize;
    Stream stream;
    for (int i = 0; i < kBatches; ++i) {
        TRY_ASSIGN(const Batch batch, (*source).next());
        if (batch.badItems > 0)
            return fail(ErrorCode::damaged, fmt::format("{} pictures cannot be decoded.", batch.badItems));
        stream.images.insert(stream.images.end(), batch.images, batch.images + numbers);
        stream.labels.insert(stream.labels.end(), batch.labels, batch.labels + batch.n);
    }
    return stream;
}

/// The name of a factor, and its setter.
struct Factor
{
    const char* name;
    void (*set)(DataSettings&);
};
constexpr Factor kFactors[] = {
    {"packed", [](DataSettings& settings) { settings.packed = true; }},
    {"copied to the node", [](DataSettings& settings) { settings.nodeFolder = settings.folder / "node"; }},
    {"decoded by two threads", [](DataSettings& settings) { settings.decodeThreads = 2; }},
    {"not read ahead", [](DataSettings& settings) { settings.prefetch = 1; }},
};

/// For storage “node-local” a run needs a disk of the node's own.
bool isNetworkFolder(const fs::path& folder)
{
    const auto disk = fileSystemOf(folder);
    return disk && disk->network;
}

/// The factors by which other batches come.
Result<std::vector<std::string>> wrongFactors(const fs::path& folder)
{
    const DataSettings plain = plainly(folder);
    TRY_ASSIGN(const Stream right, streamOf(plain));
    std::vector<std::string> wrong;
    for (const Factor& factor : kFactors) {
        DataSettings settings = plain;
        factor.set(settings);
        if (!settings.nodeFolder.empty() && isNetworkFolder(folder))
            continue;
        TRY_ASSIGN(const Stream stream, streamOf(settings));
        if (stream != right)
            wrong.emplace_back(factor.name);
    }
    return wrong;
}

CheckResult sameBatches()
{
    if (!canReadPictures())
        return skipped("built without libjpeg-turbo");
    const PrivateFolder folder;
    const auto wrong = folder.make().and_then([&] { return wrongFactors(folder.path()); });
    if (!wrong)
        return failed(wrong.error());
    const char* copied = isNetworkFolder(folder.path()) ? "" : "copied to the node, ";
    const std::string found = wrong->empty() ? fmt::format("{} batches of {} as from single files", kBatches, kBatch)
                                             : fmt::format("OTHERS if {}", fmt::join(*wrong, ", "));
    return passedIf(wrong->empty(),
                    fmt::format("packed, {}decoded by two threads, not read ahead: {}; exactly", copied, found));
}

} // namespace

std::vector<Check> loadingChecks()
{
    return {{"pictures by all factors of loading", sameBatches}};
}

} // namespace ringside
