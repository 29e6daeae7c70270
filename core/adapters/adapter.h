// SPDX-License-Identifier: MIT
// A system that Ringside launches, watches and reads, as its table says it (README.md beside this file). Plain values.
#pragma once

#include "core/logs/format.h"
#include "core/protocol/engine.h"
#include "core/protocol/installation.h"
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
    std::string standardFrom;               ///< "ranks": as many as those; `standard` is for where it has no effect
    double minimum = -1e12, maximum = 1e12; ///< of a number
    std::vector<std::string> levels;        ///< of a word; empty: any
    std::string description;
    std::string source; ///< where its default is documented
    spec::Effect effect;
    bool isLater = false; ///< added to a table in use: runs of before it keep their keys
    bool operator==(const Option&) const = default;
};

/// An adapter without a command is only read, and no engine.
struct Adapter
{
    std::string name;  ///< the level of `engine`: small letters, digits, “-”
    std::string title; ///< "MXNet"
    std::string about; ///< one sentence, English
    std::string licence;
    VersionRange versions;             ///< that its launch was written for
    std::vector<std::string> settings; ///< of an experiment that it knows; all others are no part of its configurations
    std::vector<Option> options;
    std::map<std::string, std::vector<Value>> levels; ///< the only ones that its command accepts, by setting
    std::vector<spec::Gap> gaps;
    std::vector<spec::RoleRow> roles;
    std::vector<spec::Design> designs;
    std::string batch; ///< how batch_per_rank becomes the program's own number, for people
    spec::ProcessOf process = spec::ProcessOf::rank;
    logs::LineItems items = logs::LineItems::model; ///< that its lines count
    Engine engine;
    std::optional<Installation> installation; ///< nothing: its commands name neither interpreter nor environment
    bool operator==(const Adapter&) const = default;
};

} // namespace ringside::adapters
