// SPDX-License-Identifier: MIT
// Says whose records a process prints, where one line of it says that for all that follow (Meaning::reporter). Pure.
// Internal to core/logs.
#pragma once

#include "core/logs/format.h"

#include <map>
#include <optional>
#include <vector>

namespace ringside::logs {

class Reporters
{
public:
    /// `format` outlives it.
    explicit Reporters(const LogFormat& format);

    /// Notes what a line of Meaning::reporter says of the process that printed it. Returns whether it said otherwise
    /// before, or nothing.
    bool note(const LineForm& form, std::optional<int> rank);
    /// Returns a line's form, in the scope that the process has said: one of the format's own, or one that lives as
    /// long as this object.
    const LineForm* formOf(const LineForm* form, std::optional<int> rank) const;
    /// Another run of this process begins, which says it anew; of all processes without a rank.
    void beginRun(std::optional<int> rank);

private:
    std::optional<Scope> saidBy(std::optional<int> rank) const;
    const LineForm* scoped(const LineForm* form, Scope scope) const;

    const LogFormat& m_format;
    std::vector<LineForm> m_ofRank, m_ofNode, m_ofAll; ///< the format's, in these scopes; empty: it has no reporters
    std::map<std::optional<int>, Scope> m_said;
};

} // namespace ringside::logs
