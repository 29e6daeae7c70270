// SPDX-License-Identifier: MIT
// Shows the thread sanitizer that a loop on libtorch's threads waits for them. The barriers are futexes of libgomp, in
// which it sees nothing, so that it takes each part of a loop for a race with what the caller does next.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace ringside::poolbarrier {

inline char mark;

/// Whatever this thread has done happened before what any thread does after a later acquire(). Empty without the
/// sanitizer.
inline void release()
{
#if defined(__SANITIZE_THREAD__)
    __tsan_release(&mark);
#endif
}

inline void acquire()
{
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(&mark);
#endif
}

} // namespace ringside::poolbarrier
