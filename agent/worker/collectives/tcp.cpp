// SPDX-License-Identifier: MIT
// Collectives over TCP, for where there is no MPI: rings for the large ones, which move the least bytes that a sum
// needs (2 (n - 1) / n of the buffer in and out of each rank; Patarasu and Yuan, 2009), doubling steps for the small.
#include "agent/worker/collectives/backends.h"
#include "agent/worker/collectives/tcpmesh.h"
#include "agent/worker/collectives/traffic.h"
#include "core/base/environment.h"
#include "core/base/rankvariables.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace ringside {

namespace {

/// A received piece is added while the next one is on its way.
constexpr std::size_t kPiece = 256u << 10;

/// Bytes that all ranks gather together: with fewer the hops count, with more what each of them moves at a time.
constexpr std::size_t kRingFrom = 64u << 10;

/// Tag of collectives; those of single messages are 0 and more.
constexpr int kCollective = -1;

class TcpTransfer : public Transfer
{
public:
    TcpTransfer(std::shared_ptr<TcpMesh> mesh, TcpMesh::Message message)
        : m_mesh(std::move(mesh))
        , m_message(std::move(message))
    {
    }
    Result<bool> isDone() override
    {
        if (!m_message->done)
            TRY(m_mesh->advance());
        return m_message->done;
    }
    Result<void> await() override { return m_mesh->await(m_message); }

private:
    std::shared_ptr<TcpMesh> m_mesh;
    TcpMesh::Message m_message;
};

class TcpCommunicator : public Communicator
{
public:
    TcpCommunicator(std::shared_ptr<TcpMesh> mesh, std::vector<int> members, std::shared_ptr<Communicator> known = {})
        : m_known(std::move(known))
        , m_mesh(std::move(mesh))
        , m_members(std::move(members))
        , m_rank(static_cast<int>(std::ranges::find(m_members, m_mesh->rank()) - m_members.begin()))
    {
    }

    int rank() const override { return m_rank; }
    int worldSize() const override { return static_cast<int>(m_members.size()); }
    int localRank() const override { return m_mesh->localRank(); }
    std::string transport() const override { return m_known ? "tcp, in place of " + m_known->transport() : "tcp"; }
    Traffic sent() const { return m_mesh->sent(); }

