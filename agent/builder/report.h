// SPDX-License-Identifier: MIT
// Progress of a build, as lines "phase percent text" on standard output: for the relay, and readable as they are.
#pragma once

#include "core/base/error.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::builder {

struct Progress
{
    std::string
        phase; ///< one word: modules, tools, torch, wait, unpack, configure, compile, prove; at the end done or failed
    int percent = 0;
    std::string text;     ///< one line for people; of "done" the path of worker.json, of "failed" the error as JSON
    std::string log = {}; ///< what the build's log has got since; in no line
    bool operator==(const Progress&) const = default;
};

using Report = std::function<void(const Progress&)>;

/// Without the newline.
std::string lineOf(const Progress& progress);
std::optional<Progress> progressOf(std::string_view line);

std::string errorToJson(const Error& error);
/// Reads the output of errorToJson; anything else becomes the message of an error.
Error errorFromJson(std::string_view text);

} // namespace ringside::builder
