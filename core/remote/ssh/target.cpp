// SPDX-License-Identifier: MIT
#include "core/remote/ssh/target.h"

#include "core/base/parsenumber.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>

namespace ringside::ssh {

namespace {

constexpr std::size_t kMaxHostName = 253; // DNS
constexpr std::size_t kMaxUserName = 64;

bool consistsOf(std::string_view text, std::string_view besidesAlphanumeric)
{
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return isAlphanumeric(c) || besidesAlphanumeric.find(c) != std::string_view::npos;
    });
}

std::string shown(std::string_view text)
{
    return plainText(text.substr(0, 80));
}

tl::unexpected<Error> notATarget(std::string_view text)
{
    return fail(ErrorCode::usage, Words::tr("“{}” is no host to connect to.", shown(text)),
                Words::tr("Write it as host, user@host or user@host:port."));
}

Result<int> parsePort(std::string_view text)
{
    const auto port = parseNumber<int>(text);
    if (!port || *port < 1 || *port > 65535)
        return fail(ErrorCode::usage, Words::tr("“{}” is no port.", shown(text)),
                    Words::tr("Ports go from 1 to 65535."));
    return *port;
}

/// "host", "host:port", "[address]:port"; a bare IPv6 address has no port.
Result<void> parseHostAndPort(std::string_view text, Target& target)
{
    std::string_view port;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos)
            return notATarget(text);
        port = text.substr(end + 1);
        text = text.substr(1, end - 1);
        if (!port.empty() && !port.starts_with(':'))
            return notATarget(text);
    } else if (const auto colon = text.find(':'); colon != std::string_view::npos && colon == text.rfind(':')) {
        port = text.substr(colon);
        text = text.substr(0, colon);
    }
    if (!port.empty()) {
        TRY_ASSIGN(target.port, parsePort(port.substr(1)));
    }
    target.host = text;
    return {};
}

} // namespace

bool isHostName(std::string_view text)
{
    if (text.empty() || text.size() > kMaxHostName || !(isAlphanumeric(text[0]) || text[0] == ':' || text[0] == '_'))
        return false;
    return consistsOf(text, ".-_") || (text.find(':') != std::string_view::npos && consistsOf(text, ".:%"));
}

Result<void> checkHostName(std::string_view text)
{
    if (isHostName(text))
        return {};
    return fail(ErrorCode::usage, Words::tr("“{}” is no host name.", plainText(text)),
                Words::tr("Letters, digits and .-_ are possible."));
}

Result<void> checkUserName(std::string_view name)
{
    if (!name.empty() && name.size() <= kMaxUserName && (isAlphanumeric(name[0]) || name[0] == '_') &&
        consistsOf(name, "._@+-\\") && !name.ends_with('\\'))
        return {};
    return fail(ErrorCode::usage, Words::tr("“{}” is not a user name that Ringside accepts.", shown(name)),
                Words::tr("Letters, digits and ._@+-\\ are possible."));
}

Result<Target> parseTarget(std::string_view text)
{
    constexpr std::string_view kScheme = "ssh://";
    const std::string_view whole = text;
    if (text.starts_with(kScheme))
        text.remove_prefix(kScheme.size());
    Target target;
    if (const auto at = text.rfind('@'); at != std::string_view::npos) {
        target.user = text.substr(0, at);
        text.remove_prefix(at + 1);
        TRY(checkUserName(target.user));
    }
    TRY(parseHostAndPort(text, target));
    if (!isHostName(target.host))
        return notATarget(whole);
    return target;
}

Result<std::vector<Target>> parseTargets(std::string_view text)
{
    std::vector<Target> targets;
    while (true) {
        const auto comma = text.find(',');
        TRY_ASSIGN(Target target, parseTarget(text.substr(0, comma)));
        targets.push_back(std::move(target));
        if (comma == std::string_view::npos)
            return targets;
        text.remove_prefix(comma + 1);
    }
}

std::string written(const Target& target)
{
    const bool isAddress = target.host.find(':') != std::string::npos;
    return fmt::format("{}{}{}{}", target.user, target.user.empty() ? "" : "@",
                       isAddress && target.port != 0 ? fmt::format("[{}]", target.host) : target.host,
                       target.port == 0 ? "" : fmt::format(":{}", target.port));
}

std::string written(const std::vector<Target>& targets)
{
    return joined(targets, std::string_view(","), [](const Target& target) { return written(target); });
}

} // namespace ringside::ssh
