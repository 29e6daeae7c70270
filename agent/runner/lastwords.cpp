// SPDX-License-Identifier: MIT
#include "agent/runner/lastwords.h"

#include "core/base/regularfile.h"
#include "core/base/text.h"
#include "core/logs/driverline.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// Only the end of a log that may be long is read: a line, and blank ones after it.
constexpr std::streamoff kTailBytes = 4096;

struct Tail
{
    std::string text;
    bool isAll = true; ///< of the log
};

Tail tailOf(const fs::path& log, std::streamoff bytes)
{
    const auto file = openRegularFile(log);
    if (!file)
        return {};
    const off_t size = ::lseek(file->get(), 0, SEEK_END);
    const off_t length = std::clamp<off_t>(size, 0, bytes);
    std::string text(static_cast<std::size_t>(length), '\0');
    const ssize_t n = ::pread(file->get(), text.data(), text.size(), size - length);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return {std::move(text), length == size};
}

/// "rank 3: no pictures" -> "no pictures": the sentence around it names the rank, whose program is ours.
std::string withoutSpeaker(std::string line)
{
    if (constexpr std::string_view program = "ringside-worker: "; line.starts_with(program))
        return line.substr(program.size());
    const std::size_t digits = std::string_view("rank ").size();
    if (!line.starts_with("rank "))
        return line;
    const std::size_t end = line.find_first_not_of("0123456789", digits);
    const bool named = end != std::string::npos && end > digits && line.compare(end, 2, ": ") == 0;
    return named ? line.substr(end + 2) : line;
}

/// It watches the rank's GPU, and the rank ends for other reasons.
bool isOfGpuLoad(std::string_view line)
{
    const std::string_view program = line.substr(0, line.find_first_of(": "));
    return program.substr(program.rfind('/') + 1) ==
           layout::gpuLoadProgram.name; // the dynamic linker says the whole path
}

std::string shortened(std::string line)
{
    const std::string_view ellipsis = "…";
    return line.size() <= kMaxLastLine ? line
                                       : std::string(beginning(line, kMaxLastLine - ellipsis.size())).append(ellipsis);
}

/// The head of torchrun's last words, a report of the rank of its own that failed first.
constexpr std::string_view kRootCause = "Root Cause (first observed failure):";

/// Returns the report's rank and exit code, in one line; empty: there is no report, or more was printed behind the row
/// of “=” that closes it.
std::string rootCause(const std::string& text)
{
    const std::size_t at = text.rfind(kRootCause);
    if (at == std::string::npos || !text.substr(0, text.find_last_not_of(" \n") + 1).ends_with("==="))
        return {};
    std::istringstream lines(text.substr(at));
    std::map<std::string, std::string> fields; // "  rank      : 1 (local_rank: 1)"
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t value = line.find(": "); line.starts_with("  ") && value != std::string::npos)
            fields.emplace(line.substr(2, line.find_first_of(" :", 2) - 2), line.substr(value));
    if (!fields.contains("rank") || !fields.contains("exitcode"))
        return {};
    return fmt::format("{} rank{} exitcode{}", kRootCause, fields["rank"], fields["exitcode"]);
}

} // namespace

std::string lastWords(const fs::path& log)
{
    return plainText(tailOf(log, kMaxLauncherText).text);
}

std::string launcherWords(const fs::path& log)
{
    std::istringstream lines(tailOf(log, kTailBytes).text);
    for (std::string line; std::getline(lines, line);)
        for (const std::string_view ssh : {"ssh: ", "Permission denied (", "Host key verification failed"})
            if (line.find(ssh) != std::string::npos)
                return shortened(plainText(line.substr(0, line.find('\r'))));
    return lastWords(log);
}

std::string lastLine(const fs::path& log)
{
    const Tail tail = tailOf(log, kTailBytes);
    std::string text = plainText(tail.text);
    if (std::string failure = rootCause(text); !failure.empty())
        return shortened(std::move(failure));
    std::replace(text.begin(), text.end(), '\t', ' ');
    for (bool isBehindRecords = false;; isBehindRecords = true) {
        const std::size_t end = text.find_last_not_of(" \n");
        if (end == std::string::npos)
            return {};
        const std::size_t newline = text.find_last_of('\n', end);
        const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
        if (begin == 0 && isBehindRecords && !tail.isAll)
            return {}; // the rest of a line whose begin was not read, which is most likely a record, too
        std::string line = text.substr(begin, end + 1 - begin);
        const std::size_t driver = isOfGpuLoad(line) ? 0 : logs::beginOfDriverLine(line);
        if (driver == line.size())
            return shortened(withoutSpeaker(std::move(line)));
        text.resize(begin + driver);
    }
}

} // namespace ringside::runner
