// SPDX-License-Identifier: MIT
// Forms of tables of links, as files (resources/links; ../logs/README.md, “Tables of links”). Reading is strict: each
// finding has a field, a line and a remedy. No I/O.
#pragma once

#include "core/logs/format.h"
#include "core/spec/check.h"

#include <optional>
#include <string_view>
#include <vector>

namespace ringside::adapters {

inline constexpr int kLinkFormat = 1;

/// The form is there exactly if no check is blocking.
struct LinkFormOutcome
{
    std::optional<logs::LogFormat> form;
    std::vector<spec::Check> checks; ///< the gravest first
};

LinkFormOutcome readLinkForm(std::string_view toml);

} // namespace ringside::adapters
