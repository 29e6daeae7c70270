// SPDX-License-Identifier: MIT
#include "core/imports/logfiles.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <string>

namespace ringside::imports {

namespace {

struct RankInName
{
    int rank;
    std::string rest;      ///< without the number: equal for the ranks of one run
    bool isWorker = false; ///< by its word, which may count the workers of a loader, too
};

/// In "rank-3.log", "run2.worker_3.txt".
std::optional<RankInName> rankInName(const std::string& name)
{
    for (const std::string_view word : {"rank", "Rank", "RANK", "worker"}) {
        const auto at = name.rfind(word);
        if (at == std::string::npos)
            continue;
        std::size_t digits = at + word.size();
        if (digits < name.size() && (name[digits] == '-' || name[digits] == '_' || name[digits] == '.'))
            ++digits;
        int rank = 0;
        const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), rank);
        if (error == std::errc{} && isDigit(name[digits]))
            return RankInName{rank, name.substr(0, digits) + '*' + end, word == "worker"};
    }
    return std::nullopt;
}

/// Returns the numbers that may be its rank: in the file's name, whatever its word, then in its folder's. A folder
/// "rank2" may be one of a sweep, whose files "worker_0.log" are the ranks'; in "rank.3/stdout" it is the rank's.
std::vector<RankInName> ranksIn(const fs::path& path)
{
    const fs::path folder = path.parent_path();
    std::vector<RankInName> found;
    if (const auto inFile = rankInName(path.filename().string()))
        found.push_back({inFile->rank, (folder / inFile->rest).string(), inFile->isWorker});
    if (const auto inFolder = rankInName(folder.filename().string()))
        found.push_back(
            {inFolder->rank, (folder.parent_path() / inFolder->rest / path.filename()).string(), inFolder->isWorker});
    return found;
}

Result<void> addFolder(const fs::path& folder, std::vector<fs::path>& files)
{
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code none; // what may not be looked at is no log
        const bool isHidden = entry->path().filename().string().starts_with('.');
        if (isHidden || entry.depth() + 1 >= kMostDepth)
            entry.disable_recursion_pending();
        if (isHidden || !entry->is_regular_file(none))
            continue;
        if (files.size() == kMostFiles)
            return fail(ErrorCode::usage,
                        Words::tr("{} holds more than {} files.", plainText(folder.string()), grouped(kMostFiles)),
                        Words::tr("Name the folders of the logs themselves."));
        files.push_back(entry->path());
    }
    if (error)
        return tl::unexpected(systemError(Words::noop("cannot read"), folder, error.value()));
    return {};
}

/// Returns whether numbers may be those of all ranks: they begin with 0, or count from 1 without a gap. Others are a
/// setting of a sweep, as the rank of an adapter is, or how many workers there were.
bool areRanks(std::vector<int> numbers)
{
    std::ranges::sort(numbers);
    if (numbers.empty() || std::ranges::adjacent_find(numbers) != numbers.end())
        return false;
    return numbers.front() == 0 || (numbers.front() == 1 && numbers.back() == std::ssize(numbers));
}

/// Ranks that files of a run differ in by their names, by what else there is of the name.
using RankNumbers = std::map<std::string, std::vector<int>>;

/// The first of a file's numbers that tells ranks apart. Of workers, one that no other file has tells nothing, so that
/// the folder's comes first if ranks begin with 0 there: folders that count from 1 may be a sweep's.
std::vector<RankInName>::const_iterator ranksOf(const std::vector<RankInName>& names, const RankNumbers& numbers)
{
    const auto numbersOf = [&](const RankInName& name) {
        const auto found = numbers.find(name.rest);
        return found == numbers.end() ? std::vector<int>() : found->second;
    };
    if (names.size() > 1 && names.front().isWorker && !names.back().isWorker && numbersOf(names.front()).size() == 1)
        if (const auto folders = numbersOf(names.back()); folders.size() > 1 && contains(folders, 0))
            return std::prev(names.end());
    return std::ranges::find_if(names, [&](const RankInName& name) { return numbers.contains(name.rest); });
}

/// Files whose names differ only in the rank are of one run.
std::vector<LogSource> united(std::vector<fs::path> files, bool wasNamed, Naming naming)
{
    std::ranges::sort(files);
    files.erase(std::ranges::unique(files).begin(), files.end());
    RankNumbers numbers;
    for (const fs::path& file : naming == Naming::mayTellRanks ? files : std::vector<fs::path>{})
        for (const RankInName& inName : ranksIn(file))
            numbers[inName.rest].push_back(inName.rank);
    std::erase_if(numbers, [](const auto& each) { return !areRanks(each.second); });
    std::map<std::string, std::size_t> known;
    std::vector<LogSource> sources;
    for (fs::path& file : files) {
        const std::vector<RankInName> names = ranksIn(file);
        const auto inName = ranksOf(names, numbers);
        const bool isRanks = inName != names.end();
        const auto [place, isNew] = known.emplace(isRanks ? inName->rest : file.string(), sources.size());
        if (isNew)
            sources.push_back({.files = {}, .wasNamed = wasNamed});
        sources[place->second].files.push_back({std::move(file), isRanks ? std::optional(inName->rank) : std::nullopt});
    }
    for (LogSource& source : sources) {
        std::ranges::sort(source.files, {}, &LogFile::rank);
        if (source.files.size() == 1) // may be rank 3 alone, or of no rank: its content says so
            source.files.front().rank.reset();
    }
    return sources;
}

bool canBeReadOnce(fs::file_type type)
{
    return type == fs::file_type::fifo || type == fs::file_type::character || type == fs::file_type::block ||
           type == fs::file_type::socket;
}

} // namespace

Result<std::vector<LogSource>> findLogs(const std::vector<fs::path>& paths, Naming naming)
{
    std::vector<fs::path> named, inFolders;
    for (const fs::path& path : paths) {
        std::error_code error;
        const fs::file_type type = fs::status(path, error).type();
        if (type == fs::file_type::not_found)
            return fail(ErrorCode::notFound, Words::tr("There is no file {}.", plainText(path.string())),
                        Words::tr("Check the name."));
        if (canBeReadOnce(type))
            return fail(
                ErrorCode::usage,
                Words::tr("{} is a pipe or a device, whose bytes cannot be read again.", plainText(path.string())),
                Words::tr("Write them to a file, and import that: an imported run has its log's hash and lines."));
        if (type == fs::file_type::directory)
            TRY(addFolder(path, inFolders));
        else
            named.push_back(path);
    }
    std::vector<LogSource> sources = united(std::move(named), true, naming);
    std::ranges::move(united(std::move(inFolders), false, naming), std::back_inserter(sources));
    return sources;
}

} // namespace ringside::imports
