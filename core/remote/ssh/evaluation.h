// SPDX-License-Identifier: MIT
// Walks through a configuration for one target: which blocks hold, and which value was set first. For where there is
// no ssh to ask (askssh.h).
#pragma once

#include "core/remote/ssh/configfile.h"
#include "core/remote/ssh/target.h"
#include "core/remote/ssh/values.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::ssh {

/// Facts that a block may ask about.
struct Subject
{
    Target target;
    std::string localUser;
};

class Evaluation
{
public:
    explicit Evaluation(Subject subject);

    /// All files, in their order; and once more where a “Match final” asks for it.
    void apply(const std::vector<ConfigFile>& files);
    /// The values that hold.
    const Values& values() const { return m_values; }
    /// The target's host name as far as it is known: HostName, else as written.
    std::string hostName() const;
    std::string user() const;

private:
    void apply(const ConfigFile& file, bool outer);
    void set(const Directive& directive);
    bool matches(const Directive& match);
    std::optional<bool> holds(const std::string& criterion, const std::string& patterns) const;

    Subject m_subject;
    Values m_values;
    bool m_wantsFinal = false; ///< a block waits for the second reading
    bool m_isFinal = false;
    std::string m_finalName; ///< the host name that the first reading found
};

/// At least one pattern matches and none that begins with "!".
bool matchesPatterns(const std::vector<std::string>& patterns, std::string_view text);
/// The parts of a list, empty ones included.
std::vector<std::string> splitAtCommas(std::string_view text);

} // namespace ringside::ssh
