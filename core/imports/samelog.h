// SPDX-License-Identifier: MIT
// Recognises a log that was imported before although its bytes are others: it has grown since, or a copy of it has the
// line ends of another system.
#pragma once

#include "core/imports/reading.h"
#include "core/store/imports.h"

#include <optional>
#include <vector>

namespace ringside::imports {

struct SameLog
{
    store::ImportedContent content; ///< that was imported
    bool hasGrown = false;          ///< the file begins with it; else they differ in their line ends alone
};

/// Returns the longest of these contents that the file was or begins with. Reads it again, as far as one of them
/// reaches: where none can be it, not at all. A file that is gone since it was read is none. Blocking; errors as of
/// OpenFile.
Result<std::optional<SameLog>> sameLog(const ReadFile& file, const std::vector<store::ImportedContent>& contents);

} // namespace ringside::imports
