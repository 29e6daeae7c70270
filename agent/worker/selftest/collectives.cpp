// SPDX-License-Identifier: MIT
// Checks of ranks of this computer together, in processes of their own.
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/selftest/selftest.h"
#include "core/base/say.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>

namespace ringside {

namespace {

constexpr int kRanks = 3; ///< two that train and a server; two nodes of which one is shared
constexpr int kFewestRanks = 2;
constexpr std::chrono::seconds kLimit{120};
constexpr std::size_t kCount = 1u << 20; // 4 MiB: more than any eager message

/// Element i of rank r is i + r, so the sum over n ranks is n·i + n(n-1)/2: exact in fp32, and wrong if nothing was
/// sent.
Result<Deviation> sumsUp(Communicator& communicator)
{
    const int n = communicator.worldSize();
    std::vector<float> values(kCount);
    std::iota(values.begin(), values.end(), static_cast<float>(communicator.rank()));
    TRY(communicator.allReduceSum(std::span(values)));
    for (std::size_t i = 0; i < kCount; ++i)
        if (values[i] != static_cast<float>(static_cast<std::size_t>(n) * i) + static_cast<float>(n * (n - 1) / 2))
            return exactly(false);
    return exactly(true);
}

Result<Deviation> broadcasts(Communicator& communicator)
{
    const int root = communicator.worldSize() - 1;
    std::vector<std::byte> bytes(kCount, std::byte(communicator.rank()));
    TRY(communicator.broadcast(bytes, root));
    return exactly(bytes.front() == std::byte(root) && bytes.back() == std::byte(root));
}

Result<Deviation> gathers(Communicator& communicator)
{
    TRY_ASSIGN(const auto all, allGather(communicator, std::string(1, static_cast<char>('a' + communicator.rank()))));
    return exactly(all.substr(0, 2) == "ab");
}

std::vector<RankCheck> allRankChecks()
{
    std::vector<RankCheck> all;
    for (auto group : {messageChecks, planChecks, byteChecks, feedbackChecks, serverChecks, linkChecks})
        for (auto& check : group())
            all.push_back(std::move(check));
    return all;
}

/// The largest error of all ranks.
Result<double> worstOf(double error, Communicator& communicator)
{
    std::string bytes(sizeof error, '\0');
    std::memcpy(bytes.data(), &error, sizeof error);
    TRY_ASSIGN(const std::string all, allGather(communicator, bytes));
    std::vector<double> errors(all.size() / sizeof error);
    std::memcpy(errors.data(), all.data(), all.size());
    return *std::ranges::max_element(errors);
}

std::string wordsFor(double error, double tolerance, const std::string& found)
{
    if (tolerance == 0)
        return !found.empty() ? found : error == 0 ? "exact" : "wrong";
    return fmt::format("off by {:.1e}, at most {:.0e}", error, tolerance);
}

/// True if all ranks are within the tolerance; rank 0 prints the line, and a failing rank the part that is off.
Result<bool> carryOut(const RankCheck& check, Communicator& communicator)
{
    TRY_ASSIGN(const Deviation mine, check.run(communicator));
    if (!(mine.error <= check.tolerance))
        sayError("rank {}: {}: {} {}", communicator.rank(), check.name,
                 wordsFor(mine.error, check.tolerance, mine.found), mine.of);
    TRY_ASSIGN(const double worst, worstOf(mine.error, communicator));
    const bool good = worst <= check.tolerance;
    const std::string transport = communicator.transport();
    if (communicator.rank() == 0)
        print(fmt::format("{} ranks over {}, {}", communicator.worldSize(), transport.substr(0, transport.find(':')),
                          check.name),
              passedIf(good, wordsFor(worst, check.tolerance, mine.found)));
    return good;
}

/// Several ranks on one GPU pass for ranks of several hosts: NCCL is known to refuse those of one host.
void shareGpus(const Communicator& communicator)
{
    if (const auto gpus = cuda::gpuCount(); gpus && *gpus < communicator.worldSize())
        ::setenv("NCCL_HOSTID", fmt::format("selftest-{}", communicator.rank()).c_str(), 0);
}

CheckResult betweenRanks(Meeting meeting, Backend backend = Backend::launcher)
{
    std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe"), "selftest", "--rank"};
    if (backend == Backend::nccl)
        command.emplace_back("--nccl");
    auto ranks = RankGroup::start(kRanks, command, meeting);
    if (!ranks)
        return withoutIt(ranks.error());
    const auto code = ranks->wait(kLimit);
    if (!code)
        return failed(code.error());
    return passedIf(*code == 0, fmt::format("the lines above, by {} ranks; exit code {}", kRanks, *code));
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
        return withoutIt(gpus.error());
    if (!cuda::hasPlugin())
        return skipped("built without CUDA");
    return betweenRanks(Meeting::tcp, Backend::nccl);
}

} // namespace

std::vector<RankCheck> messageChecks()
{
    return {{"sum", 0, sumsUp}, {"broadcast", 0, broadcasts}, {"gather", 0, gathers}};
}

int selfTestRank(Backend backend)
{
    at::set_num_threads(1); // ranks share the cores here: threads that wait awake would compete for them
    auto communicator = makeCommunicator();
    if (!communicator || (*communicator)->worldSize() < kFewestRanks)
        return 1;
    if (backend == Backend::nccl)
        shareGpus(**communicator);
    if (const auto used = useBackend(backend, *communicator); !used) {
        sayErrorLine(used.error().text());
        return 1;
    }
    bool allGood = true;
    for (const RankCheck& check : allRankChecks()) {
        const auto good = carryOut(check, **communicator);
        if (!good) {
            sayError("{}: {}", check.name, good.error().text());
            (*communicator)->abort(1); // the others wait for it
        }
        allGood = *good && allGood;
    }
    return allGood ? 0 : 1;
}

std::vector<Check> collectiveChecks()
{
    return {{"collectives between processes", overMpi},
            {"collectives without MPI", overTcp},
            {"collectives over NCCL", overNccl}};
}

} // namespace ringside