    Result<void> allReduceSum(Numbers buffer) override
    {
        if (buffer.bytes() < kTcpSums.wholeBelow)
            return sumByAll(buffer);
        TRY(reduceScatterSum(buffer));
        return allGatherParts(buffer);
    }
    Result<void> reduceSum(Numbers buffer, int root) override
    {
        TRY(reduceScatterSum(buffer));
        if (m_rank != root)
            return send(bytesOf(partOf(buffer, m_rank)), root, kCollective);
        for (int from = 0; from < worldSize(); ++from)
            if (from != root)
                TRY(receive(bytesOf(partOf(buffer, from)), from, kCollective));
        return {};
    }
    Result<void> reduceScatterSum(Numbers buffer) override
    {
        for (int step = 1; step < worldSize(); ++step)
            TRY(passAndAdd(partOf(buffer, m_rank - step), partOf(buffer, m_rank - step - 1)));
        return {};
    }
    Result<void> allGatherParts(Numbers buffer) override
    {
        for (int step = 0; step + 1 < worldSize(); ++step)
            TRY(pass(bytesOf(partOf(buffer, m_rank - step)), bytesOf(partOf(buffer, m_rank - step - 1))));
        return {};
    }
    Result<void> allReduceAnd(std::span<std::uint64_t> bits) override
    {
        std::vector<std::uint64_t> all(bits.size() * m_members.size());
        TRY(allGather(std::as_bytes(bits), std::as_writable_bytes(std::span(all))));
        for (std::size_t i = 0; i < all.size(); ++i)
            bits[i % bits.size()] &= all[i];
        return {};
    }
    /// By a tree: who has it passes it on, in ever smaller steps.
    Result<void> broadcast(std::span<std::byte> buffer, int root) override
    {
        const int distance = place(m_rank - root);
        int step = 1;
        while (step < worldSize() && !(distance & step))
            step *= 2;
        if (distance != 0)
            TRY(receive(buffer, place(m_rank - step), kCollective));
        while ((step /= 2) >= 1)
            if (distance + step < worldSize())
                TRY(send(buffer, place(m_rank + step), kCollective));
        return {};
    }
    /// After k steps a rank has messages, at second hand, from 2^k others (Hensgen, Finkel and Manber, 1988).
    Result<void> barrier() override
    {
        for (int step = 1; step < worldSize(); step *= 2) {
            const std::byte out{1};
            std::byte in{};
            TRY(exchange(place(m_rank + step), {&out, 1}, place(m_rank - step), {&in, 1}));
        }
        return {};
    }
    Result<void> allGather(std::span<const std::byte> mine, std::span<std::byte> all) override
    {
        if (all.size() < kRingFrom)
            return gatherByDoubling(mine, all);
        const auto block = [&](int rank) {
            return all.subspan(static_cast<std::size_t>(place(rank)) * mine.size(), mine.size());
        };
        std::ranges::copy(mine, block(m_rank).begin());
        for (int step = 0; step + 1 < worldSize(); ++step)
            TRY(pass(block(m_rank - step), block(m_rank - step - 1)));
        return {};
    }
    Result<void> allToAll(std::span<const std::byte> out, std::span<std::byte> in) override
    {
        const std::size_t length = out.size() / m_members.size();
        const auto begin = [&](int rank) { return static_cast<std::size_t>(rank) * length; };
        std::ranges::copy(out.subspan(begin(m_rank), length), in.begin() + static_cast<std::ptrdiff_t>(begin(m_rank)));
        for (int step = 1; step < worldSize(); ++step) {
            const int to = place(m_rank + step), from = place(m_rank - step);
            TRY(exchange(to, out.subspan(begin(to), length), from, in.subspan(begin(from), length)));
        }
        return {};
    }
    using Communicator::receive;
    using Communicator::send;
    Result<void> send(std::span<const std::byte> message, int to, int tag) override
    {
        return m_mesh->await(m_mesh->startSend(memberAt(to), tag, message));
    }
    Result<void> receive(std::span<std::byte> message, int from, int tag) override
    {
        return m_mesh->await(m_mesh->startReceive(memberAt(from), tag, message));
    }
    Result<std::unique_ptr<Transfer>> startSend(std::span<const std::byte> message, int to, int tag) override
    {
        return std::make_unique<TcpTransfer>(m_mesh, m_mesh->startSend(memberAt(to), tag, message));
    }
    Result<std::unique_ptr<Transfer>> startReceive(std::span<std::byte> message, int from, int tag) override
    {
        return std::make_unique<TcpTransfer>(m_mesh, m_mesh->startReceive(memberAt(from), tag, message));
    }
    Result<Envelope> awaitMessage() override
    {
        TRY_ASSIGN(Envelope envelope, m_mesh->awaitMessage(m_members));
        envelope.from = static_cast<int>(std::ranges::find(m_members, envelope.from) - m_members.begin());
        return envelope;
    }
    Result<std::unique_ptr<Communicator>> split(int colour) override
    {
        std::vector<int> colours(m_members.size());
        TRY(allGather(std::as_bytes(std::span(&colour, 1)), std::as_writable_bytes(std::span(colours))));
        std::vector<int> members;
        for (std::size_t i = 0; i < colours.size(); ++i)
            if (colours[i] == colour)
                members.push_back(m_members[i]);
        return std::make_unique<TcpCommunicator>(m_mesh, std::move(members), m_known);
    }
    /// Without a launcher the others notice that their connections end.
    void abort(int exitCode) override
    {
        if (m_known)
            m_known->abort(exitCode);
        std::_Exit(exitCode);
    }

private:
    int place(int rank) const { return ((rank % worldSize()) + worldSize()) % worldSize(); }
    int memberAt(int rank) const { return m_members[static_cast<std::size_t>(rank)]; }
    Numbers partOf(Numbers buffer, int rank) const
    {
        const Part part = ringside::partOf(buffer.count, place(rank), worldSize());
        return buffer.part(part.first, part.count);
    }
    static std::span<std::byte> bytesOf(Numbers numbers) { return {numbers.data, numbers.bytes()}; }

    Result<void> exchange(int to, std::span<const std::byte> out, int from, std::span<std::byte> in)
    {
        const auto received = m_mesh->startReceive(memberAt(from), kCollective, in);
        const auto sent = m_mesh->startSend(memberAt(to), kCollective, out);
        TRY(m_mesh->await(received));
        return m_mesh->await(sent);
    }
    /// To the next rank of the ring, from the one before.
    Result<void> pass(std::span<const std::byte> out, std::span<std::byte> in)
    {
        return exchange(place(m_rank + 1), out, place(m_rank - 1), in);
    }

    /// As pass; what comes is added to what is there. Parts may differ by an element, so by a piece; a buffer of fewer
    /// elements than ranks has empty ones.
    Result<void> passAndAdd(Numbers out, Numbers in)
    {
        const std::size_t each = kPiece / ringside::bytesOf(in.type);
        m_piece.resize(kPiece);
        for (std::size_t at = 0; at < std::max(out.count, in.count); at += each) {
            const Numbers from = pieceOf(out, at, each), to = pieceOf(in, at, each);
            const auto arrived = std::span(m_piece).first(to.bytes());
            if (from.count == 0)
                TRY(receive(arrived, place(m_rank - 1), kCollective));
            else if (to.count == 0)
                TRY(send(bytesOf(from), place(m_rank + 1), kCollective));
            else
                TRY(pass(bytesOf(from), arrived));
            addNumbers(to, m_piece.data());
        }
        return {};
    }
    static Numbers pieceOf(Numbers numbers, std::size_t at, std::size_t length)
    {
        const std::size_t first = std::min(at, numbers.count);
        return numbers.part(first, std::min(length, numbers.count - first));
    }

