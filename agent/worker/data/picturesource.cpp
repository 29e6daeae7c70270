// SPDX-License-Identifier: MIT
#include "agent/worker/data/picturesource.h"

#include "agent/worker/data/nodecopy.h"
#include "agent/worker/data/picturepipeline.h"
#include "agent/worker/data/records.h"
#include "agent/worker/data/syntheticfiles.h"
#include "core/base/filesystem.h"
#include "core/base/say.h"
#include "core/base/text.h"

#include <unistd.h>

namespace ringside {

namespace {

using FactMap = std::map<std::string, std::string>;

struct OpenSet
{
    PictureSet set;
    FactMap facts;
};

/// A folder, or the packed file that the user points to.
Result<PictureSet> openFolder(const DataSettings& settings)
{
    std::error_code error;
    const bool isFile = settings.packed && fs::is_regular_file(settings.folder, error);
    return isFile ? openRecords(settings.folder) : scanPictures(settings.folder);
}

Result<OpenSet> openSingle(const DataSettings& settings)
{
    if (settings.source == "folder") {
        TRY_ASSIGN(PictureSet set, openFolder(settings));
        FactMap facts = {{"checksum", set.checksum()}, {"checksum_of", "names and sizes"}};
        return OpenSet{std::move(set), std::move(facts)};
    }
    SyntheticFilesSpec spec;
    spec.pictures = settings.pictures;
    TRY_ASSIGN(SyntheticFiles files, openSyntheticFiles(settings.folder, spec));
    return OpenSet{std::move(files.set), {{"checksum", files.checksum}, {"checksum_of", "content"}}};
}

/// Written or packed first, where it is not.
Result<OpenSet> openShared(const DataSettings& settings)
{
    TRY_ASSIGN(OpenSet open, openSingle(settings));
    if (settings.packed && !open.set.packed) {
        TRY_ASSIGN(open.set, openPacked(open.set));
    }
    return open;
}

Result<OpenSet> openSet(const DataSettings& settings)
{
    TRY_ASSIGN(OpenSet open, openShared(settings));
    open.facts["folder"] = open.set.folder.string();
    open.facts["storage"] = "shared";
    if (!settings.nodeFolder.empty()) {
        TRY_ASSIGN(NodeCopy copy, copyToNode(open.set, settings.nodeFolder, settings.coldCache));
        open.set = std::move(copy.set);
        open.facts["storage"] = fmt::format("node-local: copied to {}, {}", open.set.folder.string(), copy.how);
    }
    // Written in large pieces, its pages may lie in memory in large pieces, which go as a whole or not at all.
    if (settings.coldCache && open.set.packed)
        open.set.packed->dropPages(0, open.set.packed->size());
    return open;
}

Result<void> checkClasses(const PictureSet& set, const DataSettings& settings)
{
    if (set.classes <= settings.classes)
        return {};
    return fail(ErrorCode::usage,
                fmt::format("{} has {} class folders, but the model distinguishes {} classes.", set.folder.string(),
                            set.classes, settings.classes),
                "Choose a model with more classes or a folder with fewer.");
}

/// Reads this rank's share of the pictures once, so that later reads of all ranks of the host come from the page cache;
/// the host stops at half of its memory, beyond which early files would be driven out again. Unreadable files are met
/// later and counted there. Returns what a fact says of it.
std::string warmCache(const PictureSet& set, const DataSettings& settings)
{
    const auto ranks = static_cast<std::size_t>(settings.ranksOnHost);
    const auto limit = std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGESIZE)) / 2 / ranks;
    const std::size_t step = std::max<std::size_t>(1, std::max<std::size_t>(1000, set.pictures.size() / 10) / ranks);
    FileReader reader(false);
    std::uint64_t bytes = 0;
    std::size_t next = static_cast<std::size_t>(settings.rankOnHost);
    for (std::size_t done = 1; next < set.pictures.size() && bytes < limit; next += ranks, ++done) {
        if (const auto read = set.read(next, reader))
            bytes += read->size();
        if (done % step == 0)
            say("Warming the cache: {} of {} pictures", next + 1, set.pictures.size());
    }
    return fmt::format("warmed: about {} of {} read before the first iteration, by {} of each host",
                       humanBytes(std::min(bytes * ranks, set.bytes())), humanBytes(set.bytes()),
                       ranks == 1 ? "one rank" : fmt::format("{} ranks", ranks));
}

FactMap describe(const DataSettings& settings, OpenSet& open)
{
    FactMap facts = std::move(open.facts);
    facts["source"] = settings.source;
    facts["file_system"] =
        fileSystemOf(open.set.folder).map([](const FileSystem& disk) { return disk.type; }).value_or("");
    facts["packed"] = settings.packed ? "one file" : "no";
    facts["files"] = std::to_string(open.set.pictures.size());
    facts["bytes"] = std::to_string(open.set.bytes());
    facts["classes"] = std::to_string(open.set.classes);
    facts["decode_threads"] = std::to_string(settings.decodeThreads);
    facts["prefetch"] = std::to_string(settings.prefetch);
    facts["cache"] = settings.coldCache ? "cold: pages dropped before each read" : warmCache(open.set, settings);
    return facts;
}

} // namespace

Result<void> preparePictures(const DataSettings& settings)
{
    TRY(openShared(settings));
    return {};
}

Result<std::unique_ptr<BatchSource>> openPictureSource(const DataSettings& settings)
{
    TRY_ASSIGN(OpenSet open, openSet(settings));
    TRY(checkClasses(open.set, settings));
    FactMap facts = describe(settings, open);
    return std::make_unique<PicturePipeline>(std::move(open.set), settings, std::move(facts));
}

} // namespace ringside
