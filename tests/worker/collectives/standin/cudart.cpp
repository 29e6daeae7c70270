// SPDX-License-Identifier: MIT
#include "tests/worker/collectives/standin/cudart.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace {

class Stream
{
public:
    void enqueue(std::function<void()> work)
    {
        const std::lock_guard lock(m_mutex);
        m_work.push_back(std::move(work));
        m_changed.notify_all();
    }

    /// Until what was asked for so far is done.
    void synchronize()
    {
        std::promise<void> done;
        enqueue([&done] { done.set_value(); });
        done.get_future().wait();
    }

private:
    void run(const std::stop_token& stop)
    {
        for (;;) {
            std::function<void()> work;
            {
                std::unique_lock lock(m_mutex);
                if (!m_changed.wait(lock, stop, [&] { return !m_work.empty(); }))
                    return;
                work = std::move(m_work.front());
                m_work.pop_front();
            }
            work();
        }
    }

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<std::function<void()>> m_work;
    std::jthread m_thread{[this](const std::stop_token& stop) { run(stop); }};
};

/// Counts how often it was recorded, and how often a stream came there. Enqueued work shares it: CUDA, too, lets an
/// event be destroyed before a stream came there.
struct Event
{
    std::atomic<unsigned> recorded{0};
    std::atomic<unsigned> reached{0};
    std::atomic<std::int64_t> reachedNs{0};
};
using EventHandle = std::shared_ptr<Event>;

std::mutex memoryMutex;
std::map<const char*, std::size_t> deviceMemory;

/// Memory that was given back, filled with what no computation survives, not-a-numbers in every format of floats: who
/// still reads it is found out. It is not handed out again before that much more was given back.
class Graveyard
{
public:
    ~Graveyard()
    {
        for (const auto& [memory, bytes] : m_buried)
            std::free(memory);
    }
    void bury(void* memory, std::size_t bytes)
    {
        if (!memory)
            return;
        std::memset(memory, 0xff, bytes);
        const std::lock_guard lock(m_mutex);
        m_buried.emplace_back(memory, bytes);
        m_bytes += bytes;
        while (m_bytes > kMost) {
            std::free(m_buried.front().first);
            m_bytes -= m_buried.front().second;
            m_buried.pop_front();
        }
    }

private:
    static constexpr std::size_t kMost = 64u << 20;
    std::mutex m_mutex;
    std::deque<std::pair<void*, std::size_t>> m_buried;
    std::size_t m_bytes = 0;
};

Graveyard graveyard;
std::map<void*, std::size_t> hostMemory; ///< pinned; guarded by memoryMutex

/// Returns how long it was, and forgets it.
template <class Memory> std::size_t forget(std::map<Memory, std::size_t>& known, void* memory)
{
    const std::lock_guard lock(memoryMutex);
    const auto found = known.extract(static_cast<Memory>(memory));
    return found.empty() ? 0 : found.mapped();
}
std::atomic<std::uint64_t> copiedBytes{0};
std::atomic<bool> hasFailed{false};

std::mutex eventsMutex;
std::set<cudaEvent_t> ownEvents;
std::shared_ptr<void> (*holdEvent)(void*) = nullptr;
void (*awaitEvent)(void*) = nullptr;

bool isOwn(cudaEvent_t event)
{
    const std::lock_guard lock(eventsMutex);
    return ownEvents.contains(event);
}

std::int64_t nowNs()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

std::mutex streamsMutex;
std::set<Stream*> streams;

/// CUDA frees nothing that a stream may still read or write.
void synchronizeAll()
{
    const std::lock_guard lock(streamsMutex);
    for (Stream* stream : streams)
        stream->synchronize();
}

Stream& streamOf(cudaStream_t stream)
{
    return *reinterpret_cast<Stream*>(stream);
}
EventHandle& eventOf(cudaEvent_t event)
{
    return *reinterpret_cast<EventHandle*>(event);
}

} // namespace