    /// Each step doubles the blocks that a rank has, its own and those of the ranks after it, so that a vote of n ranks
    /// takes log2 n hops (Bruck et al., IEEE Trans. Parallel Distrib. Syst. 8, 1997).
    Result<void> gatherByDoubling(std::span<const std::byte> mine, std::span<std::byte> all)
    {
        const std::size_t ranks = m_members.size(), size = mine.size();
        std::vector<std::byte> blocks(all.size());
        std::ranges::copy(mine, blocks.begin());
        for (std::size_t known = 1; known < ranks; known *= 2) {
            const std::size_t more = std::min(known, ranks - known) * size;
            const auto distance = static_cast<int>(known);
            TRY(exchange(place(m_rank - distance), std::span(blocks).first(more), place(m_rank + distance),
                         std::span(blocks).subspan(known * size, more)));
        }
        const auto own = blocks.end() - static_cast<std::ptrdiff_t>(static_cast<std::size_t>(m_rank) * size);
        std::rotate_copy(blocks.begin(), own, blocks.end(), all.begin()); // rank 0's first
        return {};
    }

    /// In the order of the ranks, so that all have the same sum.
    Result<void> sumByAll(Numbers buffer)
    {
        std::vector<std::byte> all(buffer.bytes() * m_members.size());
        TRY(allGather(bytesOf(buffer), all));
        std::copy_n(all.begin(), buffer.bytes(), buffer.data);
        for (std::size_t rank = 1; rank < m_members.size(); ++rank)
            addNumbers(buffer, all.data() + rank * buffer.bytes());
        return {};
    }

    std::shared_ptr<Communicator> m_known; ///< by which the ranks met, if by one; ends last
    std::shared_ptr<TcpMesh> m_mesh;
    std::vector<int> m_members; ///< ranks of the mesh, by rank of this
    int m_rank = 0;
    std::vector<std::byte> m_piece;
};

Result<int> numberIn(const char* variable)
{
    const char* text = environment(variable);
    char* end = nullptr;
    const long number = text ? std::strtol(text, &end, 10) : -1;
    if (!text || *end != '\0' || number < 0 || number > 1'000'000)
        return fail(ErrorCode::usage, fmt::format("{} does not say a number of ranks.", variable),
                    "It is set by ringside-agent.");
    return static_cast<int>(number);
}

std::vector<int> allOf(int ranks)
{
    std::vector<int> members(static_cast<std::size_t>(ranks));
    std::iota(members.begin(), members.end(), 0);
    return members;
}

/// The network that useInterface chose; empty: any.
std::string chosenInterface()
{
    const char* interface = environment(kTcpInterfaceVariable);
    return interface ? interface : "";
}

/// They have all been started, so one that is not there soon cannot be reached.
constexpr std::chrono::seconds kMeetingOfKnown{60};

} // namespace

std::optional<Traffic> sentBy(const Communicator& communicator)
{
    const auto* overTcp = dynamic_cast<const TcpCommunicator*>(&communicator);
    return overTcp ? std::optional(overTcp->sent()) : std::nullopt;
}

Result<std::unique_ptr<Communicator>> makeTcpCommunicator()
{
    TcpPlace place;
    TRY_ASSIGN(place.rank, numberIn(kTcpRankVariable));
    TRY_ASSIGN(place.ranks, numberIn(kTcpRanksVariable));
    place.meeting = environment(kTcpMeetingVariable);
    place.interface = chosenInterface();
    if (place.rank >= place.ranks)
        return fail(ErrorCode::usage, fmt::format("There is no rank {} among {}.", place.rank, place.ranks));
    TRY_ASSIGN(auto mesh, TcpMesh::join(place));
    return std::make_unique<TcpCommunicator>(std::move(mesh), allOf(place.ranks));
}

Result<std::unique_ptr<Communicator>> makeTcpCommunicator(std::unique_ptr<Communicator>& known)
{
    const int ranks = known->worldSize();
    auto mesh = TcpMesh::join(
        {known->rank(), ranks, {}, chosenInterface(), MeetingLimits{.all = kMeetingOfKnown}, known.get()});
    std::uint64_t allMet = mesh.has_value();
    TRY(known->allReduceAnd({&allMet, 1}));
    if (!mesh)
        return tl::unexpected(mesh.error());
    if (!allMet)
        return fail(ErrorCode::unavailable, "Another rank found no way to all others.", "See its log.");
    return std::make_unique<TcpCommunicator>(std::move(*mesh), allOf(ranks), std::move(known));
}

} // namespace ringside
