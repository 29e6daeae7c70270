// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/nodesums.h"

#include "agent/worker/collectives/communicator.h"
#include "core/base/backoff.h"
#include "core/base/descriptor.h"
#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside {

namespace {

/// A piece is written while the one before it is summed up and the one before that is read, and a rank may be ahead.
constexpr std::uint64_t kSlots = 4;
constexpr const char* kName = "ringside-sums";
/// Limit of all slots together.
constexpr std::size_t kMostMemory = 32u << 20;
/// It stays in the processor's cache on its way.
constexpr std::size_t kLargestPiece = 1u << 20, kPage = 4096, kCacheLine = 64;

constexpr std::size_t pieceBytesFor(int ranks)
{
    return std::min(kMostMemory / (kSlots * static_cast<std::size_t>(ranks)) / kPage * kPage, kLargestPiece);
}

constexpr std::chrono::microseconds kAwake{15}, kSleepBetweenLooks{50};
constexpr int kLooksBetweenSigns = 10'000;

using Mark = std::array<std::uint64_t, 2>;

/// Place of the memory that the first rank made; process 0: it made none.
struct Invitation
{
    pid_t process = 0;
    int file = -1;
    Mark mark{};
};

Mark randomMark()
{
    std::random_device random;
    return {std::uint64_t{random()} << 32 | random(), std::uint64_t{random()} << 32 | random()};
}

} // namespace

/// The number of pieces that this rank has written, summed its part of, and read, since the beginning.
struct NodeSums::Progress
{
    alignas(64) std::atomic<std::uint64_t> laidDown = 0;
    alignas(64) std::atomic<std::uint64_t> summed = 0;
    alignas(64) std::atomic<std::uint64_t> taken = 0;
    std::atomic<pid_t> process = 0;
};

class NodeSums::Memory
{
public:
    explicit Memory(int ranks)
        : m_ranks(static_cast<std::size_t>(ranks))
        , m_pieceBytes(pieceBytesFor(ranks))
    {
    }
    ~Memory()
    {
        if (m_bytes)
            ::munmap(m_bytes, size());
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// The first rank makes a file without a name, so that nothing stays behind whichever rank is killed. Each rank is
    /// the first to touch its slots, which are then near its cores.
    Invitation make()
    {
        m_file = Descriptor(::memfd_create(kName, MFD_CLOEXEC));
        if (m_file.get() < 0 || ::ftruncate(m_file.get(), static_cast<off_t>(size())) != 0 || !map())
            return {};
        const Mark mark = randomMark();
        std::memcpy(m_bytes + headBytes() - sizeof(mark), &mark, sizeof(mark));
        return {::getpid(), m_file.get(), mark};
    }
    /// The file of that number may be another process's, seen from elsewhere.
    bool open(const Invitation& invitation)
    {
        const std::string path = fmt::format("/proc/{}/fd/{}", invitation.process, invitation.file);
        std::error_code isNone;
        if (!fs::read_symlink(path, isNone).string().starts_with(fmt::format("/memfd:{}", kName)))
            return false;
        m_file = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        struct stat found
        {
        };
        return m_file.get() >= 0 && ::fstat(m_file.get(), &found) == 0 && found.st_size == static_cast<off_t>(size()) &&
               map() &&
               std::memcmp(m_bytes + headBytes() - sizeof(invitation.mark), &invitation.mark,
                           sizeof(invitation.mark)) == 0;
    }
    /// All have it.
    void closeFile() { m_file.close(); }

    Progress& progress(int rank) const { return reinterpret_cast<Progress*>(m_bytes)[rank]; }
    std::byte* slot(int rank, std::uint64_t number) const
    {
        const auto index = static_cast<std::size_t>(rank) * kSlots + number % kSlots;
        return m_bytes + headBytes() + index * m_pieceBytes;
    }
    std::size_t pieceBytes() const { return m_pieceBytes; }

private:
    std::size_t headBytes() const { return (m_ranks * sizeof(Progress) + sizeof(Mark) + 4095) / 4096 * 4096; }
    std::size_t size() const { return headBytes() + m_ranks * kSlots * m_pieceBytes; }
    bool map()
    {
        void* there = ::mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED, m_file.get(), 0);
        m_bytes = there == MAP_FAILED ? nullptr : static_cast<std::byte*>(there);
        return m_bytes != nullptr;
    }

