// SPDX-License-Identifier: MIT
#include "core/base/cachefolder.h"

#include "core/base/environment.h"
#include "core/base/words.h"

namespace ringside {

Result<fs::path> cacheFolder()
{
    if (const char* cache = environment("XDG_CACHE_HOME"))
        return fs::path(cache) / "ringside";
    if (const char* home = environment("HOME"))
        return fs::path(home) / ".cache/ringside";
    return fail(ErrorCode::unavailable, Words::tr("There is no cache folder: HOME and XDG_CACHE_HOME are empty."),
                Words::tr("Set HOME to a folder that you may write to."));
}

} // namespace ringside
