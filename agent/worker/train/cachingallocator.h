// SPDX-License-Identifier: MIT
// Memory for libtorch's large tensors that is not returned to the kernel between iterations, on huge pages.
#pragma once

#include <c10/core/Allocator.h>
#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>

namespace ringside {

/// An iteration allocates and frees the same sizes again and again. libtorch's own allocator returns large blocks to
/// the kernel, which then faults in and zeroes the same pages at every use: for AlexNet 60,000 of them an iteration.
/// Blocks from 1 MiB are cached here for the next request of about their size; smaller ones go to libtorch's allocator.
/// Thread-safe.
class CachingAllocator : public c10::Allocator
{
public:
    /// The only one: libtorch frees through a plain function pointer, and tensors of static lifetime outlive every
    /// owner.
    static CachingAllocator& instance();
    /// Makes it libtorch's CPU allocator (and oneDNN's, for its scratch memory), for the rest of the process.
    static void install();

    c10::DataPtr allocate(std::size_t bytes) override;
    c10::DeleterFnPtr raw_deleter() const override;
    void copy_data(void* to, const void* from, std::size_t bytes) const override;

private:
    CachingAllocator() = default;

    void* take(std::size_t bytes);
    void* map(std::size_t bytes);
    bool reclaim(void* memory);
    void releaseFree();

    std::mutex m_mutex;
    std::unordered_map<void*, std::size_t> m_sizes; ///< of every block, in use or free
    std::multimap<std::size_t, void*> m_free;
};

} // namespace ringside
