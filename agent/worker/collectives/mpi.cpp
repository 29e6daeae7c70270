// SPDX-License-Identifier: MIT
// MPI on host buffers. Open MPI makes progress only inside its calls, so collectives are the blocking ones, called from
// a communication thread where they are to overlap with computing (plans/exchangethread.h).
#include "agent/worker/collectives/backends.h"
#include "agent/worker/collectives/mpisum.h"
#include "agent/worker/collectives/nodesums.h"
#include "core/base/backoff.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <mpi.h>
#include <set>

namespace ringside {

namespace {

/// Ranks of one computer pass large messages in fragments, and where two processes share a core each fragment waits for
/// the other to be scheduled. Open MPI's 32 KiB cost 49 s for AlexNet's 244 MB on a busy machine; 512 KiB, the largest
/// of which its pool of 4 MiB holds enough, 1.3 s. The user's own setting stays. (vader is Open MPI 4's name, sm that
/// of 5.)
void preferLargeFragments()
{
    for (const char* variable : {"OMPI_MCA_btl_vader_max_send_size", "OMPI_MCA_btl_sm_max_send_size"})
        setenv(variable, "524288", 0);
}

constexpr std::size_t kMaxCount = std::size_t{1} << 30; // MPI counts are int

Result<void> checkMpi(int code, const char* call, int rank)
{
    if (code == MPI_SUCCESS)
        return {};
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    return fail(ErrorCode::unavailable, fmt::format("{} failed on rank {}: {}.", call, rank, text),
                "Another rank has probably ended; see its log.");
}

/// Components of Open MPI that are open, by framework: those that were not chosen are closed, and their variables gone.
std::map<std::string, std::set<std::string>> openComponents()
{
    std::map<std::string, std::set<std::string>> components;
    int provided = 0, count = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return components;
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; ++i) {
        char text[256] = {}, description[2] = {};
        int length = sizeof text, descriptionLength = sizeof description, verbosity, binding, scope;
        MPI_Datatype type;
        MPI_T_enum values;
        if (MPI_T_cvar_get_info(i, text, &length, &verbosity, &type, &values, description, &descriptionLength, &binding,
                                &scope) != MPI_SUCCESS)
            continue;
        const std::string_view name(text); // "btl_tcp_eager_limit"
        const auto first = name.find('_'), second = name.find('_', first + 1);
        if (second != name.npos && name.substr(first + 1, second - first - 1) != "base")
            components[std::string(name.substr(0, first))].emplace(name.substr(first + 1, second - first - 1));
    }
    MPI_T_finalize();
    return components;
}

/// ob1 sends over byte-transfer layers, cm over one of the matching ones; others (ucx) speak to the network themselves.
std::string transportOf(const std::map<std::string, std::set<std::string>>& components)
{
    const auto named = [&](const char* framework) {
        const auto found = components.find(framework);
        return found == components.end() ? std::string() : fmt::format("{}", fmt::join(found->second, ", "));
    };
    const std::string messages = named("pml");
    if (messages.empty())
        return "mpi: default"; // not Open MPI
    if (messages == "ob1")
        return "mpi: ob1 over " + named("btl");
    return messages == "cm" ? "mpi: cm over " + named("mtl") : "mpi: " + messages;
}

constexpr std::chrono::microseconds kAwake{100}, kSleepBetweenLooks{50};

/// `look` says whether what is waited for is there.
template <class Look> Result<void> lookUntilThere(const Look& look)
{
    for (const Backoff backoff(kAwake, kSleepBetweenLooks, Awake::spins);; backoff.pause()) {
        TRY_ASSIGN(const bool isThere, look());
        if (isThere)
            return {};
    }
}

class MpiTransfer : public Transfer
{
public:
    explicit MpiTransfer(int rank)
        : m_rank(rank)
    {
    }
    ~MpiTransfer() override
    {
        if (m_request != MPI_REQUEST_NULL)
            MPI_Request_free(&m_request);
    }
    MpiTransfer(const MpiTransfer&) = delete;
    MpiTransfer& operator=(const MpiTransfer&) = delete;

