// SPDX-License-Identifier: MIT
// Recipe of a system's private environment on a site: what an adapter's table says of it, as JSON for the agent.
#pragma once

#include "core/base/error.h"
#include "core/protocol/versionrange.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

struct Installation
{
    VersionRange python;   ///< of the interpreter that it is made with
    VersionRange versions; ///< of the system, that its table was written for
    std::vector<std::string>
        packages; ///< pinned, as pip takes them: "mxnet==1.9.1"; in this order, one after the other
    std::vector<std::string> pipOptions; ///< "--no-build-isolation"
    std::map<std::string, std::string> environment;
    std::string module;               ///< of Python, whose version is that of the system
    std::vector<std::string> imports; ///< further modules that its drivers need
    std::string source;               ///< a package whose sources are compiled, pinned; empty: nothing is
    std::string build;                ///< the project of CMake beside the drivers that compiles it
    std::string program;              ///< of the environment's bin/: where there is no module, it prints the version
    /// Names by which the packages call libraries of the site: "libmpi.so.12" is its "libmpi.so.40".
    std::map<std::string, std::string> libraries;
    std::vector<std::string> needs; ///< packages of Debian, named where something fails
    std::uint64_t bytes = 0;        ///< on disk, about
    int seconds = 0;                ///< about
    std::string from;               ///< where it comes from, for people: "the Python package index"
    bool operator==(const Installation&) const = default;

    /// Nothing is fetched: interpreter, module and program are there, by the site's modules or in its PATH.
    bool takesWhatIsThere() const { return packages.empty() && source.empty(); }
};

/// All that pip fetches: what it installs, and what is compiled.
std::vector<std::string> packagesOf(const Installation& installation);

std::string installationToJson(const Installation& installation);
Result<Installation> installationFromJson(std::string_view text);

} // namespace ringside
