// SPDX-License-Identifier: MIT
// Memory for libtorch's large tensors that is not given back between iterations, on huge pages.
#pragma once

#include <c10/core/Allocator.h>
#include <cstddef>
#include <map>
#include <mutex>

namespace ringside {

/// An iteration allocates and frees the same sizes again and again. libtorch's own allocator returns large blocks to
/// the kernel, which then faults in and zeroes the same pages at every use: for AlexNet 60,000 of them an iteration.
/// Blocks from 1 MiB are kept here for the next request of about their size; smaller ones go to libtorch's allocator.
/// Thread-safe.
class CachingAllocator : public c10::Allocator
{
public:
    /// Makes one libtorch's CPU allocator, for the rest of the process.
    static void install();

    c10::DataPtr allocate(std::size_t bytes) override;
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; } // a block is freed through its context only
    void copy_data(void* to, const void* from, std::size_t bytes) const override;

private:
    struct Block
    {
        CachingAllocator* owner;
        std::size_t bytes;
        void* memory;
    };

    Block* take(std::size_t bytes);
    Block* make(std::size_t bytes);
    void giveBack(Block* block);
    void releaseFree();

    std::mutex m_mutex;
    std::multimap<std::size_t, Block*> m_free;
};

} // namespace ringside
