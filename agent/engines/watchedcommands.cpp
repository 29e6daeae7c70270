// SPDX-License-Identifier: MIT
#include "agent/engines/watchedcommands.h"

#include "agent/builder/resources.h"
#include "agent/cleaner/inventory.h"
#include "agent/engines/whypipfailed.h"
#include "core/base/clock.h"
#include "core/base/text.h"

#include <algorithm>
#include <fstream>

namespace ringside::engines {

namespace {

constexpr const char* kPhase = "install";
constexpr std::size_t kLineBytes = 200;
/// With less than that a disk counts as full: not all that fails on it says so.
constexpr std::uint64_t kFullBytes = 1'000'000;

} // namespace

Error cancelledError(const std::string& name)
{
    return {ErrorCode::cancelled, fmt::format("The installation of {} was cancelled.", name),
            "What was downloaded is kept for the next try; remove it to free its space."};
}

WatchedCommands::WatchedCommands(const fs::path& folder, const std::string& name, const Installation& installation,
                                 const builder::Deadline& deadline, const builder::Report& report,
                                 const runner::FolderClaim* claim)
    : m_folder(folder)
    , m_name(name)
    , m_installation(installation)
    , m_deadline(deadline)
    , m_report(report)
    , m_claim(claim)
{
}

Result<void> WatchedCommands::mustHoldFolder() const
{
    if (!m_claim || m_claim->isHeld())
        return {};
    return fail(ErrorCode::busy,
                fmt::format("Another process installs {} now: this one gave no sign of life for {} min.", m_name,
                            runner::kUnseenHolder.count()),
                "Install it again if it is still needed once that has ended.");
}

Result<void> WatchedCommands::mustRun(const std::vector<std::string>& words, const std::string& what, int percent)
{
    report(percent, what);
    TRY_ASSIGN(const builder::Answer answer, run(words, what, percent));
    if (answer.good())
        return {};
    const bool isFull = !builder::checkSpace(m_folder, kFullBytes, {}, {});
    const auto links = std::ranges::find(words, "--find-links");
    return tl::unexpected(whyPipFailed(what, answer.output, isFull, m_installation,
                                       links == words.end() ? std::string() : *std::next(links),
                                       readFile(m_folder / "venv-made").value_or("")));
}

Result<builder::Answer> WatchedCommands::run(const std::vector<std::string>& words, const std::string& what,
                                             int percent)
{
    TRY(mustHoldFolder());
    m_signNs = monotonicNs();
    const auto onLine = [&](std::string_view line) {
        m_signNs = monotonicNs();
        if (!what.empty())
            report(percent, plainText(line.substr(0, kLineBytes)));
    };
    return builder::run(words, m_deadline, {.folder = m_folder, .withErrors = true, .onLine = onLine, .look = [&] {
                                                return look(what, percent);
                                            }});
}

/// An order to end, the loss of the folder, or too long a silence, ends what runs.
Result<void> WatchedCommands::look(const std::string& what, int percent)
{
    if (monotonicNs() - m_lookedNs < toNs(kLookPeriod))
        return {};
    m_lookedNs = monotonicNs();
    std::error_code ignored;
    if (fs::exists(m_folder / "cancel", ignored))
        return tl::unexpected(cancelledError(m_name));
    TRY(mustHoldFolder());
    const std::uint64_t fetched = cleaner::bytesBelow(m_folder / "tmp");
    if (fetched != m_fetched) {
        m_signNs = monotonicNs();
        if (fetched > m_fetched && percent >= kFirstPackage && !m_isCompiling)
            report(percent, fmt::format("{}: {} so far", what, humanBytes(fetched)));
    }
    m_fetched = fetched;
    if (monotonicNs() - m_signNs < toNs(kSilenceLimit))
        return {};
    return fail(ErrorCode::timeout, fmt::format("No output from pip for {} min.", kSilenceLimit.count()),
                "The package index or a disk may hang; what was downloaded is kept for the next try.");
}

void WatchedCommands::report(int percent, const std::string& text) const
{
    const builder::Progress progress{kPhase, percent, text};
    std::ofstream(m_folder / "progress", std::ios::trunc) << builder::lineOf(progress);
    m_report(progress);
}

} // namespace ringside::engines
