// SPDX-License-Identifier: MIT
#include "agent/worker/runtime/memory.h"

#include <limits>
#include <malloc.h>

namespace ringside {

void keepFreedMemory()
{
    mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TOP_PAD, 64 << 20);
}

} // namespace ringside
