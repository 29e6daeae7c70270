// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/backends.h"

#include <algorithm>
#include <cstdlib>

namespace ringside {

namespace {

/// One rank: every collective is complete before it begins, and there is no rank to write to.
class SingleCommunicator : public Communicator
{
public:
    int rank() const override { return 0; }
    int worldSize() const override { return 1; }
    std::string transport() const override { return "single"; }
    Result<void> allReduceSum(Numbers) override { return {}; }
    Result<void> reduceSum(Numbers, int) override { return {}; }
    Result<void> reduceScatterSum(Numbers) override { return {}; }
    Result<void> allGatherParts(Numbers) override { return {}; }
    Result<void> allReduceAnd(std::span<std::uint64_t>) override { return {}; }
    Result<void> broadcast(std::span<std::byte>, int) override { return {}; }
    Result<void> barrier() override { return {}; }
    Result<void> allGather(std::span<const std::byte> mine, std::span<std::byte> all) override
    {
        std::ranges::copy(mine, all.begin());
        return {};
    }
    Result<void> allToAll(std::span<const std::byte> out, std::span<std::byte> in) override
    {
        std::ranges::copy(out, in.begin());
        return {};
    }
    Result<void> send(std::span<const std::byte>, int to, int) override { return noSuchRank(to); }
    Result<void> receive(std::span<std::byte>, int from, int) override { return noSuchRank(from); }
    Result<std::unique_ptr<Transfer>> startSend(std::span<const std::byte>, int to, int) override
    {
        return noSuchRank(to);
    }
    Result<std::unique_ptr<Transfer>> startReceive(std::span<std::byte>, int from, int) override
    {
        return noSuchRank(from);
    }
    Result<Envelope> awaitMessage() override { return noSuchRank(1); }
    Result<std::unique_ptr<Communicator>> split(int) override { return makeSingleCommunicator(); }
    void abort(int exitCode) override { std::_Exit(exitCode); }

private:
    static tl::unexpected<Error> noSuchRank(int rank)
    {
        return fail(ErrorCode::internal, fmt::format("There is no rank {} beside this one.", rank));
    }
};

} // namespace

std::unique_ptr<Communicator> makeSingleCommunicator()
{
    return std::make_unique<SingleCommunicator>();
}

} // namespace ringside
