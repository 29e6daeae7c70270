// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/nodesums.h"

#include "agent/worker/collectives/communicator.h"
#include "core/base/descriptor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace ringside {

namespace {

/// A piece is laid down while the one before it is summed up and the one before that is taken, and a rank may be ahead.
constexpr std::uint64_t kSlots = 4;
/// Of all slots.
constexpr std::size_t kMostMemory = 32u << 20;
/// It stays in a core's cache on its way.
constexpr std::size_t kLargestPiece = 1u << 20, kSmallestPiece = 16u << 10;

constexpr std::size_t pieceBytesFor(int ranks)
{
    const std::size_t fits = kMostMemory / (kSlots * static_cast<std::size_t>(ranks));
    return std::clamp(fits & ~(kSmallestPiece - 1), kSmallestPiece, kLargestPiece);
}

/// Looks that cost nothing but some microseconds; who finds nothing then sleeps between looks.
constexpr int kLooksAwake = 300, kLooksBetweenSigns = 10'000;
constexpr std::chrono::microseconds kSleepBetweenLooks{50};

void pauseBriefly()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

using Mark = std::array<std::uint64_t, 2>;

/// Where the first rank has the memory; process 0: it has none.
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

/// How many pieces this rank has laid down, summed its part of, and taken, since the beginning.
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

    /// By the first rank, of a file without a name, so that nothing stays behind whoever is killed. What is not there
    /// cannot be promised: touching it would end the process.
    Invitation make()
    {
        m_file = Descriptor(::memfd_create("ringside-sums", MFD_CLOEXEC));
        if (m_file.get() < 0 || ::posix_fallocate(m_file.get(), 0, static_cast<off_t>(size())) != 0 || !map())
            return {};
        const Mark mark = randomMark();
        std::memcpy(m_bytes + headBytes() - sizeof(mark), &mark, sizeof(mark));
        return {::getpid(), m_file.get(), mark};
    }
    /// What is there under that number may be another process's, seen from elsewhere.
    bool open(const Invitation& invitation)
    {
        const std::string path = fmt::format("/proc/{}/fd/{}", invitation.process, invitation.file);
        m_file = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
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

/// A part of the caller's buffer.
struct NodeSums::Piece
{
    Numbers numbers;
    std::uint64_t number; ///< since the beginning
};

Result<std::unique_ptr<NodeSums>> NodeSums::make(Communicator& ranks)
{
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
    return std::unique_ptr<NodeSums>(new NodeSums(std::move(memory), ranks.rank(), ranks.worldSize()));
}

NodeSums::NodeSums(std::unique_ptr<Memory> memory, int rank, int ranks)
    : m_memory(std::move(memory))
    , m_rank(rank)
    , m_ranks(ranks)
{
}

NodeSums::~NodeSums() = default;

Result<void> NodeSums::sum(Numbers buffer)
{
    const std::size_t each = m_memory->pieceBytes() / bytesOf(buffer.type);
    const std::size_t pieces = (buffer.count + each - 1) / each;
    for (std::size_t step = 0; step < pieces + 2; ++step) {
        if (step < pieces)
            TRY(layDown(pieceOf(buffer, step)));
        if (step >= 1 && step < pieces + 1)
            TRY(sumPart(pieceOf(buffer, step - 1)));
        if (step >= 2)
            TRY(takeSums(pieceOf(buffer, step - 2)));
    }
    m_pieces += pieces;
    return {};
}

NodeSums::Piece NodeSums::pieceOf(Numbers buffer, std::size_t number) const
{
    const std::size_t each = m_memory->pieceBytes() / bytesOf(buffer.type), first = number * each;
    return {buffer.part(first, std::min(each, buffer.count - first)), m_pieces + number};
}

Result<void> NodeSums::layDown(const Piece& piece)
{
    if (piece.number >= kSlots) // until all have taken what lay there before
        TRY(awaitAll([](const Progress& of) { return of.taken.load(std::memory_order_acquire); },
                     piece.number - kSlots + 1));
    std::memcpy(m_memory->slot(m_rank, piece.number), piece.numbers.data, piece.numbers.bytes());
    m_memory->progress(m_rank).laidDown.store(piece.number + 1, std::memory_order_release);
    return {};
}

Result<void> NodeSums::sumPart(const Piece& piece)
{
    const Part mine = partOf(piece.numbers.count, m_rank, m_ranks);
    const std::size_t first = mine.first * bytesOf(piece.numbers.type);
    Numbers sum = piece.numbers.part(0, mine.count);
    sum.data = m_memory->slot(m_rank, piece.number) + first;
    for (int rank = 0; rank < m_ranks; ++rank) {
        if (rank == m_rank)
            continue;
        TRY(await(
            rank, [](const Progress& of) { return of.laidDown.load(std::memory_order_acquire); }, piece.number + 1));
        addNumbers(sum, m_memory->slot(rank, piece.number) + first);
    }
    m_memory->progress(m_rank).summed.store(piece.number + 1, std::memory_order_release);
    return {};
}

Result<void> NodeSums::takeSums(const Piece& piece)
{
    for (int rank = 0; rank < m_ranks; ++rank) {
        TRY(await(
            rank, [](const Progress& of) { return of.summed.load(std::memory_order_acquire); }, piece.number + 1));
        const Part part = partOf(piece.numbers.count, rank, m_ranks);
        const Numbers to = piece.numbers.part(part.first, part.count);
        std::memcpy(to.data, m_memory->slot(rank, piece.number) + part.first * bytesOf(to.type), to.bytes());
    }
    m_memory->progress(m_rank).taken.store(piece.number + 1, std::memory_order_release);
    return {};
}

Result<void> NodeSums::awaitAll(std::uint64_t (*of)(const Progress&), std::uint64_t pieces) const
{
    for (int rank = 0; rank < m_ranks; ++rank)
        TRY(await(rank, of, pieces));
    return {};
}

Result<void> NodeSums::await(int rank, std::uint64_t (*of)(const Progress&), std::uint64_t pieces) const
{
    const Progress& other = m_memory->progress(rank);
    for (int looks = 1; of(other) < pieces; ++looks) {
        if (looks < kLooksAwake) {
            pauseBriefly();
            continue;
        }
        if (looks % kLooksBetweenSigns == 0 && ::kill(other.process, 0) != 0 && errno == ESRCH)
            return fail(ErrorCode::unavailable,
                        fmt::format("Rank {} has ended while rank {} waited for it.", rank, m_rank), "See its log.");
        std::this_thread::sleep_for(kSleepBetweenLooks);
    }
    return {};
}

} // namespace ringside
