// SPDX-License-Identifier: MIT
// Files of ssh_config(5), read once with everything they include: where there is no ssh to ask, and for the list of
// hosts that they name. settings.h interprets them.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/words.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::ssh {

struct ConfigFile;

/// One line: its keyword in lower case, its words without quotes, and for Include the files that it names.
struct Directive
{
    std::string keyword;
    std::vector<std::string> words;
    fs::path file;
    int line = 0;
    std::vector<ConfigFile> included;

    /// "~/.ssh/config, line 12" for messages.
    std::string place() const { return Words::tr("{}, line {}", file.string(), line); }
};

struct ConfigFile
{
    std::vector<Directive> directives;
};

struct ConfigPlaces
{
    fs::path home;                                 ///< whose ~/.ssh is meant
    std::string localUser;                         ///< the user here; the user there unless something says otherwise
    fs::path systemConfig = "/etc/ssh/ssh_config"; ///< read after the user's
    fs::path systemKnownHosts = "/etc/ssh/ssh_known_hosts";

    /// Finds those of the user who runs this, by the password database: ssh looks there as well, and not at $HOME.
    static Result<ConfigPlaces> ofThisUser();
};

/// Fails with permission for a file that others may write: it could send a connection, and the password typed into it,
/// anywhere, or name a command (“Match exec”). A file that is not there passes.
Result<void> checkOnlyUserWrites(const fs::path& path);

/// The words of a line: quotes group, a backslash makes a quote or backslash literal, # ends it.
std::vector<std::string> takeWords(std::string_view text);

/// The user's file and then the system's, or only `explicitFile` if one is named. A file of the user that others may
/// write is refused with permission; one that does not exist is empty, unless it was named.
Result<std::vector<ConfigFile>> readConfigFiles(const ConfigPlaces& places, const fs::path& explicitFile = {});

} // namespace ringside::ssh
