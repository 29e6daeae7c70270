// SPDX-License-Identifier: MIT
// Tests whether a store has all of a file, by its cursors. Files that it lacks are never deleted.
#pragma once

#include "core/base/files.h"
#include "core/protocol/reason.h"
#include "core/wire/messages.h"

#include <map>
#include <string>

namespace ringside::cleaner {

class StoredFiles
{
public:
    StoredFiles(fs::path root, const std::vector<wire::Cursor>& stored);

    /// Returns why files below this folder (spools, journals) are not all stored; empty if they are. A torn last block,
    /// of a writer that is dead, will never be whole and does not count.
    Reason missingBelow(const fs::path& folder) const;

private:
    Reason missingOf(const fs::path& file) const;
    Reason missingOfSpool(const fs::path& file) const;
    Reason missingOfJournal(const fs::path& file) const;
    const wire::Cursor* cursorOf(const fs::path& file) const;

    fs::path m_root;
    std::map<std::string, wire::Cursor> m_cursors; ///< by path
};

} // namespace ringside::cleaner
