// SPDX-License-Identifier: MIT
// A stand-in for libnccl: ranks of this host sum in shared memory, as non-blocking communicators do it: a call is in
// progress when it returns, a lost rank is an error that has to be asked for, and what waits for one ends by an abort
// only.
#include "tests/worker/collectives/standin/cudart.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nccl.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kSlot = 1u << 20;
constexpr int kMaxRanks = 16;

struct Shared
{
    std::atomic<int> pids[kMaxRanks];
    std::atomic<unsigned> posted[kMaxRanks]; ///< turns
    std::atomic<unsigned> read[kMaxRanks];
    std::byte slots[kMaxRanks][kSlot];
};

float toFloat(const std::byte* at, ncclDataType_t type)
{
    if (type == ncclFloat32)
        return *reinterpret_cast<const float*>(at);
    if (type == ncclFloat16)
        return static_cast<float>(*reinterpret_cast<const _Float16*>(at));
    return std::bit_cast<float>(static_cast<unsigned>(*reinterpret_cast<const std::uint16_t*>(at)) << 16);
}

/// Returns the bf16 nearest to the bits of a float; of two that are as near the even one.
std::uint16_t nearestBf16(unsigned bits)
{
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

void fromFloat(std::byte* at, ncclDataType_t type, float value)
{
    if (type == ncclFloat32)
        *reinterpret_cast<float*>(at) = value;
    else if (type == ncclFloat16)
        *reinterpret_cast<_Float16*>(at) = static_cast<_Float16>(value);
    else
        *reinterpret_cast<std::uint16_t*>(at) = nearestBf16(std::bit_cast<unsigned>(value));
}

/// A process counts as ended also before its exit code was asked for; a pid of 0 has not come.
bool hasEnded(int pid)
{
    char program[8];
    return pid > 0 && ::readlink(fmt::format("/proc/{}/exe", pid).c_str(), program, sizeof program) < 0;
}

std::size_t bytesOf(ncclDataType_t type)
{
    return type == ncclUint8 ? 1 : type == ncclFloat32 ? 4 : 2;
}

thread_local bool inGroup = false;

/// One half of what a rank and another one exchange, as it was called inside a group.
struct Half
{
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
};
thread_local std::vector<Half> sends, receives; ///< by peer

/// Arguments that all ranks have to give alike. NCCL itself does not look: it hangs, or sums what does not belong
/// together.
struct Call
{
    char kind[16] = {};
    std::size_t count = 0;
    int type = 0;
    int root = 0;
};
static_assert(std::has_unique_object_representations_v<Call>, "compared byte by byte");

Call callOf(const char* kind, std::size_t count, ncclDataType_t type, int root = 0)
{
    Call call;
    std::strncpy(call.kind, kind, sizeof call.kind - 1);
    call.count = count;
    call.type = type;
    call.root = root;
    return call;
}

} // namespace

struct ncclComm
{
    Shared* shared = nullptr;
    int rank = 0;
    int ranks = 1;
    unsigned turn = 0; ///< of the stream's thread
    std::atomic<bool> aborted{false};
    std::atomic<bool> settling{false}; ///< a call is in progress, until it has been asked about once
    std::atomic<ncclResult_t> error{ncclSuccess};
    std::thread joining;
    std::atomic<bool> joined{false};
    ncclComm* abortedBefore = nullptr;

