// SPDX-License-Identifier: MIT
#include "agent/worker/cuda/ncclgroup.h"

#include <algorithm>

namespace ringside::cuda {

namespace {

constexpr std::chrono::seconds kGoodbye{5}; ///< for peers to leave in order; then they are aborted
/// Most collectives of gradients take longer than this, and a sleeping thread leaves its core to the computation.
constexpr std::chrono::microseconds kAwake{100};
constexpr std::chrono::microseconds kNap{50};

bool hasFailed(ncclResult_t result)
{
    return result != ncclSuccess && result != ncclInProgress;
}

} // namespace

bool isOnDevice(const void* memory)
{
    cudaPointerAttributes attributes{};
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
           (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged);
}

Patience::Patience(std::chrono::milliseconds limit)
    : m_end(std::chrono::steady_clock::now() + limit)
    , m_backoff(kAwake, kNap)
{
}

/// Work that a stream has yet to pass. The limit counts from the first question: earlier work has its own.
class NcclGroup::Enqueued : public Transfer
{
public:
    explicit Enqueued(NcclGroup& group)
        : m_group(group)
    {
    }
    ~Enqueued() override
    {
        if (m_event)
            cudaEventDestroy(m_event);
    }
    Enqueued(const Enqueued&) = delete;
    Enqueued& operator=(const Enqueued&) = delete;

    Result<void> record()
    {
        TRY(check(cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming), "cudaEventCreateWithFlags"));
        return check(cudaEventRecord(m_event, m_group.m_shared.stream), "cudaEventRecord");
    }
    Result<bool> isDone() override
    {
        if (!m_patience)
            m_patience.emplace(m_group.m_place.limit);
        return m_group.hasHappened(m_event, *m_patience);
    }
    Result<void> await() override { return m_group.await(m_event); }

private:
    NcclGroup& m_group;
    cudaEvent_t m_event = nullptr;
    std::optional<Patience> m_patience;
};

NcclGroup::NcclGroup(std::shared_ptr<const NcclLibrary> nccl, SharedStream& shared, const GroupPlace& place)
    : m_nccl(std::move(nccl))
    , m_shared(shared)
    , m_place(place)
{
    m_shared.groups.push_back(this);
}

Result<std::unique_ptr<DeviceGroup>> NcclGroup::join(std::shared_ptr<const NcclLibrary> nccl, SharedStream& shared,
                                                     const GroupPlace& place)
{
    std::unique_ptr<NcclGroup> group(new NcclGroup(std::move(nccl), shared, place));
    TRY(group->enter());
    return group;
}

Result<void> NcclGroup::enter()
{
    TRY(begin());
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
    cudaSetDevice(m_shared.device);
    if (m_comm && !leave())
        m_nccl->commAbort(m_comm);
    std::erase(m_shared.groups, this);
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
        return m_nccl->allReduce(piece.data, piece.data, piece.count, type, ncclSum, m_comm, m_shared.stream);
    });
}

Result<void> NcclGroup::reduceSum(Numbers numbers, int root)
{
    return run(bufferOf(numbers), "ncclReduce", [&, type = bufferOf(numbers).type](const Piece& piece) {
        return m_nccl->reduce(piece.data, piece.data, piece.count, type, ncclSum, root, m_comm, m_shared.stream);
    });
}

Result<void> NcclGroup::reduceScatterSum(Numbers numbers)
{
    const Buffer buffer = bufferOf(numbers);
    return run(buffer, "ncclReduceScatter", [&, buffer](const Piece& piece) {
        if (isWholeAndEven(piece, numbers.count)) {
            const Part mine = partOf(piece.count, m_place.rank, m_place.ranks);
            return m_nccl->reduceScatter(piece.data, piece.data + mine.first * buffer.bytesEach, mine.count,
                                         buffer.type, ncclSum, m_comm, m_shared.stream);
        }
        return ofEachPart(piece, numbers.count, buffer.bytesEach, [&](std::byte* part, std::size_t count, int owner) {
            return m_nccl->reduce(part, part, count, buffer.type, ncclSum, owner, m_comm, m_shared.stream);
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
                                     m_comm, m_shared.stream);
        }
        return ofEachPart(piece, numbers.count, buffer.bytesEach, [&](std::byte* part, std::size_t count, int owner) {
            return m_nccl->broadcast(part, part, count, buffer.type, owner, m_comm, m_shared.stream);
        });
    });
}

Result<void> NcclGroup::broadcast(std::span<std::byte> bytes, int root)
{
    return run({bytes, ncclUint8, 1}, "ncclBroadcast", [&](const Piece& piece) {
        return m_nccl->broadcast(piece.data, piece.data, piece.count, ncclUint8, root, m_comm, m_shared.stream);
    });
}

Result<void> NcclGroup::allGather(std::span<const std::byte> mine, std::span<std::byte> all)
{
    TRY(begin());
    return settle(m_nccl->allGather(mine.data(), all.data(), mine.size(), ncclUint8, m_comm, m_shared.stream),
                  "ncclAllGather");
}

Result<void> NcclGroup::allToAll(std::span<const std::byte> out, std::span<std::byte> in)
{
    TRY(begin());
    const std::size_t block = out.size() / static_cast<std::size_t>(m_place.ranks);
    return settle(asOne([&](int peer) {
                      const std::size_t at = static_cast<std::size_t>(peer) * block;
                      const ncclResult_t sent =
                          m_nccl->send(out.data() + at, block, ncclUint8, peer, m_comm, m_shared.stream);
                      return hasFailed(sent)
                                 ? sent
                                 : m_nccl->recv(in.data() + at, block, ncclUint8, peer, m_comm, m_shared.stream);
                  }),
                  "ncclSend and ncclRecv");
}