    std::size_t m_ranks, m_pieceBytes;
    Descriptor m_file;
    std::byte* m_bytes = nullptr; ///< zeros at first: a Progress for each rank, the mark, then the slots
};

/// The pieces of a buffer. A piece has some numbers of each rank's part, one behind the other, so that all ranks sum up
/// as many.
class NodeSums::Pieces
{
public:
    Pieces(Numbers buffer, int ranks, std::size_t bytes, std::uint64_t before)
        : m_buffer(buffer)
        , m_ranks(ranks)
        , m_each(bytes / static_cast<std::size_t>(ranks) / kCacheLine * kCacheLine / bytesOf(buffer.type))
        , m_before(before)
    {
    }
    std::size_t count() const { return (partOf(m_buffer.count, 0, m_ranks).count + m_each - 1) / m_each; }
    /// Since the ranks met.
    std::uint64_t numberOf(std::size_t piece) const { return m_before + piece; }
    /// A piece's share of a part, in the buffer; none behind the part's end.
    Numbers of(std::size_t piece, int part) const
    {
        const Part whole = partOf(m_buffer.count, part, m_ranks);
        const std::size_t first = std::min(piece * m_each, whole.count);
        return m_buffer.part(whole.first + first, std::min(m_each, whole.count - first));
    }
    /// Returns where that share lies in a slot, in bytes from its beginning.
    std::size_t placeOf(int part) const { return static_cast<std::size_t>(part) * m_each * bytesOf(m_buffer.type); }

private:
    Numbers m_buffer;
    int m_ranks;
    std::size_t m_each; ///< numbers
    std::uint64_t m_before;
};

Result<std::unique_ptr<NodeSums>> NodeSums::make(Communicator& ranks, std::function<void()> progress)
{
    if (ranks.worldSize() > kMostRanks)
        return nullptr;
    auto memory = std::make_unique<Memory>(ranks.worldSize());
    const bool isFirst = ranks.rank() == 0;
    Invitation invitation;
    if (isFirst)
        invitation = memory->make();
    TRY(ranks.broadcast(std::as_writable_bytes(std::span(&invitation, 1)), 0));
    const bool isThere = invitation.process != 0 && (isFirst || memory->open(invitation));
    if (isThere)
        memory->progress(ranks.rank()).process = ::getpid();
    std::uint64_t areThere = isThere;
    TRY(ranks.allReduceAnd({&areThere, 1}));
    if (!areThere)
        return nullptr;
    memory->closeFile();
    return std::unique_ptr<NodeSums>(
        new NodeSums(std::move(memory), ranks.rank(), ranks.worldSize(), std::move(progress)));
}

NodeSums::NodeSums(std::unique_ptr<Memory> memory, int rank, int ranks, std::function<void()> progress)
    : m_memory(std::move(memory))
    , m_rank(rank)
    , m_ranks(ranks)
    , m_progress(std::move(progress))
    , m_seesProcesses(true)
{
    for (int other = 0; other < ranks; ++other)
        m_seesProcesses &= ::kill(m_memory->progress(other).process, 0) == 0;
}

NodeSums::~NodeSums() = default;

Result<void> NodeSums::sum(Numbers buffer)
{
    const Pieces pieces(buffer, m_ranks, m_memory->pieceBytes(), m_pieces);
    return inStages(pieces, {[&](std::size_t piece) { return layDownAll(pieces, piece); },
                             [&](std::size_t piece) { return sumPart(pieces, piece); },
                             [&](std::size_t piece) { return takeAll(pieces, piece); }});
}

Result<void> NodeSums::sumParts(Numbers buffer)
{
    const Pieces pieces(buffer, m_ranks, m_memory->pieceBytes(), m_pieces);
    const auto takeOwn = [&](std::size_t piece) -> Result<void> {
        TRY(sumPart(pieces, piece));
        take(pieces, piece, m_rank);
        count(&Progress::taken, pieces.numberOf(piece) + 1);
        return {};
    };
    return inStages(pieces, {[&](std::size_t piece) { return layDownAll(pieces, piece); }, takeOwn});
}