void standin::enqueue(cudaStream_t stream, std::function<void()> work)
{
    streamOf(stream).enqueue(std::move(work));
}

extern "C" {

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int)
{
    *properties = {};
    std::strcpy(properties->name, "stand-in");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int)
{
    std::strncpy(text, "00000000:17:00.0", static_cast<std::size_t>(length));
    return cudaSuccess;
}
void standinHasMemory(const void* memory, std::size_t bytes)
{
    const std::lock_guard lock(memoryMutex);
    deviceMemory[static_cast<const char*>(memory)] = bytes;
}
void standinHadMemory(void* memory)
{
    std::memset(memory, 0xff, forget(deviceMemory, memory));
}
void standinHasEvents(std::shared_ptr<void> (*hold)(void*), void (*await)(void*))
{
    holdEvent = hold;
    awaitEvent = await;
}
void standinEnqueue(void* stream, std::function<void()> work)
{
    standin::enqueue(static_cast<cudaStream_t>(stream), std::move(work));
}
void standinFail(bool fails)
{
    hasFailed = fails;
}
std::uint64_t standinCopiedBytes()
{
    return copiedBytes;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes)
{
    *memory = std::malloc(bytes);
    standinHasMemory(*memory, bytes);
    return cudaSuccess;
}
cudaError_t cudaFree(void* memory)
{
    synchronizeAll();
    graveyard.bury(memory, forget(deviceMemory, memory));
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned)
{
    *memory = std::malloc(bytes);
    const std::lock_guard lock(memoryMutex);
    hostMemory[*memory] = bytes;
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory)
{
    synchronizeAll();
    graveyard.bury(memory, forget(hostMemory, memory));
    return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory)
{
    *attributes = {};
    const std::lock_guard lock(memoryMutex);
    auto after = deviceMemory.upper_bound(static_cast<const char*>(memory));
    const bool inside = after != deviceMemory.begin() &&
                        static_cast<const char*>(memory) < std::prev(after)->first + std::prev(after)->second;
    attributes->type = inside ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream)
{
    copiedBytes += bytes;
    streamOf(stream).enqueue([=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned)
{
    auto* made = new Stream;
    *stream = reinterpret_cast<cudaStream_t>(made);
    const std::lock_guard lock(streamsMutex);
    streams.insert(made);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    {
        const std::lock_guard lock(streamsMutex);
        streams.erase(&streamOf(stream));
    }
    delete &streamOf(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    if (!isOwn(event)) {
        streamOf(stream).enqueue([held = holdEvent(event)] { awaitEvent(held.get()); });
        return cudaSuccess;
    }
    streamOf(stream).enqueue([awaited = eventOf(event), turn = eventOf(event)->recorded.load()] {
        while (awaited->reached < turn)
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    });
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned)
{
    *event = reinterpret_cast<cudaEvent_t>(new EventHandle(std::make_shared<Event>()));
    const std::lock_guard lock(eventsMutex);
    ownEvents.insert(*event);
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    {
        const std::lock_guard lock(eventsMutex);
        ownEvents.erase(event);
    }
    delete &eventOf(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    streamOf(stream).enqueue([reached = eventOf(event), turn = ++eventOf(event)->recorded] {
        reached->reachedNs = nowNs();
        reached->reached = turn;
    });
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t second)
{
    *milliseconds =
        static_cast<float>(static_cast<double>(eventOf(second)->reachedNs - eventOf(first)->reachedNs) / 1e6);
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    if (hasFailed)
        return cudaErrorIllegalAddress;
    return eventOf(event)->reached >= eventOf(event)->recorded ? cudaSuccess : cudaErrorNotReady;
}
const char* cudaGetErrorString(cudaError_t)
{
    return "an error of the stand-in";
}
const char* cudaGetErrorName(cudaError_t)
{
    return "standin";
}

// A function of the driver: libcuda.so.1 is this file, too.
int cuInit(unsigned)
{
    return 0;
}
int cuDeviceGetCount(int* count)
{
    *count = 1;
    return 0;
}

} // extern "C"