    template <class All> bool wait(const All& all)
    {
        const auto allRanks = [&] {
            for (int peer = 0; peer < ranks; ++peer)
                if (!all(peer))
                    return false;
            return true;
        };
        while (!allRanks()) {
            if (aborted)
                return false;
            for (int peer = 0; peer < ranks; ++peer)
                if (!all(peer) && hasEnded(shared->pids[peer]))
                    error = ncclRemoteError;
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
        return true;
    }

    /// One piece: everybody shows its own, `use` reads them all.
    template <class Use> void piece(const std::byte* mine, std::size_t bytes, const Use& use)
    {
        ++turn;
        if (!wait([&](int peer) { return shared->read[peer] >= turn - 1; }))
            return;
        std::memcpy(shared->slots[rank], mine, bytes);
        shared->posted[rank] = turn;
        if (!wait([&](int peer) { return shared->posted[peer] >= turn; }))
            return;
        use();
        shared->read[rank] = turn;
    }

    /// Returns whether all ranks make the same call. If not, that is an error that has to be asked for, and the stream
    /// stands.
    bool isSameForAll(const Call& call)
    {
        bool same = true;
        piece(reinterpret_cast<const std::byte*>(&call), sizeof call, [&] {
            for (int peer = 0; peer < ranks; ++peer)
                same = same && std::memcmp(shared->slots[peer], &call, sizeof call) == 0;
        });
        if (!same)
            error = ncclInvalidUsage;
        while (!same && !aborted)
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        return same && !aborted;
    }

    void sum(const std::byte* from, std::byte* to, std::size_t count, ncclDataType_t type, bool keeps)
    {
        const std::size_t each = bytesOf(type);
        for (std::size_t at = 0; at < count * each; at += kSlot) {
            const std::size_t bytes = std::min(kSlot, count * each - at);
            piece(from + at, bytes, [&] {
                for (std::size_t i = 0; keeps && i < bytes; i += each) {
                    float total = 0;
                    for (int peer = 0; peer < ranks; ++peer)
                        total += toFloat(shared->slots[peer] + i, type);
                    fromFloat(to + at + i, type, total);
                }
            });
        }
    }

    void copy(const std::byte* from, std::byte* to, std::size_t bytesAll, int owner)
    {
        for (std::size_t at = 0; at < bytesAll; at += kSlot) {
            const std::size_t bytes = std::min(kSlot, bytesAll - at);
            piece(from + at, bytes, [&] { std::memcpy(to + at, shared->slots[owner], bytes); });
        }
    }

    /// Round by round each rank shows what it has for the rank that is so much further on.
    void exchange(const std::vector<Half>& out, const std::vector<Half>& in)
    {
        for (int step = 0; step < ranks; ++step) {
            const auto to = static_cast<std::size_t>((rank + step) % ranks);
            const auto from = static_cast<std::size_t>((rank - step + ranks) % ranks);
            for (std::size_t at = 0; at < in[from].bytes; at += kSlot) {
                const std::size_t bytes = std::min(kSlot, in[from].bytes - at);
                piece(out[to].memory + at, bytes,
                      [&] { std::memcpy(in[from].memory + at, shared->slots[from], bytes); });
            }
        }
    }

    ncclResult_t enqueue(cudaStream_t stream, const Call& call, std::function<void()> work)
    {
        standin::enqueue(stream, [this, call, work = std::move(work)] {
            if (isSameForAll(call))
                work();
        });
        settling = true;
        return inGroup ? ncclSuccess : ncclInProgress;
    }
};

namespace {

/// A stream may still be leaving them, so that they stay; in a list, which shows that none is lost.
std::atomic<ncclComm*> lastAborted = nullptr;

std::byte* bytes(void* memory)
{
    return static_cast<std::byte*>(memory);
}
const std::byte* bytes(const void* memory)
{
    return static_cast<const std::byte*>(memory);
}

} // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version)
{
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id)
{
    static std::atomic<int> made{0};
    *id = {};
    const std::string name = fmt::format("/ringside-standin-{}-{}", ::getpid(), ++made);
    std::memcpy(id->internal, name.data(), name.size());
    return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config)
{
    if (config->blocking != 0 || ranks > kMaxRanks)
        return ncclInvalidArgument;
    const int file = ::shm_open(id.internal, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ::ftruncate(file, sizeof(Shared)) != 0)
        return ncclSystemError;
    void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    auto* made = new ncclComm;
    made->shared = static_cast<Shared*>(memory);
    made->rank = rank;
    made->ranks = ranks;
    made->joining = std::thread([made, name = std::string(id.internal)] {
        made->shared->pids[made->rank] = ::getpid();
        made->joined = made->wait([&](int peer) { return made->shared->pids[peer] > 0; });
        ::shm_unlink(name.c_str());
    });
    *comm = made;
    return ncclInProgress;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state)
{
    const bool busy = !comm->joined || comm->settling.exchange(false);
    *state = comm->error != ncclSuccess ? comm->error.load() : busy ? ncclInProgress : ncclSuccess;
    return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    comm->settling = true;
    return ncclInProgress;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    comm->joining.join();
    ::munmap(comm->shared, sizeof(Shared));
    delete comm;
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    comm->aborted = true;
    comm->joining.join();
    comm->abortedBefore = lastAborted.exchange(comm);
    return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t code)
{
    return code == ncclRemoteError    ? "remote process exited"
           : code == ncclInvalidUsage ? "the ranks make different calls"
                                      : "an error of the stand-in";
}
const char* ncclGetLastError(ncclComm_t)
{
    return "said by the stand-in";
}
ncclResult_t ncclGroupStart()
{
    inGroup = true;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd()
{
    inGroup = false;
    if (!sends.empty()) {
        const auto out = std::exchange(sends, {}), in = std::exchange(receives, {});
        const auto [memory, each, comm, stream] = out.front();
        const auto ranks = static_cast<std::size_t>(comm->ranks);
        if (out.size() != ranks || in.size() != ranks)
            return ncclInvalidUsage; // each rank with each is all that is asked for
        comm->enqueue(stream, callOf("all-to-all", each, ncclUint8),
                      [comm = comm, out, in] { comm->exchange(out, in); });
    }
    return ncclInProgress;
}
ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int, ncclComm_t comm, cudaStream_t stream)
{
    sends.push_back({const_cast<std::byte*>(bytes(from)), count * bytesOf(type), comm, stream});
    return ncclSuccess;
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int, ncclComm_t comm, cudaStream_t stream)
{
    receives.push_back({bytes(to), count * bytesOf(type), comm, stream});
    return ncclSuccess;
}
ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t, ncclComm_t comm,
                           cudaStream_t stream)
{
    return comm->enqueue(stream, callOf("all-reduce", count, type),
                         [=] { comm->sum(bytes(from), bytes(to), count, type, true); });
}
ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t, int root,
                        ncclComm_t comm, cudaStream_t stream)
{
    return comm->enqueue(stream, callOf("reduce", count, type, root),
                         [=] { comm->sum(bytes(from), bytes(to), count, type, comm->rank == root); });
}
ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t,
                               ncclComm_t comm, cudaStream_t stream)
{
    return comm->enqueue(stream, callOf("reduce-scatter", count, type), [=] {
        const std::vector<std::byte> all(bytes(from), bytes(from) + count * bytesOf(type) * std::size_t(comm->ranks));
        for (int owner = 0; owner < comm->ranks; ++owner)
            comm->sum(all.data() + std::size_t(owner) * count * bytesOf(type), bytes(to), count, type,
                      comm->rank == owner);
    });
}
ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream)
{
    return comm->enqueue(stream, callOf("all-gather", count, type), [=] {
        const std::size_t length = count * bytesOf(type);
        const std::vector<std::byte> mine(bytes(from), bytes(from) + length);
        for (int owner = 0; owner < comm->ranks; ++owner)
            comm->copy(mine.data(), bytes(to) + std::size_t(owner) * length, length, owner);
    });
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream)
{
    return comm->enqueue(stream, callOf("broadcast", count, type, root),
                         [=] { comm->copy(bytes(from), bytes(to), count * bytesOf(type), root); });
}

} // extern "C"
