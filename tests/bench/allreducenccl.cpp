// SPDX-License-Identifier: MIT
// The worker's all-reduce of GPU memory against ncclAllReduce in a bare loop, which waits for each, as ours does for a
// bucket of gradients. The remark also has the bare loop as nccl-tests call it: as many as fill a round enqueued on a
// stream, which is waited for once.
// Two ranks of this computer, on a GPU each, or both on the only one: then NCCL treats them as ranks of two hosts and
// goes by sockets. Usage: bench_allreduce_nccl. Prints lines "name value unit target".
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/cuda/checks.h"
#include "agent/worker/cuda/nccl.h"
#include "agent/worker/cuda/nccllibrary.h"
#include "agent/worker/cuda/pluginloader.h"
#include "tests/bench/support/allreducepairs.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

using namespace ringside;
using bench::must;

namespace {

constexpr int kRanks = 2;
constexpr std::size_t kBytes[] = {4u << 10, 64u << 10, 1u << 20, 16u << 20, 100'000'000};

void mustCuda(cudaError_t code, const char* call)
{
    must(cuda::check(code, call));
}

/// Zeros in the memory of the GPU; they stay zeros, however often they are added.
class GpuNumbers
{
public:
    explicit GpuNumbers(std::size_t bytes)
        : m_count(bytes / sizeof(float))
    {
        mustCuda(cudaMalloc(&m_data, bytes), "cudaMalloc");
        mustCuda(cudaMemset(m_data, 0, bytes), "cudaMemset");
        mustCuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    GpuNumbers(const GpuNumbers&) = delete;
    GpuNumbers& operator=(const GpuNumbers&) = delete;
    ~GpuNumbers() { cudaFree(m_data); }

    std::span<float> all() const { return {static_cast<float*>(m_data), m_count}; }

private:
    void* m_data = nullptr;
    std::size_t m_count;
};

/// A communicator and a stream of its own, with nothing of ours in between. Ends with the process.
class BareNccl
{
public:
    BareNccl(Communicator& communicator, int device)
        : m_nccl(must(cuda::NcclLibrary::load()))
    {
        mustCuda(cudaSetDevice(device), "cudaSetDevice");
        mustCuda(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        ncclUniqueId id{};
        if (communicator.rank() == 0)
            check(m_nccl->getUniqueId(&id), "ncclGetUniqueId");
        must(communicator.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0));
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        check(m_nccl->commInitRankConfig(&m_comm, kRanks, id, communicator.rank(), &config), "ncclCommInitRankConfig");
    }

    void enqueue(std::span<float> numbers) const
    {
        check(m_nccl->allReduce(numbers.data(), numbers.data(), numbers.size(), ncclFloat32, ncclSum, m_comm, m_stream),
              "ncclAllReduce");
    }
    void wait() const { mustCuda(cudaStreamSynchronize(m_stream), "cudaStreamSynchronize"); }

private:
    void check(ncclResult_t result, const char* call) const
    {
        if (result != ncclSuccess)
            must<void>(
                fail(ErrorCode::unavailable, fmt::format("{} failed: {}.", call, m_nccl->getErrorString(result))));
    }

    std::shared_ptr<const cuda::NcclLibrary> m_nccl;
    cudaStream_t m_stream = nullptr;
    ncclComm_t m_comm = nullptr;
};

/// Seconds of one, of `count` as nccl-tests call it.
double secondsWaitingOnce(Communicator& communicator, const BareNccl& nccl, std::span<float> numbers, int count)
{
    const bench::AllReduces allReduces = [&](int each) {
        for (int i = 0; i < each; ++i)
            nccl.enqueue(numbers);
        nccl.wait();
    };
    return bench::secondsOf(communicator, allReduces, count);
}

void measure(Communicator& communicator, const BareNccl& nccl, std::size_t bytes, const std::string& remark)
{
    const GpuNumbers numbers(bytes);
    bench::AllReducePair pair{fmt::format("allreduce.{}_bytes_vs_nccl", bytes), ">=0.97", remark, nullptr, nullptr};
    pair.bare = [&](int count) {
        for (int i = 0; i < count; ++i) {
            nccl.enqueue(numbers.all());
            nccl.wait();
        }
    };
    pair.ours = [&](int count) {
        for (int i = 0; i < count; ++i)
            must(communicator.allReduceSum(numbers.all()));
    };
    const int count = bench::countFor(communicator, pair);
    pair.remark += fmt::format("; {:.0f} us in a bare loop that waits once",
                               1e6 * secondsWaitingOnce(communicator, nccl, numbers.all(), count));
    bench::compare(communicator, pair);
}

int asRank()
{
    auto communicator = must(makeCommunicator());
    const int gpus = must(cuda::gpuCount());
    if (gpus < kRanks)
        ::setenv("NCCL_HOSTID", fmt::format("bench-{}", communicator->rank()).c_str(), 1);
    must(useBackend(Backend::nccl, communicator));
    const BareNccl nccl(*communicator, communicator->localRank() % gpus);
    const auto remark = fmt::format("{} ranks on {}", kRanks, gpus < kRanks ? "one GPU, by sockets" : "a GPU each");
    for (const std::size_t bytes : kBytes)
        measure(*communicator, nccl, bytes, remark);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc > 1 && std::strcmp(argv[1], "rank") == 0)
        return asRank();
    if (const auto plugin = cuda::loadPlugin(); !plugin) {
        fmt::print("# the all-reduce over NCCL is left out: {}\n", plugin.error().message);
        return 0;
    }
    auto ranks = RankGroup::start(kRanks, {std::filesystem::read_symlink("/proc/self/exe"), "rank"}, Meeting::tcp);
    const auto code = ranks ? ranks->wait(std::chrono::minutes(10)) : tl::unexpected(ranks.error());
    if (!code)
        fmt::print(stderr, "{}\n", code.error().text());
    return code.value_or(1);
}
