// SPDX-License-Identifier: MIT
#include "agent/worker/cachingallocator.h"

#include <c10/core/CPUAllocator.h>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace ringside {

namespace {

constexpr std::size_t kSmallest = 1u << 20;
constexpr std::size_t kHugePage = 2u << 20;

std::size_t roundUp(std::size_t bytes)
{
    return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

/// A larger free block serves if it wastes at most a quarter.
bool servesFor(std::size_t block, std::size_t bytes)
{
    return block <= bytes + bytes / 4;
}

/// Zeroed memory that begins at the border of a huge page; null if there is none.
void* mapHuge(std::size_t bytes)
{
    void* mapped = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return nullptr;
    auto* begin = static_cast<std::byte*>(mapped);
    const auto lead = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
    if (lead > 0)
        munmap(begin, lead);
    if (lead < kHugePage)
        munmap(begin + lead + bytes, kHugePage - lead);
    madvise(begin + lead, bytes, MADV_HUGEPAGE); // advice: without it the pages are small and all else is the same
    return begin + lead;
}

} // namespace

void CachingAllocator::install()
{
    static CachingAllocator allocator; // tensors of static lifetime may outlive every owner
    c10::SetCPUAllocator(&allocator);
}

c10::DataPtr CachingAllocator::allocate(std::size_t bytes)
{
    if (bytes < kSmallest)
        return c10::GetDefaultCPUAllocator()->allocate(bytes);
    auto* block = take(roundUp(bytes));
    const auto release = [](void* context) {
        auto* freed = static_cast<Block*>(context);
        freed->owner->giveBack(freed);
    };
    return {block->memory, block, release, at::Device(at::kCPU)};
}

CachingAllocator::Block* CachingAllocator::take(std::size_t bytes)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_free.lower_bound(bytes);
        if (found != m_free.end() && servesFor(found->first, bytes)) {
            auto* block = found->second;
            m_free.erase(found);
            return block;
        }
    }
    return make(bytes);
}

CachingAllocator::Block* CachingAllocator::make(std::size_t bytes)
{
    void* memory = mapHuge(bytes);
    if (!memory) {
        releaseFree();
        memory = mapHuge(bytes);
    }
    if (!memory)
        throw std::bad_alloc();
    return new Block{this, bytes, memory};
}

void CachingAllocator::giveBack(Block* block)
{
    const std::lock_guard lock(m_mutex);
    m_free.emplace(block->bytes, block);
}

void CachingAllocator::releaseFree()
{
    const std::lock_guard lock(m_mutex);
    for (const auto& [bytes, block] : m_free) {
        munmap(block->memory, bytes);
        delete block;
    }
    m_free.clear();
}

void CachingAllocator::copy_data(void* to, const void* from, std::size_t bytes) const
{
    std::memcpy(to, from, bytes);
}

} // namespace ringside
