// SPDX-License-Identifier: MIT
// Walks through a configuration for one target: which blocks hold, and which value was said first.
#pragma once

#include "core/remote/ssh/configfile.h"
#include "core/remote/ssh/target.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::ssh {

/// What a block may ask about.
struct Subject
{
    Target target;
    std::string localUser;
};

class Evaluation
{
public:
    explicit Evaluation(Subject subject);

    void apply(const ConfigFile& file) { apply(file, true); }

    /// The first value said for a keyword; null if there is none.
    const Directive* find(const std::string& keyword) const;
    /// All values of the keywords that add up: identityfile, certificatefile.
    const std::vector<const Directive*>& all(const std::string& keyword) const;
    /// Blocks that could not be decided.
    const std::vector<std::string>& notes() const { return m_notes; }
    /// The target's host name as far as it is known: HostName, else as written.
    std::string hostName() const;
    std::string user() const;

private:
    void apply(const ConfigFile& file, bool outer);
    void set(const Directive& directive);
    bool matches(const Directive& match);
    std::optional<bool> holds(const std::string& criterion, const std::string& patterns) const;

    Subject m_subject;
    std::map<std::string, std::vector<const Directive*>> m_values;
    std::vector<std::string> m_notes;
};

/// "*" and "?", case-sensitive.
bool matchesWildcard(std::string_view pattern, std::string_view text);
/// At least one pattern matches and none that begins with "!".
bool matchesPatterns(const std::vector<std::string>& patterns, std::string_view text);

} // namespace ringside::ssh
