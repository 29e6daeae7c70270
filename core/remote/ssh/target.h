// SPDX-License-Identifier: MIT
// Host to connect to, as people write it. Everything that reaches libssh or a file of ssh passed this grammar.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::ssh {

/// "kim@alder", "alder:2222", "[2001:db8::1]:22", "ssh://kim@alder:2222". Empty and 0: from the configuration.
struct Target
{
    std::string host;
    std::string user;
    int port = 0;
    bool operator==(const Target&) const = default;
};

/// Letters, digits and ".-_", or an IPv6 address; no leading "-", at most 253 characters.
bool isHostName(std::string_view text);
/// Fails with usage for another text.
Result<void> checkHostName(std::string_view text);
/// Letters, digits and "._@+-\", beginning with a letter, a digit or "_" and not ending with "\" (a domain's users are
/// DOMAIN\name); at most 64 characters. Fails with usage.
Result<void> checkUserName(std::string_view name);

/// Fails with usage.
Result<Target> parseTarget(std::string_view text);
/// A comma-separated list, as after ProxyJump.
Result<std::vector<Target>> parseTargets(std::string_view text);
/// In that form: parseTarget() of it is the target.
std::string written(const Target& target);
std::string written(const std::vector<Target>& targets);

} // namespace ringside::ssh
