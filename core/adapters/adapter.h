// SPDX-License-Identifier: MIT
// A system that Ringside launches, watches and reads, as its table says it (README.md beside this file). Plain values.
#pragma once

#include "core/adapters/versionrange.h"
#include "core/protocol/engine.h"
#include "core/protocol/settings.h"
#include "core/spec/systems.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::adapters {

inline constexpr int kAdapterFormat = 1;

/// A setting of its own, which an experiment names “mxnet.kvstore”.
struct Option
{
    std::string key;   ///< whole
    std::string label; ///< English, as what follows
    spec::SettingType type = spec::SettingType::word;
    std::string unit;
    std::optional<Value> standard;
    double minimum = 0, maximum = 0;
    std::vector<std::string> levels; ///< of a word; empty: any
    std::string description;
    std::string source; ///< where its default is documented
    bool operator==(const Option&) const = default;
};

/// How a private environment of it is made.
struct Installation
{
    VersionRange python;
    std::vector<std::string> packages;   ///< pinned, as pip takes them: "mxnet==1.9.1"
    std::vector<std::string> pipOptions; ///< "--no-build-isolation"
    std::map<std::string, std::string> environment;
    std::vector<std::string> needs; ///< system packages of Debian, to be named where something fails
    std::uint64_t bytes = 0;        ///< on disk, about
    int seconds = 0;                ///< about
    std::string from;               ///< where it comes from, for people: "the Python package index"
    bool operator==(const Installation&) const = default;
};

/// Whose command is empty is only read, and no engine.
struct Adapter
{
    std::string name;  ///< the level of `engine`: small letters, digits, “-”
    std::string title; ///< "MXNet"
    std::string about; ///< one sentence, English
    std::string licence;
    std::string module; ///< of Python, whose version is its version; empty: `versionCommand` says it
    std::vector<std::string> versionCommand; ///< prints the version in its output
    VersionRange versions;                   ///< that it was written for
    std::vector<std::string> settings; ///< of an experiment that it knows; all others are no part of its configurations
    std::vector<Option> options;
    std::vector<spec::Gap> gaps;
    std::vector<spec::RoleRow> roles;
    std::vector<spec::Design> designs;
    std::string batch; ///< how batch_per_rank becomes the program's own number, for people
    Engine engine;
    std::optional<Installation> installation;
    bool operator==(const Adapter&) const = default;
};

} // namespace ringside::adapters
