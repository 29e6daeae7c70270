// SPDX-License-Identifier: MIT
#include "core/conductor/campaignfiles.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/protocol/facts.h"
#include "core/protocol/jsonfields.h"

#include <algorithm>
#include <utility>

namespace ringside {

namespace {

/// A line of a log that is longer is shown in pieces.
constexpr std::size_t kMaxLineBytes = 64u << 10;

std::string meaningOf(wire::FileKind kind)
{
    switch (kind) {
    case wire::FileKind::spool:
        return Words::tr("The samples before it are kept; those after it are missing, and its run is marked "
                         "incomplete. The file is left as it is: check the disk.");
    case wire::FileKind::journal:
        return Words::tr("What it reported before is kept; the outcome of the other runs is not known. The file is "
                         "left as it is: check the disk.");
    default:
        return Words::tr("The samples are not affected; what the run ran on is not known. The file is left as it is: "
                         "check the disk.");
    }
}

/// The database accepts less than the reader does, which passes over a byte-order mark.
std::string plainJson(std::string_view object)
{
    return dumpJson(nlohmann::json::parse(object, nullptr, false));
}

bool belongs(const SpoolHeader& header, const wire::FileChunk& chunk)
{
    return header.run == chunk.run && static_cast<int>(header.attempt) == chunk.attempt &&
           static_cast<int>(header.rank) == chunk.rank;
}

bool holdsSamples(const store::Arrival& arrival)
{
    const auto* spool = std::get_if<store::SpoolArrival>(&arrival);
    return spool &&
           std::ranges::any_of(spool->records, [](const Record& r) { return std::holds_alternative<Sample>(r); });
}

} // namespace

bool ChunkContent::hasSamples() const
{
    return std::ranges::any_of(arrivals, holdsSamples);
}

wire::FollowRequest CampaignFiles::restart(const std::vector<store::StoredCursor>& cursors, const fs::path& root)
{
    m_root = root;
    std::erase_if(m_files,
                  [](const auto& file) { return !file.second.failed && file.second.kind != wire::FileKind::log; });
    m_gaps.clear();
    m_known.clear();
    wire::FollowRequest request;
    request.campaign = m_campaign;
    for (const store::StoredCursor& cursor : cursors) {
        m_known.emplace(cursor.path, cursor);
        request.cursors.push_back({cursor.path, cursor.file, cursor.offset});
    }
    for (const auto& [path, file] : m_files) // what is left are logs
        if (!file.failed)
            request.cursors.push_back({path, file.id, file.position});
    return request;
}

void CampaignFiles::rewindLogs(const RunId& run)
{
    std::erase_if(m_files, [&](const auto& file) {
        const bool isIts = file.second.run == run || file.second.run.empty();
        return isIts && file.second.kind == wire::FileKind::log;
    });
}

CampaignFiles::File& CampaignFiles::fileOf(const wire::FileChunk& chunk)
{
    const auto [place, isNew] = m_files.try_emplace(chunk.path);
    File& file = place->second;
    const auto known = m_known.find(chunk.path);
    if (isNew && known != m_known.end() && known->second.file == chunk.fileId) {
        file.position = known->second.offset;
        file.spool = SpoolReader(file.position);
        file.journal = JournalReader(file.position);
        file.headerTold = true;
    } else if (!isNew && file.id != chunk.fileId && chunk.offset == 0) {
        file = File(); // another file under the same name
    }
    file.id = chunk.fileId;
    file.run = chunk.run;
    file.kind = chunk.kind;
    return file;
}

ChunkContent CampaignFiles::read(const wire::FileChunk& chunk)
{
    File& file = fileOf(chunk);
    const std::uint64_t end = chunk.offset + chunk.bytes.size();
    if (file.failed || end <= file.position)
        return {};
    if (chunk.offset > file.position) {
        m_gaps.insert(chunk.path);
        return {};
    }
    m_gaps.erase(chunk.path);
    const std::string_view bytes = std::string_view(chunk.bytes).substr(file.position - chunk.offset);
    file.position = end;
    ChunkContent content = readKind(file, chunk, bytes);
    file.failed = content.damage.has_value();
    file.isNewer = file.failed && content.damage->code == ErrorCode::newerVersion;
    return content;
}

bool CampaignFiles::hasNewer() const
{
    return std::ranges::any_of(m_files, [](const auto& file) { return file.second.isNewer; });
}

ChunkContent CampaignFiles::readKind(File& file, const wire::FileChunk& chunk, std::string_view bytes)
{
    const bool isOfAttempt = chunk.kind == wire::FileKind::spool || chunk.kind == wire::FileKind::facts;
    if (isOfAttempt && chunk.attempt < 1) {
        ChunkContent content;
        content.damage = refusal(chunk, {ErrorCode::damaged, Words::tr("it belongs to no attempt."), ""});
        return content;
    }
    switch (chunk.kind) {
    case wire::FileKind::journal:
        return readJournal(file, chunk, bytes);
    case wire::FileKind::spool:
        return readSpool(file, chunk, bytes);
    case wire::FileKind::facts:
        return readFacts(file, chunk, bytes);
    default:
        return readLog(file, chunk, bytes);
    }
}

Error CampaignFiles::refusal(const wire::FileChunk& chunk, const Error& why) const
{
    const bool newer = why.code == ErrorCode::newerVersion;
    return {newer ? why.code : ErrorCode::damaged,
            Words::tr("{}: {}", plainText((m_root / chunk.path).string()), why.message),
            newer ? why.hint : meaningOf(chunk.kind)};
}

Error CampaignFiles::leftOut(const wire::FileChunk& chunk) const
{
    return {ErrorCode::damaged,
            Words::tr("{}: some iterations have impossible times, numbers or sizes.",
                      plainText((m_root / chunk.path).string())),
            Words::tr("They are left out, and the run is marked incomplete; everything else is kept.")};
}

ChunkContent CampaignFiles::readJournal(File& file, const wire::FileChunk& chunk, std::string_view bytes)
{
    ChunkContent content;
    const auto fed = file.journal.feed(bytes, [&](const JournalEvent& event) { content.events.push_back(event); });
    if (!fed)
        content.damage = refusal(chunk, fed.error());
    content.arrivals.emplace_back(store::JournalCursor{m_campaign, {chunk.path, file.id, file.journal.offset()}});
    return content;
}

ChunkContent CampaignFiles::readSpool(File& file, const wire::FileChunk& chunk, std::string_view bytes)
{
    ChunkContent content;
    store::SpoolArrival arrival;
    const auto fed = file.spool.feed(bytes, [&](const Record& record) {
        if (const auto refused = refusalOfSpooled(record))
            arrival.refused.push_back(*refused);
        else
            arrival.records.push_back(record);
    });
    if (!fed)
        content.damage = refusal(chunk, fed.error());
    if (file.spool.header() && !file.headerTold) {
        if (!belongs(*file.spool.header(), chunk)) {
            content.damage =
                refusal(chunk, {ErrorCode::damaged, Words::tr("it is the spool of another rank or run."), ""});
            return content;
        }
        arrival.header = file.spool.header();
    }
    if (arrival.records.empty() && arrival.refused.empty() && !arrival.header)
        return content;
    if (!arrival.refused.empty() && !std::exchange(file.refusalTold, true))
        content.refused = leftOut(chunk);
    file.headerTold = true;
    arrival.campaign = m_campaign;
    arrival.run = chunk.run;
    arrival.attempt = chunk.attempt;
    arrival.rank = chunk.rank;
    arrival.cursor = {chunk.path, file.id, file.spool.offset()};
    content.arrivals.emplace_back(std::move(arrival));
    return content;
}

ChunkContent CampaignFiles::readFacts(File& file, const wire::FileChunk& chunk, std::string_view bytes)
{
    ChunkContent content;
    file.held += bytes;
    if (file.held.size() > kMaxFactsBytes)
        content.damage = refusal(chunk, {ErrorCode::damaged, Words::tr("facts are too long."), ""});
    else if (!chunk.atEnd)
        return content;
    else if (const auto facts = factsFromJson(file.held); !facts)
        content.damage = refusal(chunk, facts.error());
    else
        content.arrivals.emplace_back(
            store::FactsArrival{chunk.run, chunk.attempt, plainJson(std::exchange(file.held, {}))});
    return content;
}

ChunkContent CampaignFiles::readLog(File& file, const wire::FileChunk& chunk, std::string_view bytes)
{
    file.held += bytes;
    const std::size_t lines = file.held.rfind('\n') + 1; // 0 where there is none
    const std::size_t ready = lines > 0 ? lines : file.held.size() > kMaxLineBytes ? file.held.size() : 0;
    ChunkContent content;
    if (ready > 0)
        content.log =
            LogText{chunk.run, chunk.attempt, chunk.rank, plainText(std::string_view(file.held).substr(0, ready))};
    file.held.erase(0, ready);
    return content;
}

} // namespace ringside
