// SPDX-License-Identifier: MIT
#include "tests/worker/device/standinstreams.h"

#include "core/base/clock.h"
#include "tests/worker/device/standindevice.h"

#include <atomic>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>

// Of the stand-in for CUDA's runtime (tests/worker/collectives/standin/cudart.h); null where it is not in the process.
extern "C" [[gnu::weak]] void standinHasEvents(std::shared_ptr<void> (*hold)(void* event), void (*await)(void* held));

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
    std::int64_t ns = 0; ///< 0: not yet
    bool asked = false;  ///< whether it has come there
};
using MarkHandle = std::shared_ptr<Mark>;

std::recursive_mutex mutex; // one thread does at a time what any has enqueued
std::map<c10::StreamId, Queue> queues;
thread_local c10::StreamId currentId = 0;
Pace pace = Pace::late;

void workOff(c10::StreamId stream, std::uint64_t until)
{
    Queue& queue = queues[stream];
    while (queue.done < until) {
        const auto work = std::move(queue.work.front());
        queue.work.pop_front();
        ++queue.done;
        work();
    }
}

void enqueue(c10::StreamId stream, std::function<void()> work)
{
    const std::lock_guard lock(mutex);
    Queue& queue = queues[stream];
    queue.work.push_back(std::move(work));
    ++queue.enqueued;
    if (pace == Pace::prompt)
        workOff(stream, queue.enqueued);
}

MarkHandle& markOf(void* event)
{
    return *static_cast<MarkHandle*>(event);
}

void await(const MarkHandle& mark)
{
    const std::lock_guard lock(mutex);
    workOff(mark->stream, mark->place);
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
        const std::lock_guard lock(mutex);
        for (auto& [id, queue] : queues)
            workOff(id, queue.enqueued);
    }

    void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag) const override
    {
        const std::lock_guard lock(mutex);
        auto mark = std::make_shared<Mark>();
        mark->stream = stream.id();
        const Queue& queue = queues[stream.id()];
        const bool isIdle = queue.done == queue.enqueued;
        mark->place = queue.enqueued + 1;
        enqueue(stream.id(), [mark] { mark->ns = monotonicNs(); });
        if (isIdle)
            await(mark);
        if (*event)
            markOf(*event) = mark;
        else
            *event = new MarkHandle(mark);
    }
    void block(void* event, const c10::Stream& stream) const override
    {
        enqueue(stream.id(), [mark = markOf(event)] { await(mark); });
    }
    bool queryEvent(void* event) const override
    {
        if (isOnCommunicationThread())
            failIfTold("exchange");
        const std::lock_guard lock(mutex);
        const MarkHandle& mark = markOf(event);
        if (std::exchange(mark->asked, true))
            await(mark); // time has passed
        return mark->ns != 0;
    }
    void synchronizeEvent(void* event) const override { await(markOf(event)); }
    double elapsedTime(void* first, void* second, c10::DeviceIndex) const override
    {
        const std::lock_guard lock(mutex);
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
    const std::lock_guard lock(mutex);
    const Mark& mark = *static_cast<const Mark*>(held);
    workOff(mark.stream, mark.place);
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

void finishHere()
{
    const std::lock_guard lock(mutex);
    workOff(currentId, queues[currentId].enqueued);
}

} // namespace ringside::test
