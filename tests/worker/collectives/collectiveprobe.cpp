// SPDX-License-Identifier: MIT
// One rank of the collectives' test: every call of a Communicator against what it must give. usage: collectiveprobe
// [TRANSPORT [leave|stall|die|abort]]: what transport() must begin with; nccl, and TCP in place of MPI, are also made.
// Then a sum of all, but rank 1 ends instead (`leave`), sleeps (`stall`), is killed (`die`), or ends all with exit code
// 7 (`abort`). Exit code 0 if all is right, 1 if not, 3 if a wait ended with an error.
#include "agent/worker/collectives/fastertransport.h"
#include "agent/worker/cuda/nccl.h"
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/keeploaded.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <unistd.h>

using namespace ringside;

namespace {

/// Fewer elements than ranks, fewer than fit one message, several pieces with unequal parts, and more pieces than
/// memory that ranks share has slots.
constexpr std::size_t kCounts[] = {1, 3, 1000, 524'289, 700'001, 2'000'003};

float valueOf(int rank, std::size_t i)
{
    return static_cast<float>(static_cast<std::size_t>(rank + 1) * (i % 251));
}

float sumOf(int ranks, std::size_t i)
{
    return static_cast<float>(static_cast<std::size_t>(ranks * (ranks + 1) / 2) * (i % 251));
}

std::vector<float> valuesOf(const Communicator& communicator, std::size_t count)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = valueOf(communicator.rank(), i);
    return values;
}

bool isSum(std::span<const float> values, std::size_t first, int ranks)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != sumOf(ranks, first + i))
            return false;
    return true;
}

Result<bool> sums(Communicator& communicator, std::size_t count)
{
    const int ranks = communicator.worldSize(), last = ranks - 1;
    auto all = valuesOf(communicator, count), one = all, part = all;
    TRY(communicator.allReduceSum(std::span(all)));
    TRY(communicator.reduceSum(std::span(one), last));
    TRY(communicator.reduceScatterSum(std::span(part)));
    const Part mine = partOf(count, communicator.rank(), ranks);
    const bool partIsRight = isSum(std::span(part).subspan(mine.first, mine.count), mine.first, ranks);
    TRY(communicator.allGatherParts(std::span(part)));
    return isSum(all, 0, ranks) && (communicator.rank() != last || isSum(one, 0, ranks)) && partIsRight &&
           isSum(part, 0, ranks);
}

Result<bool> votes(Communicator& communicator)
{
    std::vector<float> all = valuesOf(communicator, 5);
    TRY(communicator.sumVotes(all));
    return isSum(all, 0, communicator.worldSize());
}

/// 1.0 of every rank, in both formats of 16 bits: sums up to 4 are exact.
Result<bool> halves(Communicator& communicator)
{
    constexpr std::uint16_t kOneF16 = 0x3c00, kOneBf16 = 0x3f80;
    const auto ofRanks = [](int n, NumberType type) -> std::uint16_t {
        if (type == NumberType::f16)
            return n == 2 ? 0x4000 : n == 3 ? 0x4200 : 0x4400;
        return n == 2 ? 0x4000 : n == 3 ? 0x4040 : 0x4080;
    };
    bool right = true;
    for (const auto& [type, bits] : {std::pair(NumberType::f16, kOneF16), {NumberType::bf16, kOneBf16}})
        for (const std::size_t count : {std::size_t{5}, std::size_t{100'003}, std::size_t{300'007}}) {
            std::vector<std::uint16_t> all(count, bits), one = all, part = all;
            TRY(communicator.allReduceSum({std::span(all), type}));
            TRY(communicator.reduceSum({std::span(one), type}, 0));
            TRY(communicator.reduceScatterSum({std::span(part), type}));
            TRY(communicator.allGatherParts({std::span(part), type}));
            const auto sum = std::vector(count, ofRanks(communicator.worldSize(), type));
            right = right && all == sum && (communicator.rank() != 0 || one == sum) && part == sum;
        }
    return right;
}

Result<bool> bits(Communicator& communicator)
{
    const auto rank = static_cast<unsigned>(communicator.rank());
    std::vector<std::uint64_t> words{~(std::uint64_t{1} << rank), std::uint64_t{1} << rank};
    TRY(communicator.allReduceAnd(words));
    const std::uint64_t all = (std::uint64_t{1} << communicator.worldSize()) - 1;
    return words[0] == ~all && words[1] == 0;
}

