// SPDX-License-Identifier: MIT
// Values of a configuration for one host: by keyword in lower case, as “ssh -G” prints it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ringside::ssh {

/// The keyword of the hash that ssh puts in place of %C, which “ssh -G” prints under none of its own.
inline constexpr const char* kConnectionHash = "connectionhash";

struct Value
{
    std::vector<std::string> words; ///< at least one
    std::string place;              ///< where it was set, for messages
    bool operator==(const Value&) const = default;
};

class Values
{
public:
    void add(const std::string& keyword, Value value) { m_values[keyword].push_back(std::move(value)); }
    void replace(const std::string& keyword, Value value) { m_values[keyword] = {std::move(value)}; }
    void remove(const std::string& keyword) { m_values.erase(keyword); }

    /// The value of a keyword; null if none was set.
    const Value* find(const std::string& keyword) const
    {
        const auto& values = all(keyword);
        return values.empty() ? nullptr : &values.front();
    }
    /// All values of the keywords that add up: identityfile, certificatefile.
    const std::vector<Value>& all(const std::string& keyword) const
    {
        static const std::vector<Value> kNone;
        const auto found = m_values.find(keyword);
        return found == m_values.end() ? kNone : found->second;
    }

    std::vector<std::string> notes; ///< blocks that could not be decided

private:
    std::map<std::string, std::vector<Value>> m_values;
};

} // namespace ringside::ssh