Result<std::unique_ptr<Transfer>> NcclGroup::enqueued()
{
    TRY(begin());
    auto mark = std::make_unique<Enqueued>(*this);
    TRY(mark->record());
    return mark;
}

/// NCCL's calls for parts accept only parts of one length.
bool NcclGroup::isWholeAndEven(const Piece& piece, std::size_t total) const
{
    return piece.count == total && total % static_cast<std::size_t>(m_place.ranks) == 0;
}

/// A call for each rank, all as one operation of NCCL.
template <class Call> ncclResult_t NcclGroup::asOne(const Call& call)
{
    ncclResult_t result = m_nccl->groupStart();
    for (int rank = 0; rank < m_place.ranks && !hasFailed(result); ++rank)
        result = call(rank);
    const ncclResult_t ended = m_nccl->groupEnd();
    return hasFailed(result) ? result : ended;
}

/// For what each rank's part of the buffer has in this piece.
ncclResult_t NcclGroup::ofEachPart(const Piece& piece, std::size_t total, std::size_t bytesEach,
                                   const EnqueuePart& enqueue)
{
    return asOne([&](int owner) {
        const Part part = partOf(total, owner, m_place.ranks);
        const std::size_t begin = std::max(part.first, piece.first);
        const std::size_t end = std::min(part.first + part.count, piece.first + piece.count);
        return begin < end ? enqueue(piece.data + (begin - piece.first) * bytesEach, end - begin, owner) : ncclSuccess;
    });
}

/// Selects the GPU in this thread.
Result<void> NcclGroup::begin()
{
    if (m_lost)
        return tl::unexpected(*m_lost);
    return check(cudaSetDevice(m_shared.device), "cudaSetDevice");
}

Result<void> NcclGroup::run(const Buffer& buffer, const char* call, const Enqueue& enqueue)
{
    TRY(begin());
    if (buffer.bytes.empty())
        return {};
    if (!isOnDevice(buffer.bytes.data()))
        return runStaged(buffer, call, enqueue);
    return settle(enqueue({buffer.bytes.data(), 0, buffer.bytes.size() / buffer.bytesEach}), call);
}

Result<void> NcclGroup::runStaged(const Buffer& buffer, const char* call, const Enqueue& enqueue)
{
    if (!m_ring) {
        TRY_ASSIGN(m_ring, StagingRing::create());
    }
    const auto each = buffer.bytesEach;
    return m_ring->through(
        buffer.bytes, m_shared.stream,
        [&](std::byte* piece, std::size_t first, std::size_t bytes) {
            return settle(enqueue({piece, first / each, bytes / each}), call);
        },
        [&](cudaEvent_t event) { return await(event); });
}

/// Waits until the call is enqueued: a communicator accepts no other before.
Result<void> NcclGroup::settle(ncclResult_t returned, const char* call)
{
    m_call = call;
    const Patience patience(m_place.limit);
    while (returned == ncclInProgress && !patience.isOver()) {
        patience.pause();
        if (const ncclResult_t asked = m_nccl->commGetAsyncError(m_comm, &returned); asked != ncclSuccess)
            returned = asked;
    }
    if (returned == ncclInProgress)
        return lose(ErrorCode::timeout,
                    fmt::format("{} did not begin within {} s", call, m_place.limit.count() / 1000.0));
    return judge(returned);
}

Result<void> NcclGroup::await(cudaEvent_t event)
{
    const Patience patience(m_place.limit);
    for (;;) {
        TRY_ASSIGN(const bool happened, hasHappened(event, patience));
        if (happened)
            return {};
        patience.pause();
    }
}

/// Fails if waiting is in vain: the call that blocks the stream may be of any group.
Result<bool> NcclGroup::hasHappened(cudaEvent_t event, const Patience& patience)
{
    if (m_lost)
        return tl::unexpected(*m_lost);
    const cudaError_t ready = cudaEventQuery(event);
    if (ready == cudaSuccess)
        return true;
    if (ready != cudaErrorNotReady)
        return lose(ErrorCode::internal, fmt::format("{} met a CUDA error: {}", m_call, cudaGetErrorString(ready)),
                    "The kernel's log (dmesg) and nvidia-smi say more about a failing GPU.");
    for (NcclGroup* group : m_shared.groups)
        TRY(group->ask());
    if (patience.isOver())
        return lose(ErrorCode::timeout,
                    fmt::format("{} was not complete after {} s", m_call, m_place.limit.count() / 1000.0));
    return false;
}

Result<void> NcclGroup::ask()
{
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = m_nccl->commGetAsyncError(m_comm, &state);
    return judge(asked != ncclSuccess ? asked : state == ncclInProgress ? ncclSuccess : state);
}

Result<void> NcclGroup::judge(ncclResult_t state)
{
    if (state == ncclSuccess)
        return {};
    const char* last = m_nccl->getLastError(m_comm);
    const std::string more = last && *last ? fmt::format(" ({})", last) : std::string();
    return lose(ErrorCode::unavailable, fmt::format("{} failed: {}{}", m_call, m_nccl->getErrorString(state), more));
}

/// Frees the GPU of what waits for others, and says so from now on.
tl::unexpected<Error> NcclGroup::lose(ErrorCode code, const std::string& why, const char* hint)
{
    const Error error{code, fmt::format("NCCL, rank {} of {}: {}.", m_place.rank, m_place.ranks, why), hint};
    for (NcclGroup* group : m_shared.groups)
        group->end(error);
    return tl::unexpected(error);
}

void NcclGroup::end(const Error& error)
{
    m_lost = error;
    if (m_comm)
        m_nccl->commAbort(m_comm);
    m_comm = nullptr;
}

} // namespace ringside::cuda
