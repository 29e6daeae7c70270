// SPDX-License-Identifier: MIT
#include "agent/worker/cuda/ncclgroup.h"

#include <algorithm>
#include <thread>

namespace ringside::cuda {

namespace {

constexpr std::chrono::seconds kGoodbye{5}; ///< for peers to leave in order; then they are aborted
/// Most collectives of gradients take longer than this, and a sleeping thread leaves its core to the computation.
constexpr std::chrono::microseconds kAwake{100};
constexpr std::chrono::microseconds kNap{50};

Result<bool> isOnDevice(const void* memory)
{
    cudaPointerAttributes attributes{};
    TRY(check(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes"));
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

} // namespace

void Patience::pause() const
{
    if (Clock::now() - m_began < kAwake)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(kNap);
}

NcclGroup::NcclGroup(std::shared_ptr<const NcclLibrary> nccl, int device, const GroupPlace& place)
    : m_nccl(std::move(nccl))
    , m_device(device)
    , m_place(place)
{
}

Result<std::unique_ptr<DeviceGroup>> NcclGroup::join(std::shared_ptr<const NcclLibrary> nccl, int device,
                                                     const GroupPlace& place)
{
    std::unique_ptr<NcclGroup> group(new NcclGroup(std::move(nccl), device, place));
    TRY(group->enter());
    return group;
}

Result<void> NcclGroup::enter()
{
    TRY(check(cudaSetDevice(m_device), "cudaSetDevice"));
    TRY(check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"));
    TRY(check(cudaEventCreateWithFlags(&m_done, cudaEventDisableTiming), "cudaEventCreateWithFlags"));
    ncclUniqueId id;
    static_assert(sizeof id.internal == std::tuple_size_v<GroupId>);
    std::memcpy(id.internal, m_place.id.data(), sizeof id.internal);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    return settle(m_nccl->commInitRankConfig(&m_comm, m_place.ranks, id, m_place.rank, &config),
                  "ncclCommInitRankConfig");
}

NcclGroup::~NcclGroup()
{
    cudaSetDevice(m_device);
    if (m_comm && !leave())
        m_nccl->commAbort(m_comm);
    if (m_done)
        cudaEventDestroy(m_done);
    m_free.insert(m_free.end(), m_queued.begin(), m_queued.end());
    for (const Queued& sum : m_free) {
        cudaEventDestroy(sum.began);
        cudaEventDestroy(sum.done);
    }
    if (m_stream)
        cudaStreamDestroy(m_stream);
}

/// In order, if the others do so, too.
bool NcclGroup::leave()
{
    ncclResult_t state = m_nccl->commFinalize(m_comm);
    const Patience patience(kGoodbye);
    while (state == ncclInProgress && !patience.isOver()) {
        patience.pause();
        if (m_nccl->commGetAsyncError(m_comm, &state) != ncclSuccess)
            return false;
    }
    return state == ncclSuccess && m_nccl->commDestroy(m_comm) == ncclSuccess;
}

NcclGroup::Buffer NcclGroup::bufferOf(const Numbers& numbers)
{
    const auto type = numbers.type == NumberType::f32   ? ncclFloat32
                      : numbers.type == NumberType::f16 ? ncclFloat16
                                                        : ncclBfloat16;
    return {{numbers.data, numbers.bytes()}, type, bytesOf(numbers.type)};
}

Result<void> NcclGroup::allReduceSum(Numbers numbers)
{
    return run(bufferOf(numbers), "ncclAllReduce", [&, type = bufferOf(numbers).type](const Piece& piece) {
        return m_nccl->allReduce(piece.data, piece.data, piece.count, type, ncclSum, m_comm, m_stream);
    });
}

Result<void> NcclGroup::reduceSum(Numbers numbers, int root)
{
    return run(bufferOf(numbers), "ncclReduce", [&, type = bufferOf(numbers).type](const Piece& piece) {
        return m_nccl->reduce(piece.data, piece.data, piece.count, type, ncclSum, root, m_comm, m_stream);
    });
}

Result<void> NcclGroup::reduceScatterSum(Numbers numbers)
{
    const Buffer buffer = bufferOf(numbers);
    return run(buffer, "ncclReduceScatter", [&, buffer](const Piece& piece) {
        if (isWholeAndEven(piece, numbers.count)) {
            const Part mine = partOf(piece.count, m_place.rank, m_place.ranks);
            return m_nccl->reduceScatter(piece.data, piece.data + mine.first * buffer.bytesEach, mine.count,
                                         buffer.type, ncclSum, m_comm, m_stream);
        }
        return ofEachPart(piece, numbers.count, buffer.bytesEach, [&](std::byte* part, std::size_t count, int owner) {
            return m_nccl->reduce(part, part, count, buffer.type, ncclSum, owner, m_comm, m_stream);
        });
    });
}

Result<void> NcclGroup::allGatherParts(Numbers numbers)
{
    const Buffer buffer = bufferOf(numbers);
    return run(buffer, "ncclAllGather", [&, buffer](const Piece& piece) {
        if (isWholeAndEven(piece, numbers.count)) {
            const Part mine = partOf(piece.count, m_place.rank, m_place.ranks);
            return m_nccl->allGather(piece.data + mine.first * buffer.bytesEach, piece.data, mine.count, buffer.type,
                                     m_comm, m_stream);
        }
        return ofEachPart(piece, numbers.count, buffer.bytesEach, [&](std::byte* part, std::size_t count, int owner) {
            return m_nccl->broadcast(part, part, count, buffer.type, owner, m_comm, m_stream);
        });
    });
}

Result<void> NcclGroup::broadcast(std::span<std::byte> bytes, int root)
{
    return run({bytes, ncclUint8, 1}, "ncclBroadcast", [&](const Piece& piece) {
        return m_nccl->broadcast(piece.data, piece.data, piece.count, ncclUint8, root, m_comm, m_stream);
    });
}

Result<void> NcclGroup::start(Numbers numbers, void* after)
{
    constexpr const char* call = "ncclAllReduce";
    if (m_lost)
        return tl::unexpected(*m_lost);
    TRY(check(cudaSetDevice(m_device), "cudaSetDevice")); // of this thread
    TRY_ASSIGN(const Queued sum, takeEvents());
    m_queued.push_back(sum);
    if (after)
        TRY(check(cudaStreamWaitEvent(m_stream, static_cast<cudaEvent_t>(after), 0), "cudaStreamWaitEvent"));
    TRY(check(cudaEventRecord(sum.began, m_stream), "cudaEventRecord"));
    const ncclDataType_t type = bufferOf(numbers).type;
    TRY(settle(m_nccl->allReduce(numbers.data, numbers.data, numbers.count, type, ncclSum, m_comm, m_stream), call));
    return check(cudaEventRecord(sum.done, m_stream), "cudaEventRecord");
}

/// The limit of a sum counts from when it is the oldest: those before it have theirs.
Result<std::optional<std::chrono::nanoseconds>> NcclGroup::settleOldest()
{
    if (m_lost)
        return tl::unexpected(*m_lost);
    const Queued sum = m_queued.front();
    TRY_ASSIGN(const bool isDone, hasHappened(sum.done, "ncclAllReduce", sum.patience));
    if (!isDone)
        return std::nullopt;
    float milliseconds = 0;
    TRY(check(cudaEventElapsedTime(&milliseconds, sum.began, sum.done), "cudaEventElapsedTime"));
    m_queued.pop_front();
    m_free.push_back(sum);
    if (!m_queued.empty())
        m_queued.front().patience = Patience(m_place.limit);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
}

/// Two whose time can be told.
Result<NcclGroup::Queued> NcclGroup::takeEvents()
{
    Queued events{nullptr, nullptr, Patience(m_place.limit)};
    if (m_free.empty()) {
        TRY(check(cudaEventCreateWithFlags(&events.began, cudaEventDefault), "cudaEventCreateWithFlags"));
        TRY(check(cudaEventCreateWithFlags(&events.done, cudaEventDefault), "cudaEventCreateWithFlags"));
        return events;
    }
    events.began = m_free.back().began;
    events.done = m_free.back().done;
    m_free.pop_back();
    return events;
}

/// NCCL's calls for parts take only parts of one length.
bool NcclGroup::isWholeAndEven(const Piece& piece, std::size_t total) const
{
    return piece.count == total && total % static_cast<std::size_t>(m_place.ranks) == 0;
}

/// One call for what each rank's part of the buffer has in this piece, all as one operation of NCCL.
ncclResult_t NcclGroup::ofEachPart(const Piece& piece, std::size_t total, std::size_t bytesEach,
                                   const EnqueuePart& enqueue)
{
    ncclResult_t result = m_nccl->groupStart();
    for (int owner = 0; owner < m_place.ranks && (result == ncclSuccess || result == ncclInProgress); ++owner) {
        const Part part = partOf(total, owner, m_place.ranks);
        const std::size_t begin = std::max(part.first, piece.first);
        const std::size_t end = std::min(part.first + part.count, piece.first + piece.count);
        if (begin < end)
            result = enqueue(piece.data + (begin - piece.first) * bytesEach, end - begin, owner);
    }
    const ncclResult_t ended = m_nccl->groupEnd();
    return result == ncclSuccess || result == ncclInProgress ? ended : result;
}

Result<void> NcclGroup::run(const Buffer& buffer, const char* call, const Enqueue& enqueue)
{
    if (m_lost)
        return tl::unexpected(*m_lost);
    if (buffer.bytes.empty())
        return {};
    TRY(check(cudaSetDevice(m_device), "cudaSetDevice")); // of this thread
    TRY_ASSIGN(const bool onDevice, isOnDevice(buffer.bytes.data()));
    if (!onDevice)
        return runStaged(buffer, call, enqueue);
    TRY(settle(enqueue({buffer.bytes.data(), 0, buffer.bytes.size() / buffer.bytesEach}), call));
    TRY(check(cudaEventRecord(m_done, m_stream), "cudaEventRecord"));
    return await(m_done, call);
}

Result<void> NcclGroup::runStaged(const Buffer& buffer, const char* call, const Enqueue& enqueue)
{
    if (!m_ring) {
        TRY_ASSIGN(m_ring, StagingRing::create());
    }
    const auto each = buffer.bytesEach;
    return m_ring->through(
        buffer.bytes, m_stream,
        [&](std::byte* piece, std::size_t first, std::size_t bytes) {
            return settle(enqueue({piece, first / each, bytes / each}), call);
        },
        [&](cudaEvent_t event) { return await(event, call); });
}

/// Until the call is enqueued: a communicator takes no other before.
Result<void> NcclGroup::settle(ncclResult_t returned, const char* call)
{
    const Patience patience(m_place.limit);
    while (returned == ncclInProgress && !patience.isOver()) {
        patience.pause();
        if (const ncclResult_t asked = m_nccl->commGetAsyncError(m_comm, &returned); asked != ncclSuccess)
            returned = asked;
    }
    if (returned == ncclInProgress)
        return lose(ErrorCode::timeout,
                    fmt::format("{} did not begin within {} s", call, m_place.limit.count() / 1000.0));
    return judge(returned, call);
}

Result<void> NcclGroup::await(cudaEvent_t event, const char* call)
{
    const Patience patience(m_place.limit);
    for (;;) {
        TRY_ASSIGN(const bool happened, hasHappened(event, call, patience));
        if (happened)
            return {};
        patience.pause();
    }
}

/// Or why that is in vain.
Result<bool> NcclGroup::hasHappened(cudaEvent_t event, const char* call, const Patience& patience)
{
    const cudaError_t ready = cudaEventQuery(event);
    if (ready == cudaSuccess)
        return true;
    if (ready != cudaErrorNotReady)
        return lose(ErrorCode::unavailable, fmt::format("{} failed: {}", call, cudaGetErrorString(ready)));
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = m_nccl->commGetAsyncError(m_comm, &state);
    TRY(judge(asked != ncclSuccess ? asked : state == ncclInProgress ? ncclSuccess : state, call));
    if (patience.isOver())
        return lose(ErrorCode::timeout,
                    fmt::format("{} was not complete after {} s", call, m_place.limit.count() / 1000.0));
    return false;
}

Result<void> NcclGroup::judge(ncclResult_t state, const char* call)
{
    if (state == ncclSuccess)
        return {};
    const char* last = m_nccl->getLastError(m_comm);
    const std::string more = last && *last ? fmt::format(" ({})", last) : std::string();
    return lose(ErrorCode::unavailable, fmt::format("{} failed: {}{}", call, m_nccl->getErrorString(state), more));
}

/// Frees the GPU of what waits for others, and says so from now on.
tl::unexpected<Error> NcclGroup::lose(ErrorCode code, const std::string& why)
{
    m_lost = Error{code, fmt::format("NCCL, rank {} of {}: {}.", m_place.rank, m_place.ranks, why),
                   "Another rank has probably ended or waits; see its log."};
    if (m_comm)
        m_nccl->commAbort(m_comm);
    m_comm = nullptr;
    return tl::unexpected(*m_lost);
}

} // namespace ringside::cuda
