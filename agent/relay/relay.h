// SPDX-License-Identifier: MIT
// The far end of Ringside's conversation with a site: answers on standard output what is asked on standard input.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

namespace ringside::relay {

struct RelayOptions
{
    fs::path root;   ///< the site's root (core/protocol/layout.h)
    fs::path worker; ///< asked for its features by a probe; may be empty
    fs::path agent;  ///< started as the runner of a submitted campaign
};

/// Serves until standard input ends. One thread. Opens no port and has no state besides the files under the root:
/// killed and started again it continues with the app's requests.
Result<void> serve(const RelayOptions& options);

} // namespace ringside::relay
