// SPDX-License-Identifier: MIT
// The adapters of this user: those that Ringside brings, and tables in $XDG_CONFIG_HOME/ringside/adapters, which
// replace what has their name. Two of the user's with one name are refused.
#pragma once

#include "core/adapters/adaptertoml.h"
#include "core/base/files.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::adapters {

class AdapterBook
{
public:
    /// Reads a folder, which may be missing; blocking, milliseconds.
    explicit AdapterBook(const fs::path& folder);
    static Result<AdapterBook> ofUser();

    struct Entry
    {
        std::string name; ///< of a table that cannot be read: of its file
        fs::path file;    ///< empty: Ringside brings it
        AdapterOutcome outcome;

        /// The gravest fault of its table, and its place; empty if there is none.
        std::string refusal() const;
    };
    /// In the order of their names.
    const std::vector<Entry>& entries() const { return m_entries; }
    const Adapter* find(std::string_view name) const;
    /// Those of the entries, for a list of what does not work.
    std::vector<std::string> refusals() const;

    /// Lets experiments name the adapters as their engines (core/spec/systems.h), which the book outlives from now on.
    void use() const;

private:
    void add(Entry entry);

    std::vector<Entry> m_entries;
};

/// This user's, in use since the first call. Before anything reads an experiment; then from any thread.
const AdapterBook& usersAdapters();

} // namespace ringside::adapters
