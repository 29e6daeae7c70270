// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/files.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::builder {

/// While it lives, what this process starts keeps its temporary files, and pip and compilers their caches, below a
/// folder: /tmp may be small, and a home have a quota. Nothing that this user has set has pip install to another place,
/// or Python look there. Afterwards the variables are as before. Not thread-safe.
class PipVariables
{
public:
    explicit PipVariables(const fs::path& folder);
    ~PipVariables();
    PipVariables(const PipVariables&) = delete;
    PipVariables& operator=(const PipVariables&) = delete;

    /// In `folder`; to be made before anything is started.
    static constexpr const char* kTemporary = "tmp";
    static constexpr const char* kCache = "cache";

private:
    void set(const char* name, const std::optional<std::string>& value);

    std::map<std::string, std::optional<std::string>> m_before;
};

/// Options for “pip install”: a pip.conf may name another place, which no variable overrules.
inline std::vector<std::string> pipsOwnPlace()
{
    return {"--target=", "--prefix=", "--root="};
}

} // namespace ringside::builder
