// SPDX-License-Identifier: MIT
// The collectives between two ranks of this computer, in processes of their own.
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>

namespace ringside {

namespace {

constexpr int kRanks = 2;
constexpr std::chrono::seconds kLimit{60};
constexpr std::size_t kCount = 1u << 20; // 4 MiB: more than any eager message

/// Element i of rank r is i + r, so the sum over n ranks is n·i + n(n-1)/2: exact in fp32, and wrong if nothing was
/// sent.
Result<bool> sumsUp(Communicator& communicator)
{
    const int n = communicator.worldSize();
    std::vector<float> values(kCount);
    std::iota(values.begin(), values.end(), static_cast<float>(communicator.rank()));
    TRY(communicator.allReduceSum(std::span(values)));
    for (std::size_t i = 0; i < kCount; ++i)
        if (values[i] != static_cast<float>(static_cast<std::size_t>(n) * i) + static_cast<float>(n * (n - 1) / 2))
            return false;
    return true;
}

Result<bool> broadcasts(Communicator& communicator)
{
    const int root = communicator.worldSize() - 1;
    std::vector<std::byte> bytes(kCount, std::byte(communicator.rank()));
    TRY(communicator.broadcast(bytes, root));
    return bytes.front() == std::byte(root) && bytes.back() == std::byte(root);
}

Result<bool> gathers(Communicator& communicator)
{
    TRY_ASSIGN(const auto all, allGather(communicator, std::string(1, static_cast<char>('a' + communicator.rank()))));
    return all.substr(0, 2) == "ab";
}

Result<bool> allCollectives(Communicator& communicator)
{
    TRY_ASSIGN(const bool summed, sumsUp(communicator));
    TRY_ASSIGN(const bool broadcast, broadcasts(communicator));
    TRY_ASSIGN(const bool gathered, gathers(communicator));
    TRY(communicator.barrier());
    TRY_ASSIGN(const bool updated, serverUpdates(communicator));
    TRY_ASSIGN(const bool right, plansAreRight(communicator));
    return summed && broadcast && gathered && updated && right;
}

CheckResult betweenRanks(Meeting meeting, Backend backend = Backend::launcher)
{
    std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe"), "selftest", "--rank"};
    if (backend == Backend::nccl)
        command.emplace_back("--nccl");
    auto ranks = RankGroup::start(kRanks, command, meeting);
    if (!ranks)
        return skipped(ranks.error().text());
    const auto code = ranks->wait(kLimit);
    if (!code)
        return passedIf(false, code.error().text());
    return passedIf(
        *code == 0,
        fmt::format(
            "sum, broadcast, gather and a server's update of {} ranks: exact; gradients by every plan: off by at most "
            "{:g} (fp16 {:g}, bf16 {:g}); exit code {}",
            kRanks, kExactTolerance, kFp16Tolerance, kBf16Tolerance, *code));
}

CheckResult overMpi()
{
    return mpiVersion().empty() ? skipped("built without MPI") : betweenRanks(Meeting::mpi);
}

CheckResult overTcp()
{
    return betweenRanks(Meeting::tcp);
}

CheckResult overNccl()
{
    const auto gpus = cuda::gpuCount();
    if (!gpus)
        return skipped(gpus.error().message);
    if (*gpus < kRanks)
        return skipped("NCCL wants a GPU for each rank, and there is one");
    if (!cuda::hasPlugin())
        return skipped("built without CUDA");
    return betweenRanks(Meeting::tcp, Backend::nccl);
}

} // namespace

int selfTestRank(Backend backend)
{
    auto communicator = makeCommunicator();
    if (!communicator || (*communicator)->worldSize() < kRanks)
        return 1;
    if (const auto used = useBackend(backend, *communicator); !used) {
        fmt::print(stderr, "{}\n", used.error().text());
        return 1;
    }
    const auto good = allCollectives(**communicator);
    if (!good)
        fmt::print(stderr, "{}\n", good.error().text());
    return good && *good ? 0 : 1;
}

std::vector<Check> collectiveChecks()
{
    return {{"collectives between processes", overMpi},
            {"collectives without MPI", overTcp},
            {"collectives over NCCL", overNccl}};
}

} // namespace ringside
