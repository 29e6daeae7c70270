// SPDX-License-Identifier: MIT
// Paths of a configuration: %h and its like, ${NAME} and ~.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/remote/ssh/configfile.h"
#include "core/remote/ssh/values.h"

#include <map>
#include <string>

namespace ringside::ssh {

/// Names that the tokens stand for.
struct TokenNames
{
    std::string alias;
    std::string hostName;
    std::string user;
    std::string hostKeyAlias;   ///< empty without
    std::string jumpHost;       ///< the one that leads to it; empty without
    std::string connectionHash; ///< what ssh makes of these (%C), as it says; empty where it was not asked
    int port = 22;
};

class Tokens
{
public:
    Tokens(const TokenNames& names, const ConfigPlaces& places);

    /// The path that a word means. Fails with usage for a token or a variable that is not known.
    Result<fs::path> path(const Value& value, const std::string& word) const;

private:
    Result<std::string> withTokens(const Value& value, const std::string& word) const;
    fs::path m_home;
    std::map<char, std::string> m_tokens;
};

/// "~/x" and "~kim/x" as ssh reads them. Relative paths begin at `home`, and never at the current folder, which others
/// may have made.
fs::path withHome(const std::string& path, const fs::path& home);

} // namespace ringside::ssh
