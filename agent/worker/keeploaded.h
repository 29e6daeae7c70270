// SPDX-License-Identifier: MIT
// Under the sanitizers of addresses and threads a program that includes this unloads no library. A report names what it
// found by its library, which suppressions go by, only as long as that is loaded, and Open MPI unloads its components.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" [[gnu::used]] inline int dlclose(void* /*library*/) noexcept // in place of the C library's
{
    return 0;
}
#endif
