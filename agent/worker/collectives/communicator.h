// SPDX-License-Identifier: MIT
// The engine's interface to message-passing libraries. Buffers are host memory; with NCCL those of sums, broadcasts,
// gathers and allToAll may be a GPU's: such a call is enqueued on `stream` and returns.
//
// All calls but those of single messages and `abort` are collective and block until they are complete on this rank;
// they come from one thread at a time (any thread). Every rank makes the same calls in the same order.
#pragma once

#include "agent/worker/collectives/numbers.h"
#include "agent/worker/collectives/transfer.h"
#include "core/base/error.h"
#include "core/base/networklinks.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside {

/// A message that waits to be received: by whom it was sent, as what, and its length.
struct Envelope
{
    int from = 0;
    int tag = 0;
    std::size_t bytes = 0;
};

class Communicator
{
public:
    virtual ~Communicator() = default;

    virtual int rank() const = 0;
    virtual int worldSize() const = 0;
    /// Index of this rank among the ranks of its host; decides which cores it is bound to.
    virtual int localRank() const { return rank(); }
    /// As facts name it: "single"; "tcp"; of MPI the layers that it chose, "mpi: ob1 over self, tcp, vader".
    virtual std::string transport() const = 0;
    /// The PCI address of the GPU that this rank communicates with; empty if it uses none.
    virtual std::string gpu() const { return {}; }

    /// The stream of the GPU (a cudaStream_t) on which all calls of its memory follow one another, those of the groups
    /// that this is split into as well; null: only the host's memory can be used. Work that fills the memory has to be
    /// enqueued or awaited there before a call; work enqueued there behind it finds its result.
    virtual void* stream() const { return nullptr; }
    /// All that was enqueued there so far: done once the GPU is through with it. An error where a peer is lost, or the
    /// limit is exceeded, counted from the first question; then the GPU is freed of it, and every later call fails.
    virtual Result<std::unique_ptr<Transfer>> enqueued();

    /// Each element becomes its sum over all ranks, in place.
    virtual Result<void> allReduceSum(Numbers buffer) = 0;
    /// The same of a few numbers of the host, by which ranks agree on something: no GPU has a part in it.
    virtual Result<void> sumVotes(std::span<float> votes) { return allReduceSum(votes); }
    /// As allReduceSum on rank `root`; what the others hold afterwards says nothing.
    virtual Result<void> reduceSum(Numbers buffer, int root) = 0;
    /// As allReduceSum in this rank's part (numbers.h); the others are undefined afterwards.
    virtual Result<void> reduceScatterSum(Numbers buffer) = 0;
    /// Every part as the rank holds it whose part it is: what reduceScatterSum left to do.
    virtual Result<void> allGatherParts(Numbers buffer) = 0;
    /// Each bit becomes 1 if it is 1 on all ranks.
    virtual Result<void> allReduceAnd(std::span<std::uint64_t> bits) = 0;
    /// The bytes of rank `root` on all ranks.
    virtual Result<void> broadcast(std::span<std::byte> buffer, int root) = 0;
    virtual Result<void> barrier() = 0;
    /// The bytes of every rank (all of the same length), in the order of the ranks, on all ranks.
    virtual Result<void> allGather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
    /// Block r of `out` goes to rank r, whose block for this rank comes to its place in `in`; all blocks are
    /// out.size() / worldSize() bytes.
    virtual Result<void> allToAll(std::span<const std::byte> out, std::span<std::byte> in) = 0;

    /// One message to another rank, which receives it with the same length and the same tag (0 to 32,767). Messages
    /// from one rank to another are not overtaken by later ones of their tag. Blocking.
    virtual Result<void> send(std::span<const std::byte> message, int to, int tag) = 0;
    virtual Result<void> receive(std::span<std::byte> message, int from, int tag) = 0;
    Result<void> send(std::span<const std::byte> message, int to) { return send(message, to, 0); }
    Result<void> receive(std::span<std::byte> message, int from) { return receive(message, from, 0); }
    /// The same without waiting.
    virtual Result<std::unique_ptr<Transfer>> startSend(std::span<const std::byte> message, int to, int tag) = 0;
    virtual Result<std::unique_ptr<Transfer>> startReceive(std::span<std::byte> message, int from, int tag) = 0;
    /// Waits until a message of any rank and tag is there, for `receive`. Sleeps while none comes: a server shares its
    /// cores with the ranks that it answers. Makes progress on other transfers.
    virtual Result<Envelope> awaitMessage() = 0;

    /// A communicator of the ranks with the same colour, in the order of their ranks; destroy it before this one.
    /// Collective.
    virtual Result<std::unique_ptr<Communicator>> split(int colour) = 0;

    /// Ends all ranks with this exit code, this one included, when the ranks can no longer agree on anything.
    [[noreturn]] virtual void abort(int exitCode) = 0;

    /// The name of this rank's host: its own, unless ranks make believe to be on several.
    const std::string& host() const { return m_host; }
    void pretendHost(std::string name) { m_host = std::move(name); }

private:
    std::string m_host = hostName();
};

/// From now on what ranks exchange goes over this network interface of the host, and over the InfiniBand or RoCE port
/// behind it, by whatever library: call it before one is made. notFound if there is none of the name that has an
/// address.
Result<void> useInterface(const std::string& name);
/// The backend for this process: TCP if its guard said so, MPI if it was started by a launcher of MPI, else the one
/// of a single rank.
/// Fails with unavailable if it was started by mpirun but this program has no MPI.
Result<std::unique_ptr<Communicator>> makeCommunicator();

/// The bytes of every rank (all of the same length), in the order of the ranks, on all ranks. Collective.
Result<std::string> allGather(Communicator& communicator, const std::string& bytes);
/// The name of every rank's host, in the order of the ranks. Collective.
Result<std::vector<std::string>> hostsOf(Communicator& communicator);

/// The MPI library, as "Open MPI v4.1.4" or "MPICH 5.0.2"; empty if this program has none.
std::string mpiVersion();

/// True if this process has to end by std::exit: MPICH and its descendants report only there to mpirun that MPI was
/// finalised; without that, mpirun treats the end as a crash and kills the other ranks.
bool hasToExit();

/// True if a launcher started this process as one of several ranks.
bool startedAsRank();

} // namespace ringside