    MPI_Request* request() { return &m_request; }
    Result<bool> isDone() override
    {
        int done = 0;
        TRY(checkMpi(MPI_Test(&m_request, &done, MPI_STATUS_IGNORE), "MPI_Test", m_rank));
        return done != 0;
    }
    Result<void> await() override { return checkMpi(MPI_Wait(&m_request, MPI_STATUS_IGNORE), "MPI_Wait", m_rank); }

private:
    int m_rank; ///< this one, for messages
    MPI_Request m_request = MPI_REQUEST_NULL;
};

/// The part that the communicator owns: MPI, which it finalises, or only itself.
enum class Owns
{
    mpi,
    itself
};

/// This rank's place, and the number of ranks, among those that share this node's memory.
struct OnNode
{
    int rank = 0, ranks = 1;
};

/// Called by all ranks at once.
OnNode onNode(MPI_Comm communicator, int rank)
{
    MPI_Comm node = MPI_COMM_NULL;
    OnNode found{rank, 1};
    if (MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return found;
    MPI_Comm_rank(node, &found.rank);
    MPI_Comm_size(node, &found.ranks);
    MPI_Comm_free(&node);
    return found;
}

class MpiCommunicator : public Communicator
{
public:
    MpiCommunicator(MPI_Comm communicator, Owns owns)
        : m_communicator(communicator)
        , m_owns(owns)
    {
        MPI_Comm_set_errhandler(m_communicator, MPI_ERRORS_RETURN);
        MPI_Comm_rank(m_communicator, &m_rank);
        MPI_Comm_size(m_communicator, &m_size);
        const OnNode place = onNode(m_communicator, m_rank);
        m_localRank = place.rank;
        m_isOneNode = place.ranks == m_size && m_size > 1;
    }
    ~MpiCommunicator() override
    {
        if (m_progress != MPI_COMM_NULL)
            MPI_Comm_free(&m_progress);
        if (m_owns == Owns::mpi)
            MPI_Finalize();
        else
            MPI_Comm_free(&m_communicator);
    }
    MpiCommunicator(const MpiCommunicator&) = delete;
    MpiCommunicator& operator=(const MpiCommunicator&) = delete;

    int rank() const override { return m_rank; }
    int worldSize() const override { return m_size; }
    int localRank() const override { return m_localRank; }
    std::string transport() const override
    {
        return transportOf(openComponents()) + (m_nodeSums ? "; large sums in shared memory" : "");
    }

    Result<void> allReduceSum(Numbers buffer) override
    {
        if (m_nodeSums && buffer.bytes() >= NodeSums::kLeastBytes)
            return m_nodeSums->sum(buffer);
        return inPieces(buffer, [&](Numbers piece, int count) {
            return check(MPI_Allreduce(MPI_IN_PLACE, piece.data, count, MpiSums::typeOf(piece.type),
                                       m_sums.sumOf(piece.type), m_communicator),
                         "MPI_Allreduce");
        });
    }
    /// Polls, and sleeps in between: it is awaited beside a compute thread, whose core a wait inside MPI would use.
    Result<void> sumVotes(std::span<float> votes) override
    {
        TRY_ASSIGN(const int count, countOf(votes.size()));
        MpiTransfer sum(m_rank);
        TRY(check(MPI_Iallreduce(MPI_IN_PLACE, votes.data(), count, MPI_FLOAT, MPI_SUM, m_communicator, sum.request()),
                  "MPI_Iallreduce"));
        return lookUntilThere([&] { return sum.isDone(); });
    }
    Result<void> reduceSum(Numbers buffer, int root) override
    {
        if (m_nodeSums && buffer.bytes() >= NodeSums::kLeastBytes)
            return m_nodeSums->sum(buffer);
        return inPieces(buffer, [&](Numbers piece, int count) {
            const void* own = m_rank == root ? MPI_IN_PLACE : piece.data;
            return check(MPI_Reduce(own, piece.data, count, MpiSums::typeOf(piece.type), m_sums.sumOf(piece.type), root,
                                    m_communicator),
                         "MPI_Reduce");
        });
    }
    Result<void> reduceScatterSum(Numbers buffer) override
    {
        if (m_nodeSums && buffer.bytes() >= NodeSums::kLeastBytes)
            return m_nodeSums->sumParts(buffer);
        // In place the sum comes to the beginning of the buffer, over what others need: it goes by way of a copy.
        const Part mine = partOf(buffer.count, m_rank, m_size);
        TRY_ASSIGN(const Parts parts, partsOf(buffer.count));
        m_part.resize(mine.count * bytesOf(buffer.type));
        TRY(check(MPI_Reduce_scatter(buffer.data, m_part.data(), parts.counts.data(), MpiSums::typeOf(buffer.type),
                                     m_sums.sumOf(buffer.type), m_communicator),
                  "MPI_Reduce_scatter"));
        std::ranges::copy(m_part, buffer.part(mine.first, mine.count).data);
        return {};
    }
    Result<void> allGatherParts(Numbers buffer) override
    {
        if (m_nodeSums && buffer.bytes() >= NodeSums::kLeastBytes)
            return m_nodeSums->gatherParts(buffer);
        TRY_ASSIGN(const Parts parts, partsOf(buffer.count));
        return check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer.data, parts.counts.data(),
                                    parts.begins.data(), MpiSums::typeOf(buffer.type), m_communicator),
                     "MPI_Allgatherv");
    }
    Result<void> allReduceAnd(std::span<std::uint64_t> bits) override
    {
        TRY_ASSIGN(const int count, countOf(bits.size()));
        return check(MPI_Allreduce(MPI_IN_PLACE, bits.data(), count, MPI_UINT64_T, MPI_BAND, m_communicator),
                     "MPI_Allreduce");
    }
    Result<void> broadcast(std::span<std::byte> buffer, int root) override
    {
        for (std::size_t at = 0; at < buffer.size(); at += kMaxCount) {
            const auto count = static_cast<int>(std::min(kMaxCount, buffer.size() - at));
            TRY(check(MPI_Bcast(buffer.data() + at, count, MPI_BYTE, root, m_communicator), "MPI_Bcast"));
        }
        return {};
    }
    Result<void> barrier() override { return check(MPI_Barrier(m_communicator), "MPI_Barrier"); }
    Result<void> allGather(std::span<const std::byte> mine, std::span<std::byte> all) override
    {
        TRY_ASSIGN(const int count, countOf(mine.size()));
        return check(MPI_Allgather(mine.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, m_communicator),
                     "MPI_Allgather");
    }
    Result<void> allToAll(std::span<const std::byte> out, std::span<std::byte> in) override
    {
        TRY_ASSIGN(const int count, countOf(out.size() / static_cast<std::size_t>(m_size)));
        return check(MPI_Alltoall(out.data(), count, MPI_BYTE, in.data(), count, MPI_BYTE, m_communicator),
                     "MPI_Alltoall");
    }
    Result<void> send(std::span<const std::byte> message, int to, int tag) override
    {
        TRY_ASSIGN(const int count, countOf(message.size()));
        return check(MPI_Send(message.data(), count, MPI_BYTE, to, tag, m_communicator), "MPI_Send");
    }
    Result<void> receive(std::span<std::byte> message, int from, int tag) override
    {
        TRY_ASSIGN(const int count, countOf(message.size()));
        return check(MPI_Recv(message.data(), count, MPI_BYTE, from, tag, m_communicator, MPI_STATUS_IGNORE),
                     "MPI_Recv");
    }
    Result<std::unique_ptr<Transfer>> startSend(std::span<const std::byte> message, int to, int tag) override
    {
        TRY_ASSIGN(const int count, countOf(message.size()));
        auto transfer = std::make_unique<MpiTransfer>(m_rank);
        TRY(check(MPI_Isend(message.data(), count, MPI_BYTE, to, tag, m_communicator, transfer->request()),
                  "MPI_Isend"));
        return transfer;
    }
    Result<std::unique_ptr<Transfer>> startReceive(std::span<std::byte> message, int from, int tag) override
    {
        TRY_ASSIGN(const int count, countOf(message.size()));
        auto transfer = std::make_unique<MpiTransfer>(m_rank);
        TRY(check(MPI_Irecv(message.data(), count, MPI_BYTE, from, tag, m_communicator, transfer->request()),
                  "MPI_Irecv"));
        return transfer;
    }
    Result<Envelope> awaitMessage() override
    {
        MPI_Status status;
        const auto look = [&]() -> Result<bool> {
            int found = 0;
            TRY(check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, m_communicator, &found, &status), "MPI_Iprobe"));
            return found != 0;
        };
        TRY(lookUntilThere(look));
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        return Envelope{status.MPI_SOURCE, status.MPI_TAG, static_cast<std::size_t>(count)};
    }
    Result<std::unique_ptr<Communicator>> split(int colour) override
    {
        MPI_Comm part = MPI_COMM_NULL;
        TRY(check(MPI_Comm_split(m_communicator, colour, m_rank, &part), "MPI_Comm_split"));
        return ready(std::make_unique<MpiCommunicator>(part, Owns::itself));
    }
    /// The part of construction that may fail.
    static Result<std::unique_ptr<Communicator>> ready(std::unique_ptr<MpiCommunicator> made)
    {
        if (made->m_isOneNode) {
            TRY(made->check(MPI_Comm_dup(made->m_communicator, &made->m_progress), "MPI_Comm_dup"));
            TRY_ASSIGN(made->m_nodeSums, NodeSums::make(*made, [on = made->m_progress] { makeProgress(on); }));
        }
        return made;
    }
    /// MPI may have accepted a message and not sent all of it yet: it sends only inside calls, and the rank that this
    /// one waits for in shared memory may wait for the rest.
    static void makeProgress(MPI_Comm on)
    {
        int found = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, on, &found, MPI_STATUS_IGNORE);
    }
    void abort(int exitCode) override
    {
        MPI_Abort(MPI_COMM_WORLD, exitCode);
        std::_Exit(exitCode); // MPI_Abort does not promise not to return
    }

