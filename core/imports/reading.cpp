// SPDX-License-Identifier: MIT
#include "core/imports/reading.h"

#include "core/base/regularfile.h"
#include "core/base/sequences.h"
#include "core/base/sha256.h"
#include "core/base/words.h"
#include "core/logs/lines.h"
#include "core/logs/linkreader.h"
#include "core/logs/nametags.h"
#include "core/logs/reader.h"
#include "core/logs/recognise.h"
#include "core/logs/statedbatches.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <iterator>
#include <numeric>
#include <unistd.h>
#include <utility>
#include <variant>

namespace ringside::imports {

namespace {

using logs::LineSplitter;
using logs::LinkReader;
using logs::LogContent;
using logs::LogFormat;
using logs::LogReader;
using logs::LogRun;
using logs::Recogniser;

/// The beginning of a log, held until its form is known.
class Head
{
public:
    explicit Head(std::span<const LogFormat> formats)
        : m_recogniser(formats)
        , m_splitter([this](std::uint64_t, std::string_view line, bool) {
            m_isDecided = m_isDecided || !m_recogniser.read(line);
        })
    {
    }

    void add(std::string_view bytes)
    {
        m_bytes += bytes;
        m_splitter.feed(bytes);
        m_isDecided |= m_bytes.size() >= kMostPrelude;
    }
    bool isDecided() const { return m_isDecided; }
    const std::string& bytes() const { return m_bytes; }
    const Recogniser& recogniser() const { return m_recogniser; }

private:
    Recogniser m_recogniser;
    LineSplitter m_splitter;
    std::string m_bytes;
    bool m_isDecided = false;
};

bool tellsWork(const logs::LogRun& run)
{
    const auto hasRecord = [](const logs::LogLane& lane) { return !lane.records.empty() || !lane.epochs.empty(); };
    return !run.claims.empty() || std::ranges::any_of(run.lanes, hasRecord);
}

/// A form that is known, and lines read by it.
class Body
{
public:
    Body(const LogFormat& format, const ReadRequest& request)
        : m_reader(readerOf(format, request.given))
        , m_others(request.formats, format)
        , m_tags(
              format,
              [this](std::uint64_t number, std::string_view line, bool isWhole) {
                  if (std::visit([&](auto& reader) { return reader.read(number, line, isWhole); }, m_reader))
                      m_others.readOwn();
                  else
                      m_others.passOver(number, line);
              },
              request.given)
        , m_splitter(
              [this](std::uint64_t number, std::string_view line, bool isWhole) { m_tags.read(number, line, isWhole); })
    {
    }

    void add(std::string_view bytes) { m_splitter.feed(bytes); }
    LogContent finish(ReadFile& file)
    {
        m_splitter.finish();
        LogContent content = std::visit([](auto& reader) { return reader.finish(); }, m_reader);
        m_tags.nameRanks(content);
        file.lines = content.lines;
        file.linesRead = content.linesRead;
        file.tellsWork = !content.tables.empty() || std::ranges::any_of(content.runs, tellsWork);
        file.cutLines = m_splitter.cutLines();
        file.other = m_others.found();
        return content;
    }

private:
    using Reader = std::variant<LogReader, LinkReader>;
    static Reader readerOf(const LogFormat& format, const logs::LogSettings& given)
    {
        return format.links ? Reader(std::in_place_type<LinkReader>, format, given)
                            : Reader(std::in_place_type<LogReader>, format, given);
    }

