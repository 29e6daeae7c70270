// SPDX-License-Identifier: MIT
// An adapter's table as a file (README.md beside this file). Reading is strict: each finding has a field, a line and a
// remedy. Input is hostile: at most kMaxAdapterBytes, bounded nesting; no I/O.
#pragma once

#include "core/adapters/adapter.h"
#include "core/spec/check.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::adapters {

inline constexpr std::size_t kMaxAdapterBytes = 256u << 10;

/// The adapter is there exactly if no check is blocking.
struct AdapterOutcome
{
    std::optional<Adapter> adapter;
    std::vector<spec::Check> checks; ///< the gravest first
    std::string name = {};           ///< also of one that is refused; empty: it could not be read
};

AdapterOutcome readAdapter(std::string_view toml);

/// Names that may be placeholders in its commands and its environment: its settings and options, what the site says,
/// and what a process knows (core/protocol/engine.h).
std::vector<std::string> placeholdersFor(const Adapter& adapter);
/// The same of the arguments of a user's own script, which are part of each run.
std::vector<std::string> argumentNamesFor(const Adapter& adapter);

} // namespace ringside::adapters