private:
    /// As MPI wants a buffer's parts described.
    struct Parts
    {
        std::vector<int> counts, begins;
    };
    Result<Parts> partsOf(std::size_t count) const
    {
        TRY(countOf(count));
        Parts parts;
        for (int rank = 0; rank < m_size; ++rank) {
            const Part part = partOf(count, rank, m_size);
            parts.counts.push_back(static_cast<int>(part.count));
            parts.begins.push_back(static_cast<int>(part.first));
        }
        return parts;
    }

    template <class Call> static Result<void> inPieces(Numbers buffer, const Call& call)
    {
        for (std::size_t at = 0; at < buffer.count; at += kMaxCount) {
            const std::size_t count = std::min(kMaxCount, buffer.count - at);
            TRY(call(buffer.part(at, count), static_cast<int>(count)));
        }
        return {};
    }

    /// Bytes, or whatever a call of MPI counts with an int.
    static Result<int> countOf(std::size_t count)
    {
        if (count <= static_cast<std::size_t>(INT_MAX))
            return static_cast<int>(count);
        return fail(ErrorCode::usage,
                    fmt::format("{} bytes or numbers are more than one MPI message can hold ({}).", count, INT_MAX),
                    "Use a grouping with smaller messages, such as “buckets”.");
    }

    Result<void> check(int code, const char* call) const { return checkMpi(code, call, m_rank); }

    MPI_Comm m_communicator;
    MPI_Comm m_progress = MPI_COMM_NULL; ///< on which nothing is sent, so that a probe of it makes progress
    Owns m_owns;
    MpiSums m_sums;
    int m_rank = 0;
    int m_size = 1;
    int m_localRank = 0;
    bool m_isOneNode = false;
    std::unique_ptr<NodeSums> m_nodeSums; ///< null where ranks share no memory
    std::vector<std::byte> m_part;        ///< of the last reduceScatterSum
};

} // namespace

std::string mpiVersion()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length); // allowed before MPI_Init
    std::string name(text, static_cast<std::size_t>(length));
    name.resize(std::min(name.size(), name.find_first_of(",\n")));
    constexpr std::string_view kWord = " Version:"; // "MPICH Version:      5.0.2"
    if (const auto at = name.find(kWord); at != name.npos)
        name.replace(at, name.find_first_not_of(' ', at + kWord.size()) - at, " ");
    return name;
}

bool hasToExit()
{
#ifdef OPEN_MPI
    return false;
#else
    int hasBegun = 0;
    MPI_Initialized(&hasBegun); // stays true once MPI is finalised
    return hasBegun != 0;
#endif
}

Result<std::unique_ptr<Communicator>> makeMpiCommunicator()
{
    preferLargeFragments();
    int provided = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return fail(ErrorCode::unavailable, "MPI_Init_thread failed.", "See its message above.");
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return fail(ErrorCode::unavailable, "This MPI does not allow calls from a communication thread.",
                    "Use an MPI with MPI_THREAD_SERIALIZED, for example Open MPI 4.");
    }
    return MpiCommunicator::ready(std::make_unique<MpiCommunicator>(MPI_COMM_WORLD, Owns::mpi));
}

} // namespace ringside