    Reader m_reader;
    OtherForms m_others;
    logs::NameTags m_tags;
    LineSplitter m_splitter;
};

std::string_view unpackerOf(std::string_view beginning)
{
    using Mark = std::pair<std::string_view, std::string_view>;
    constexpr auto kMarks = std::to_array<Mark>(
        {{"\x1f\x8b", "gunzip"}, {"\x28\xb5\x2f\xfd", "unzstd"}, {"\xfd\x37zXZ", "unxz"}, {"BZh", "bunzip2"}});
    const auto known =
        std::ranges::find_if(kMarks, [&](const auto& mark) { return beginning.starts_with(mark.first); });
    return known == kMarks.end() ? std::string_view() : known->second;
}

bool isUtf16(std::string_view beginning)
{
    return beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff");
}

/// Calls `take` with each piece of the file; false ends it.
Result<void> forEachPiece(const ReadRequest& request, const fs::path& path,
                          const std::function<bool(std::string_view)>& take)
{
    TRY_ASSIGN(const Descriptor file, openRegularFile(path, Links::followed));
    std::array<char, 64u << 10> piece; // stays in the cache while it is hashed and read
    for (;;) {
        if (request.stop.stop_requested())
            return fail(ErrorCode::cancelled, Words::tr("Reading was stopped."), Words::tr("Nothing was stored."));
        const ssize_t count = ::read(file.get(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
        if (request.onBytes)
            request.onBytes(static_cast<std::uint64_t>(count));
        if (count == 0 || !take({piece.data(), static_cast<std::size_t>(count)}))
            return {};
    }
}

/// Reads one file by the log's form, which is recognised by the first one. A file without a form is read no further,
/// unless another rank's file may have one: then it is a part of the log, and stored with its hash.
Result<LogContent> readOne(ReadLog& log, ReadFile& file, const ReadRequest& request)
{
    Sha256 hash;
    Head head(log.format ? std::span<const LogFormat>() : request.formats);
    std::optional<Body> body;
    const auto begin = [&] {
        if (!log.format) {
            log.format = head.recogniser().best();
            log.second = head.recogniser().second();
        }
        if (log.format)
            body.emplace(*log.format, request);
    };
    if (log.format)
        begin();
    bool isWhole = true;
    const auto take = [&](std::string_view bytes) {
        if (file.bytes == 0) {
            file.unpacker = unpackerOf(bytes);
            file.isUtf16 = isUtf16(bytes);
        }
        hash.add(bytes);
        file.bytes += bytes.size();
        if (body) {
            body->add(bytes);
            return true;
        }
        if (head.isDecided())
            return true;
        head.add(bytes);
        if (!head.isDecided())
            return true;
        begin();
        if (body)
            body->add(head.bytes());
        isWhole = body || log.files.size() > 1;
        return isWhole;
    };
    TRY(forEachPiece(request, file.file.path, take));
    if (isWhole)
        file.sha256 = hash.hex();
    if (!body) {
        begin();
        if (body)
            body->add(head.bytes());
    }
    return body ? body->finish(file) : LogContent();
}

using Setting = std::optional<std::int64_t> logs::LogSettings::*;

bool states(const LogRun& run, Setting setting)
{
    return std::ranges::any_of(run.statements,
                               [&](const auto& each) { return (each.second.settings.*setting).has_value(); });
}

/// Returns where the numbers of ranks contradict each other, whatever names stand before the lines that state them.
std::optional<logs::Finding> ranksThatDiffer(const LogRun& run, const LogRun& other)
{
    constexpr Setting kRanks = &logs::LogSettings::ranks;
    const auto &before = run.settings.ranks, &now = other.settings.ranks;
    if (!states(run, kRanks) || !states(other, kRanks) || !before || !now || before == now)
        return std::nullopt;
    const auto stated = std::ranges::find_if(
        other.statements, [&](const auto& each) { return each.second.settings.ranks == other.settings.ranks; });
    return logs::Finding{logs::FindingCode::ranksDiffer,
                         stated == other.statements.end() ? 0 : stated->second.ranksLine, static_cast<double>(*now),
                         static_cast<double>(*before)};
}

/// Returns where two files state different models.
std::optional<logs::Finding> modelsThatDiffer(const LogRun& run, const LogRun& other)
{
    constexpr Setting kModel = &logs::LogSettings::model;
    const auto &before = run.settings.model, &now = other.settings.model;
    if (!states(run, kModel) || !states(other, kModel) || !before || !now || before == now)
        return std::nullopt;
    return logs::Finding{logs::FindingCode::modelsDiffer, 0, static_cast<double>(*now), static_cast<double>(*before)};
}

/// Adds the settings that another rank's file states: they come before what the user says, which each file's settings
/// begin with. Returns where they contradict those of the files before.
std::vector<logs::Finding> uniteSettings(LogRun& run, const LogRun& other, const logs::LogSettings& given)
{
    using logs::LogSettings;
    for (const Setting setting : {&LogSettings::batchPerRank, &LogSettings::batchGlobal, &LogSettings::itemsPerEpoch,
                                  &LogSettings::ranks, &LogSettings::nodes, &LogSettings::model})
        if (!states(run, setting) && states(other, setting))
            run.settings.*setting = other.settings.*setting;
    std::vector<logs::Finding> findings;
    if (const auto differ = modelsThatDiffer(run, other))
        findings.push_back(*differ);
    if (const auto differ = ranksThatDiffer(run, other)) {
        run.settings.ranks = other.settings.ranks;
        findings.push_back(*differ);
    }
    for (const auto& [name, stated] : other.statements)
        logs::addStatements(run.statements[name], stated, given); // its findings are those above and below
    const auto unclear = logs::addStated(run.settings, run.stated, other.stated, given);
    const bool isKnown = std::ranges::any_of(other.stated, &logs::StatedBatch::isUnclear); // by that file's findings
    if (unclear && !isKnown)
        findings.push_back(*unclear);
    return findings;
}

/// Adds what another rank's file reports of the same run. Returns what only both files together contradict.
std::vector<logs::Finding> unite(LogRun& run, LogRun&& other, const logs::LogSettings& given)
{
    std::ranges::move(other.lanes, std::back_inserter(run.lanes));
    std::ranges::move(other.claims, std::back_inserter(run.claims));
    return uniteSettings(run, other, given);
}

/// The n-th runs of all ranks are one run: each printed its own. A table of links is one by itself.
void addContent(ReadLog& log, LogContent content, std::size_t file, const logs::LogSettings& given)
{
    for (std::size_t number = 0; number < content.runs.size(); ++number) {
        LogRun& run = content.runs[number];
        for (logs::LogLane& lane : run.lanes) {
            lane.file = file;
            if (!lane.rank)
                lane.rank = log.files[file].file.rank;
        }
        for (logs::LogClaim& claim : run.claims)
            claim.file = file;
        for (logs::StatedBatch& batch : run.stated)
            batch.file = file;
        for (auto& [name, stated] : run.statements)
            stated.ranksFile = file;
        if (number == log.runs.size())
            log.runs.push_back(std::move(run));
        else
            for (const logs::Finding& finding : unite(log.runs[number], std::move(run), given))
                logs::addFinding(content.findings, finding, finding.line);
    }
    for (logs::LinkTable& table : content.tables)
        log.tables.push_back({std::move(table), file});
    for (const VersionRange& range : content.versions)
        if (!contains(log.versions, range))
            log.versions.push_back(range);
    for (logs::Finding& finding : content.findings) {
        finding.file = file;
        log.findings.push_back(finding);
    }
}

fs::path folderOf(const std::vector<LogFile>& files)
{
    fs::path shared = files.empty() ? fs::path() : files.front().path.parent_path();
    for (const LogFile& file : files) {
        const fs::path folder = file.path.parent_path();
        const auto end = std::ranges::mismatch(shared, folder).in1;
        shared = std::accumulate(shared.begin(), end, fs::path(), std::divides());
    }
    return shared;
}

} // namespace

Result<ReadLog> readLog(const LogSource& source, const ReadRequest& request)
{
    ReadLog log;
    log.folder = folderOf(source.files);
    log.wasNamed = source.wasNamed;
    log.format = request.as;
    for (const LogFile& file : source.files)
        log.files.push_back({.file = file, .sha256 = {}});
    for (std::size_t file = 0; file < log.files.size(); ++file) {
        TRY_ASSIGN(LogContent content, readOne(log, log.files[file], request));
        addContent(log, std::move(content), file, request.given);
    }
    return log;
}

} // namespace ringside::imports