Result<bool> bytes(Communicator& communicator)
{
    const int ranks = communicator.worldSize(), rank = communicator.rank();
    bool right = true;
    for (int root = 0; root < ranks; ++root) {
        std::vector<std::byte> buffer(300'000, std::byte(rank == root ? root + 7 : 0));
        TRY(communicator.broadcast(buffer, root));
        right = right && buffer == std::vector(buffer.size(), std::byte(root + 7));
    }
    TRY_ASSIGN(const auto gathered, allGather(communicator, std::string(2, static_cast<char>('a' + rank))));
    std::vector<std::byte> out, in(static_cast<std::size_t>(ranks));
    for (int to = 0; to < ranks; ++to)
        out.push_back(std::byte(10 * rank + to));
    TRY(communicator.allToAll(out, in));
    for (int from = 0; from < ranks; ++from)
        right = right && in[static_cast<std::size_t>(from)] == std::byte(10 * from + rank) &&
                gathered[2 * static_cast<std::size_t>(from)] == 'a' + from;
    return right;
}

Result<bool> messages(Communicator& communicator)
{
    const int ranks = communicator.worldSize(), rank = communicator.rank();
    std::vector<std::byte> message(64, std::byte(rank));
    if (rank > 0)
        TRY(communicator.send(message, 0));
    for (int from = 1; rank == 0 && from < ranks; ++from) {
        TRY(communicator.receive(message, from));
        if (message.back() != std::byte(from))
            return false;
    }
    return true;
}

/// Rank 0 answers the rank that comes first, by what was asked, and receives the second message of a rank before its
/// first.
Result<bool> answers(Communicator& communicator)
{
    const int ranks = communicator.worldSize(), rank = communicator.rank();
    if (rank > 0) {
        std::vector<std::byte> question(static_cast<std::size_t>(100 * rank), std::byte(rank)), reply(8);
        TRY(communicator.send(question, 0, 10 + rank));
        TRY(communicator.receive(reply, 0, 5));
        TRY(communicator.send(std::vector(4, std::byte(1)), 0, 1));
        TRY(communicator.send(std::vector(4, std::byte(2)), 0, 2));
        return reply.back() == std::byte(rank + 1);
    }
    bool right = true;
    for (int i = 1; i < ranks; ++i) {
        TRY_ASSIGN(const Envelope envelope, communicator.awaitMessage());
        std::vector<std::byte> question(envelope.bytes);
        TRY(communicator.receive(question, envelope.from, envelope.tag));
        right = right && envelope.tag == 10 + envelope.from && question.back() == std::byte(envelope.from) &&
                envelope.bytes == static_cast<std::size_t>(100 * envelope.from);
        TRY(communicator.send(std::vector(8, std::byte(envelope.from + 1)), envelope.from, 5));
        std::vector<std::byte> first(4), second(4);
        TRY_ASSIGN(const auto early, communicator.startReceive(second, envelope.from, 2));
        TRY(early->await());
        TRY(communicator.receive(first, envelope.from, 1));
        right = right && first.back() == std::byte(1) && second.back() == std::byte(2);
    }
    return right;
}

/// Large ones both ways at once, without waiting for either before both are begun.
Result<bool> crossing(Communicator& communicator)
{
    const int peer = communicator.rank() ^ 1;
    if (peer >= communicator.worldSize())
        return true;
    std::vector<std::byte> out(3u << 20, std::byte(communicator.rank() + 1)), in(out.size());
    TRY_ASSIGN(const auto received, communicator.startReceive(in, peer, 3));
    TRY_ASSIGN(const auto sent, communicator.startSend(out, peer, 3));
    bool done = false;
    while (!done) {
        TRY_ASSIGN(done, sent->isDone());
    }
    TRY(received->await());
    return in.front() == std::byte(peer + 1) && in.back() == std::byte(peer + 1);
}

Result<bool> parts(Communicator& communicator)
{
    TRY_ASSIGN(const auto part, communicator.split(communicator.rank() % 2));
    std::vector<float> one(100'000, 1);
    TRY(part->allReduceSum(std::span(one)));
    const int expected = (communicator.worldSize() + 1 - communicator.rank() % 2) / 2;
    return part->worldSize() == expected && one.back() == static_cast<float>(expected) &&
           part->rank() == communicator.rank() / 2;
}

Result<bool> everything(Communicator& communicator)
{
    bool right = true;
    for (const std::size_t count : kCounts) {
        TRY_ASSIGN(const bool summed, sums(communicator, count));
        right = right && summed;
    }
    for (const auto check : {votes, halves, bits, bytes, messages, answers, crossing, parts}) {
        TRY_ASSIGN(const bool good, check(communicator));
        TRY(communicator.barrier());
        right = right && good;
    }
    return right && communicator.localRank() == communicator.rank();
}

int waitInVain(Communicator& communicator, std::string_view end)
{
    if (communicator.rank() == 1) {
        ::sleep(end == "stall" ? 4 : 2); // the others wait by then
        if (end == "die")
            ::raise(SIGKILL);
        if (end == "abort")
            communicator.abort(7);
        ::_exit(0);
    }
    std::vector<float> large(300'000, 1);
    const auto passed = communicator.allReduceSum(std::span(large));
    if (!passed)
        fmt::print(stderr, "{}\n", passed.error().text());
    return passed ? 0 : 3;
}

/// Each says that it is on a host of its own.
Result<std::unique_ptr<Communicator>> faster(std::unique_ptr<Communicator> communicator)
{
    communicator->pretendHost(fmt::format("node-{}", communicator->rank()));
    TRY(takeFasterTransport(communicator));
    return communicator;
}

/// Several ranks on one GPU pass for ranks of several hosts: NCCL refuses those of one host.
Result<std::unique_ptr<Communicator>> communicatorNamed(std::string_view name)
{
    TRY_ASSIGN(auto communicator, makeCommunicator());
    if (name.starts_with("tcp, in place of"))
        return faster(std::move(communicator));
    if (name != "nccl")
        return communicator;
    if (const auto gpus = cuda::gpuCount(); gpus && *gpus < communicator->worldSize())
        ::setenv("NCCL_HOSTID", fmt::format("probe-{}", communicator->rank()).c_str(), 0);
    TRY(useBackend(Backend::nccl, communicator));
    return communicator;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string_view name = argc > 1 ? argv[1] : "";
    const auto communicator = communicatorNamed(name);
    if (!communicator || (*communicator)->worldSize() < 2) {
        fmt::print(stderr, "{}\n", communicator ? "one rank only" : communicator.error().text());
        return 2;
    }
    if (argc > 2)
        return waitInVain(**communicator, argv[2]);
    const std::string transport = (*communicator)->transport();
    if (!transport.starts_with(name) || (name == "mpi" && !transport.ends_with("large sums in shared memory")))
        return 1;
    const auto right = everything(**communicator);
    if (!right)
        fmt::print(stderr, "{}\n", right.error().text());
    return right && *right ? 0 : 1;
}
