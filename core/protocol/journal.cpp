// SPDX-License-Identifier: MIT
#include "core/protocol/journal.h"

#include "core/base/words.h"
#include "core/protocol/checksum.h"
#include "core/protocol/either.h"
#include "core/protocol/jsonfields.h"
#include "core/protocol/names.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside {

void membersOf(auto& json, Either<JournalEvent> auto& event)
{
    json.integer("wall_ns", event.wallNs, 0, INT64_MAX);
    json.integer("attempt", event.attempt, 0, INT32_MAX);
    json.named("state", event.state);
    json.named("cause", event.cause);
    json.text("host", event.host);
    json.integer("lease", event.lease, 0, INT32_MAX);
    if (json.has("run", event.run.has_value()))
        json.id("run", filled(event.run));
    if (json.has("rank", event.rank.has_value()))
        json.integer("rank", filled(event.rank), 0, INT32_MAX);
    if (json.has("why", !event.reason.empty()))
        json.part("why", event.reason, reasonFromJson);
}

namespace {

constexpr std::size_t kMaxHost = 255;
constexpr char kCancel = '\x18'; // ASCII CAN at the end of a line: its writer died within it, disregard it

/// `,"crc":"0123abcd"}` closes a line; the checksum is of all bytes before it.
constexpr std::string_view kCrcKey = ",\"crc\":\"";
constexpr std::string_view kClosing = "\"}";
constexpr std::size_t kSuffixBytes = kCrcKey.size() + 8 + kClosing.size();

std::string crcSuffix(std::string_view body)
{
    return fmt::format("{}{:08x}{}", kCrcKey, crc32c(body), kClosing);
}

Result<nlohmann::json> checkedObject(std::string_view line)
{
    if (line.size() > kMaxJournalLine || line.size() < kSuffixBytes)
        return fail(ErrorCode::damaged, Words::tr("journal line: {} bytes are no event", line.size()));
    const std::string_view body = line.substr(0, line.size() - kSuffixBytes);
    if (line.substr(body.size()) != crcSuffix(body))
        return fail(ErrorCode::damaged, Words::tr("journal line: crc: the line does not match its checksum"));
    return parseJsonObject(line, kMaxJournalLine, "journal line");
}

/// A store has no place for anything else.
void checkAttempt(JsonFields& fields, const JournalEvent& event)
{
    if (event.kind == JournalKind::attemptStarted && event.attempt < 1)
        fields.refuse("attempt", Words::tr("attempts are counted from 1"));
    if (event.kind == JournalKind::attemptEnded && !isFinal(event.state) && event.state != RunState::requeued)
        fields.refuse("state", Words::tr("no attempt ends as “{}”", nameOf(event.state)));
}

/// nullopt for a kind that this version does not know.
Result<std::optional<JournalEvent>> decode(std::string_view line)
{
    TRY_ASSIGN(const nlohmann::json json, checkedObject(line));
    JsonFields fields(json, "journal line");
    std::string kindName;
    fields.format(kJournalFormat);
    fields.text("kind", kindName);
    TRY(fields.result());
    const auto kind = valueNamed<JournalKind>(kindName);
    if (!kind)
        return std::nullopt;
    JournalEvent event;
    event.kind = *kind;
    membersOf(fields, event);
    checkAttempt(fields, event);
    std::string said; // by older writers
    fields.text("reason", said, kMaxJournalLine);
    TRY(fields.result());
    if (event.reason.empty())
        event.reason.text = std::move(said);
    return event;
}

/// Returns what goes before the next event: nothing, or the end of a line that a dead writer left without one.
Result<std::string_view> closingOfTornLine(int fd, const fs::path& path)
{
    struct stat info;
    if (::fstat(fd, &info) != 0)
        return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
    char last = '\n';
    if (info.st_size > 0 && ::pread(fd, &last, 1, info.st_size - 1) != 1)
        return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
    return last == '\n' ? std::string_view{} : std::string_view{"\x18\n"};
}

/// One write, so that events of two writers never mix.
Result<void> appendDurably(int fd, std::string_view bytes, const fs::path& path)
{
    ssize_t n;
    do
        n = ::write(fd, bytes.data(), bytes.size());
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return tl::unexpected(systemError(Words::noop("cannot write"), path, errno));
    if (static_cast<std::size_t>(n) < bytes.size())
        return tl::unexpected(systemError(Words::noop("cannot write"), path, ENOSPC));
    if (::fdatasync(fd) != 0)
        return tl::unexpected(systemError(Words::noop("cannot flush"), path, errno));
    return {};
}

} // namespace

std::string encodeJournalLine(const JournalEvent& event)
{
    nlohmann::json json = JsonMembers::of(event);
    json["format"] = kJournalFormat;
    json["kind"] = nameOf(event.kind);
    json["reason"] = ""; // older readers ask for it
    json["host"] = event.host.substr(0, kMaxHost);
    std::string line = dumpJson(json);
    line.pop_back(); // the closing brace comes after the checksum
    return line + crcSuffix(line) + "\n";
}

Result<JournalEvent> decodeJournalLine(std::string_view line)
{
    if (!line.empty() && line.back() == '\n')
        line.remove_suffix(1);
    TRY_ASSIGN(auto event, decode(line));
    if (!event)
        return fail(ErrorCode::newerVersion, Words::tr("journal line: kind: written by a later version of Ringside"));
    return std::move(*event);
}

Result<Journal> Journal::open(const fs::path& path)
{
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (file.get() < 0)
        return tl::unexpected(systemError(Words::noop("cannot open"), path, errno));
    return Journal(std::move(file), path);
}

Result<void> Journal::append(const JournalEvent& event)
{
    TRY_ASSIGN(std::string bytes,
               closingOfTornLine(m_file.get(), m_path).map([](auto closing) { return std::string(closing); }));
    return appendDurably(m_file.get(), bytes + encodeJournalLine(event), m_path);
}

Result<void> JournalReader::feed(std::string_view bytes, const std::function<void(const JournalEvent&)>& onEvent)
{
    if (m_error)
        return tl::unexpected(*m_error);
    m_pending.append(bytes);
    std::size_t consumed = 0;
    for (std::size_t end;
         !m_error && (end = m_pending.find('\n', std::max(consumed, m_searched))) != std::string::npos;) {
        if (consumeLine(std::string_view(m_pending).substr(consumed, end - consumed), onEvent))
            consumed = end + 1;
    }
    m_pending.erase(0, consumed);
    m_searched = m_pending.size();
    m_offset += consumed;
    if (!m_error && m_pending.size() > kMaxJournalLine)
        stop(Error{ErrorCode::damaged, Words::tr("longer than {} bytes", kMaxJournalLine), {}});
    if (m_error)
        return tl::unexpected(*m_error);
    return {};
}

bool JournalReader::consumeLine(std::string_view line, const std::function<void(const JournalEvent&)>& onEvent)
{
    ++m_lines;
    if (!line.empty() && line.back() == kCancel)
        return true;
    auto event = decode(line);
    if (!event)
        stop(std::move(event.error()));
    else if (*event)
        onEvent(**event);
    return event.has_value();
}

void JournalReader::stop(Error error)
{
    error.message = Words::tr("Journal, line {}: {}.", m_lines, error.message);
    m_error = std::move(error);
}

} // namespace ringside
