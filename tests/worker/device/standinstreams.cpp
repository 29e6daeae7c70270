// SPDX-License-Identifier: MIT
#include "tests/worker/device/standinstreams.h"

#include "core/base/clock.h"
#include "tests/worker/device/standindevice.h"

#include <atomic>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

// Functions of the stand-in for CUDA's runtime (tests/worker/collectives/standin/cudart.h); null if it is not in the
// process.
extern "C" {
[[gnu::weak]] void standinHasEvents(std::shared_ptr<void> (*hold)(void* event), void (*await)(void* held));
[[gnu::weak]] void standinEnqueue(void* stream, std::function<void()> work);
}

namespace ringside::test {

namespace {

struct Queue
{
    std::deque<std::function<void()>> work;
    std::uint64_t enqueued = 0, done = 0;
};

/// A place in a stream, and when the stream came there.
struct Mark
{
    c10::StreamId stream = 0;
    std::uint64_t place = 0;
    std::atomic<std::int64_t> ns{0}; ///< 0: not yet
    bool asked = false;              ///< whether it has come there
};
using MarkHandle = std::shared_ptr<Mark>;

std::mutex queuesMutex;
std::map<c10::StreamId, Queue> queues;
std::recursive_mutex working; // one thread does at a time what any has enqueued
thread_local c10::StreamId currentId = 0;
Pace pace = Pace::late;

constexpr std::chrono::microseconds kLook{20};

/// A stream of the stand-in for CUDA's runtime, which a thread of its own works off, is known by its address.
bool isForeign(c10::StreamId stream)
{
    return stream > 4096;
}

bool takeWork(c10::StreamId stream, std::uint64_t until, std::function<void()>& work)
{
    const std::lock_guard lock(queuesMutex);
    Queue& queue = queues[stream];
    if (queue.done >= until)
        return false;
    work = std::move(queue.work.front());
    queue.work.pop_front();
    ++queue.done;
    return true;
}

void workOff(c10::StreamId stream, std::uint64_t until)
{
    std::function<void()> work;
    while (takeWork(stream, until, work))
        work();
}

std::uint64_t enqueuedOn(c10::StreamId stream)
{
    const std::lock_guard lock(queuesMutex);
    return queues[stream].enqueued;
}

bool isIdle(c10::StreamId stream)
{
    const std::lock_guard lock(queuesMutex);
    return queues[stream].done == queues[stream].enqueued;
}

void finish(c10::StreamId stream)
{
    if (isForeign(stream)) {
        std::promise<void> done;
        standinEnqueue(reinterpret_cast<void*>(stream), [&done] { done.set_value(); });
        return done.get_future().wait();
    }
    const std::lock_guard lock(working);
    workOff(stream, enqueuedOn(stream));
}

void enqueue(c10::StreamId stream, std::function<void()> work)
{
    if (isForeign(stream))
        return standinEnqueue(reinterpret_cast<void*>(stream), std::move(work));
    {
        const std::lock_guard lock(queuesMutex);
        queues[stream].work.push_back(std::move(work));
        ++queues[stream].enqueued;
    }
    if (pace == Pace::prompt)
        finish(stream);
}

MarkHandle& markOf(void* event)
{
    return *static_cast<MarkHandle*>(event);
}

/// Does what is before it, unless another thread is at it.
void await(const Mark& mark)
{
    while (mark.ns == 0) {
        const std::unique_lock lock(working, std::try_to_lock);
        if (lock && !isForeign(mark.stream))
            workOff(mark.stream, mark.place);
        else
            std::this_thread::sleep_for(kLook);
    }
}

bool isOnCommunicationThread()
{
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    return std::string_view(name) == "communication";
}

c10::Device device()
{
    return {kStandIn, 0};
}

c10::Stream streamOf(c10::StreamId id)
{
    return c10::Stream(c10::Stream::UNSAFE, device(), id);
}

struct Guard : c10::impl::DeviceGuardImplInterface
{
    c10::DeviceType type() const override { return kStandIn; }
    c10::Device exchangeDevice(c10::Device) const override { return device(); }
    c10::Device getDevice() const override { return device(); }
    void setDevice(c10::Device) const override {}
    void uncheckedSetDevice(c10::Device) const noexcept override {}
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }

    c10::Stream getStream(c10::Device) const override { return streamOf(currentId); }
    c10::Stream getDefaultStream(c10::Device) const override { return streamOf(0); }
    c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override
    {
        static std::atomic<c10::StreamId> last = 0;
        return streamOf(++last);
    }
    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        return streamOf(std::exchange(currentId, stream.id()));
    }
    void synchronizeDevice(c10::DeviceIndex) const override
    {
        std::vector<c10::StreamId> all;
        {
            const std::lock_guard lock(queuesMutex);
            for (const auto& [id, queue] : queues)
                all.push_back(id);
        }
        for (const c10::StreamId id : all)
            finish(id);
    }

    void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag) const override
    {
        auto mark = std::make_shared<Mark>();
        mark->stream = stream.id();
        const bool happensNow = !isForeign(stream.id()) && isIdle(stream.id());
        mark->place = enqueuedOn(stream.id()) + 1;
        enqueue(stream.id(), [mark] { mark->ns = monotonicNs(); });
        if (happensNow)
            await(*mark);
        if (*event)
            markOf(*event) = mark;
        else
            *event = new MarkHandle(mark);
    }
    void block(void* event, const c10::Stream& stream) const override
    {
        enqueue(stream.id(), [mark = markOf(event)] { await(*mark); });
    }
    bool queryEvent(void* event) const override
    {
        if (isOnCommunicationThread())
            failIfTold("exchange");
        Mark& mark = *markOf(event);
        const std::unique_lock lock(working, std::try_to_lock);
        if (lock && std::exchange(mark.asked, true) && !isForeign(mark.stream))
            workOff(mark.stream, mark.place); // time has passed
        return mark.ns != 0;
    }
    void synchronizeEvent(void* event) const override { await(*markOf(event)); }
    double elapsedTime(void* first, void* second, c10::DeviceIndex) const override
    {
        TORCH_CHECK(markOf(first)->ns != 0 && markOf(second)->ns != 0,
                    "An event has not happened yet."); // as CUDA does
        return static_cast<double>(markOf(second)->ns - markOf(first)->ns) / 1e6;
    }
    void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete &markOf(event); }
    void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
};

std::shared_ptr<void> holdMark(void* event)
{
    return markOf(event);
}

/// On a thread of the stand-in for CUDA's runtime.
void awaitMark(void* held)
{
    await(*static_cast<const Mark*>(held));
}

} // namespace

void installStandInStreams(Pace chosen)
{
    pace = chosen;
    if (standinHasEvents)
        standinHasEvents(&holdMark, &awaitMark);
    static const Guard guard;
    static const c10::impl::DeviceGuardImplRegistrar registrar(kStandIn, &guard);
}

/// As libtorch says it of a kernel that reads where nothing is; on the CPU there is no such thing.
void failIfTold(std::string_view place)
{
    const char* told = std::getenv("RINGSIDE_STANDIN_FAULT");
    TORCH_CHECK(!told || place != told,
                "CUDA error: an illegal memory access was encountered\nCUDA kernel errors might "
                "be asynchronously reported at some other API call.");
}

void enqueueHere(std::function<void()> work)
{
    enqueue(currentId, std::move(work));
}

bool isWorkedOffElsewhere()
{
    return isForeign(currentId);
}

void finishHere()
{
    finish(currentId);
}

} // namespace ringside::test