Result<void> NodeSums::gatherParts(Numbers buffer)
{
    const Pieces pieces(buffer, m_ranks, m_memory->pieceBytes(), m_pieces);
    const auto layDownOwn = [&](std::size_t piece) -> Result<void> {
        TRY(awaitSlot(pieces.numberOf(piece)));
        layDown(pieces, piece, m_rank);
        count(&Progress::laidDown, pieces.numberOf(piece) + 1);
        count(&Progress::summed, pieces.numberOf(piece) + 1);
        return {};
    };
    return inStages(pieces, {layDownOwn, [&](std::size_t piece) { return takeAll(pieces, piece); }});
}

/// Each stage is a piece behind the one before it: so what it waits for was begun a while ago.
Result<void> NodeSums::inStages(const Pieces& pieces, const std::vector<Stage>& stages)
{
    const std::size_t count = pieces.count();
    for (std::size_t step = 0; step < count + stages.size() - 1; ++step)
        for (std::size_t behind = 0; behind < stages.size(); ++behind)
            if (step >= behind && step - behind < count)
                TRY(stages[behind](step - behind));
    m_pieces += count;
    return {};
}

Result<void> NodeSums::layDownAll(const Pieces& pieces, std::size_t number) const
{
    TRY(awaitSlot(pieces.numberOf(number)));
    for (int part = 0; part < m_ranks; ++part)
        layDown(pieces, number, part);
    count(&Progress::laidDown, pieces.numberOf(number) + 1);
    return {};
}

void NodeSums::layDown(const Pieces& pieces, std::size_t number, int part) const
{
    const Numbers from = pieces.of(number, part);
    std::memcpy(m_memory->slot(m_rank, pieces.numberOf(number)) + pieces.placeOf(part), from.data, from.bytes());
}

/// Sums into this rank's slot, from which the others read it.
Result<void> NodeSums::sumPart(const Pieces& pieces, std::size_t number) const
{
    const std::uint64_t piece = pieces.numberOf(number);
    Numbers sum = pieces.of(number, m_rank);
    sum.data = m_memory->slot(m_rank, piece) + pieces.placeOf(m_rank);
    for (int rank = 0; rank < m_ranks; ++rank) {
        if (rank == m_rank)
            continue;
        TRY(await(rank, &Progress::laidDown, piece + 1));
        addNumbers(sum, m_memory->slot(rank, piece) + pieces.placeOf(m_rank));
    }
    count(&Progress::summed, piece + 1);
    return {};
}

void NodeSums::take(const Pieces& pieces, std::size_t number, int part) const
{
    const Numbers to = pieces.of(number, part);
    std::memcpy(to.data, m_memory->slot(part, pieces.numberOf(number)) + pieces.placeOf(part), to.bytes());
}

Result<void> NodeSums::takeAll(const Pieces& pieces, std::size_t number) const
{
    for (int rank = 0; rank < m_ranks; ++rank) {
        TRY(await(rank, &Progress::summed, pieces.numberOf(number) + 1));
        take(pieces, number, rank);
    }
    count(&Progress::taken, pieces.numberOf(number) + 1);
    return {};
}

/// Waits until all ranks have read the slot's former contents.
Result<void> NodeSums::awaitSlot(std::uint64_t piece) const
{
    if (piece < kSlots)
        return {};
    for (int rank = 0; rank < m_ranks; ++rank)
        TRY(await(rank, &Progress::taken, piece - kSlots + 1));
    return {};
}

void NodeSums::count(std::atomic<std::uint64_t> Progress::*count, std::uint64_t pieces) const
{
    (m_memory->progress(m_rank).*count).store(pieces, std::memory_order_release);
}

Result<void> NodeSums::await(int rank, std::atomic<std::uint64_t> Progress::*count, std::uint64_t pieces) const
{
    const Progress& other = m_memory->progress(rank);
    const auto isThere = [&] { return (other.*count).load(std::memory_order_acquire) >= pieces; };
    const Backoff backoff(kAwake, kSleepBetweenLooks, Awake::spins);
    for (int looks = 1; !isThere(); ++looks) {
        if (backoff.pause())
            m_progress();
        if (m_seesProcesses && looks % kLooksBetweenSigns == 0 && ::kill(other.process, 0) != 0 && errno == ESRCH)
            return fail(ErrorCode::unavailable,
                        fmt::format("Rank {} has ended while rank {} waited for it.", rank, m_rank), "See its log.");
    }
    return {};
}

} // namespace ringside
