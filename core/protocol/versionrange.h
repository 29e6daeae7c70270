// SPDX-License-Identifier: MIT
// Versions that a table is for: ">=1.6, <2". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

/// The numbers of a version, up to what is no number: 2.7.post2 is 2, 7. The first one in a text that says more; empty:
/// there is none.
std::vector<int> versionNumbers(std::string_view text);

class VersionRange
{
public:
    /// Every version.
    VersionRange() = default;
    /// Nothing where the text is no list of >=, >, <=, <, == and a version each.
    static std::optional<VersionRange> parse(std::string_view text);

    /// A version of which nothing is known is in no range but that of all.
    bool contains(std::string_view version) const;
    /// Contains it, or nothing is known of it.
    bool mayContain(std::string_view version) const { return version.empty() || contains(version); }
    bool isAll() const { return m_bounds.empty(); }
    /// Returns true if all its versions are in the other range, too: each bound of that one follows from a bound of
    /// this one.
    bool isWithin(const VersionRange& wider) const;
    const std::string& text() const { return m_text; }
    bool operator==(const VersionRange&) const = default;

private:
    struct Bound
    {
        std::string sign;
        std::vector<int> version;
        bool operator==(const Bound&) const = default;
    };
    static bool implies(const Bound& inner, const Bound& outer);

    std::string m_text;
    std::vector<Bound> m_bounds;
};

} // namespace ringside
