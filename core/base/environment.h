// SPDX-License-Identifier: MIT
// The environment variables of this process.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

/// Like getenv, but an empty variable counts as unset.
const char* environment(const char* name);

/// "NAME=value" of everything that a child should inherit. A launcher's variables about this process's rank are left
/// out: a worker that is started on its own would wait for the others, and mpirun would assume that it is one of them.
/// Users' own settings of Open MPI (MCA) stay.
std::vector<std::string> inheritedEnvironment();

/// "NAME=value" of everything that this process has, with these set in place of what it has of them.
std::vector<std::string> environmentWith(const std::map<std::string, std::string>& variables);
/// The same for a list.
void setVariables(std::vector<std::string>& environment, const std::map<std::string, std::string>& variables);

/// The name of a "NAME=value".
std::string_view variableName(std::string_view entry);

} // namespace ringside
