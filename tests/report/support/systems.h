// SPDX-License-Identifier: MIT
#pragma once

#include "core/adapters/adapterbook.h"
#include "core/spec/systems.h"
#include "tests/support/temporaryfolder.h"

namespace ringside::test {

/// The systems that come with Ringside, in use.
struct Systems
{
    Systems() { book.use(); }
    ~Systems() { spec::setSystems({}); }

    TemporaryFolder folder;
    adapters::AdapterBook book{folder.path()};
};

} // namespace ringside::test
