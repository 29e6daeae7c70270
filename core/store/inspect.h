// SPDX-License-Identifier: MIT
// Inside core/store: looks at a file before SQLite does, so that what is refused stays untouched.
#pragma once

#include "core/base/files.h"

namespace ringside::store {

/// Fails with damaged for what is not a whole store, with newerVersion for one of a later schema. Reads only its head.
Result<void> inspect(const fs::path& path);

tl::unexpected<Error> refuseDamaged(const fs::path& path, std::string_view why);
/// UX message 13. Reads from the file which version wrote it.
tl::unexpected<Error> refuseNewer(const fs::path& path, int schema);

} // namespace ringside::store
