// SPDX-License-Identifier: MIT
#include "agent/worker/train/cachingallocator.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
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

CachingAllocator& CachingAllocator::instance()
{
    static auto* allocator = new CachingAllocator; // never destroyed, see the header
    return *allocator;
}

void CachingAllocator::install()
{
    c10::SetCPUAllocator(&instance());
}

c10::DeleterFnPtr CachingAllocator::raw_deleter() const
{
    return [](void* memory) {
        if (!instance().reclaim(memory))
            c10::free_cpu(memory);
    };
}

c10::DataPtr CachingAllocator::allocate(std::size_t bytes)
{
    void* memory = bytes < kSmallest ? c10::alloc_cpu(bytes) : take(roundUp(bytes));
    return {memory, memory, raw_deleter(), at::Device(at::kCPU)};
}

void* CachingAllocator::take(std::size_t bytes)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_free.lower_bound(bytes);
    if (found == m_free.end() || !servesFor(found->first, bytes))
        return map(bytes);
    void* memory = found->second;
    m_free.erase(found);
    return memory;
}

void* CachingAllocator::map(std::size_t bytes)
{
    void* memory = mapHuge(bytes);
    if (!memory) {
        releaseFree();
        memory = mapHuge(bytes);
    }
    if (!memory)
        throw std::bad_alloc();
    m_sizes.emplace(memory, bytes);
    return memory;
}

bool CachingAllocator::reclaim(void* memory)
{
    const std::lock_guard lock(m_mutex);
    const auto block = m_sizes.find(memory);
    if (block == m_sizes.end())
        return false;
    m_free.emplace(block->second, memory);
    return true;
}

void CachingAllocator::releaseFree()
{
    for (const auto& [bytes, memory] : m_free) {
        munmap(memory, bytes);
        m_sizes.erase(memory);
    }
    m_free.clear();
}

void CachingAllocator::copy_data(void* to, const void* from, std::size_t bytes) const
{
    std::memcpy(to, from, bytes);
}

} // namespace ringside
