// SPDX-License-Identifier: MIT
#include "agent/engines/whypipfailed.h"

#include "agent/builder/process.h"
#include "core/base/sequences.h"
#include "core/base/shellquote.h"
#include "core/base/text.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace ringside::engines {

namespace {

bool says(const std::string& output, std::string_view text)
{
    return output.find(text) != std::string::npos;
}

/// As urllib3 words it, in every version.
bool isWithoutNetwork(const std::string& output)
{
    constexpr std::string_view kSigns[] = {
        "Failed to establish a new connection", "ConnectTimeoutError",    "Name or service not known",
        "Temporary failure in name resolution", "Network is unreachable", "Cannot connect to proxy"};
    return std::ranges::any_of(kSigns, [&](std::string_view sign) { return says(output, sign); });
}

/// Returns "tiny==1.4.0" of “No matching distribution found for tiny==1.4.0”, which may be a dependency's name; empty:
/// it does not say so.
std::string missingIn(const std::string& output)
{
    constexpr std::string_view kHead = "No matching distribution found for ";
    const std::size_t at = output.rfind(kHead);
    if (at == output.npos)
        return {};
    const std::string line = output.substr(at + kHead.size());
    return plainText(line.substr(0, line.find('\n')));
}

} // namespace

std::string needs(const Installation& installation)
{
    std::string text = "Its output says what is missing.";
    if (!installation.needs.empty())
        text += fmt::format(" It needs (Debian): {}.", fmt::join(installation.needs, " "));
    return text;
}

Error whyPipFailed(const std::string& what, const std::string& output, bool isDiskFull,
                   const Installation& installation, const std::string& wheels, const std::string& python)
{
    if (const std::string missing = missingIn(output); !wheels.empty() && !missing.empty())
        return {
            ErrorCode::unavailable,
            fmt::format("{} failed: {} lacks {} for Python {}.", what, plainText(wheels), missing, python),
            fmt::format("Fetch it where there is a network, by the same version of Python: “pip download -d {} {}”.",
                        shellQuote(wheels), joined(packagesOf(installation), " ", shellQuote))};
    if (isWithoutNetwork(output))
        return {ErrorCode::unavailable, fmt::format("{} failed: the package index cannot be reached from here.", what),
                fmt::format("Fetch its packages where there is a network (“pip download -d FOLDER {}”), copy the "
                            "folder here, and name it: --wheels FOLDER.",
                            joined(packagesOf(installation), " ", shellQuote))};
    if (isDiskFull || builder::saysDiskFull(output))
        return {ErrorCode::noSpace, fmt::format("{} failed: the disk is full.", what),
                "Free some space, or use another root; what was downloaded is kept for the next try."};
    if (says(output, "No module named ensurepip"))
        return {ErrorCode::unavailable, fmt::format("{} failed: it has no ensurepip, which brings pip.", what),
                "Install it (Debian: python3-venv), or name another interpreter: --python."};
    return {ErrorCode::unavailable, fmt::format("{} failed: {}", what, builder::lastLines(output, kLinesShown)),
            needs(installation)};
}

} // namespace ringside::engines
