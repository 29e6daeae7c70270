// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/watched.h"

#include <cstdlib>
#include <optional>
#include <utility>

namespace ringside {

namespace {

/// As long as it lives its rank waits.
class Wait
{
public:
    explicit Wait(CommunicationWatch& watch)
        : m_watch(&watch)
    {
        watch.beginToWait();
    }
    Wait(Wait&& other) noexcept
        : m_watch(std::exchange(other.m_watch, nullptr))
    {
    }
    Wait& operator=(Wait&&) = delete;
    ~Wait()
    {
        if (m_watch)
            m_watch->endToWait();
    }

private:
    CommunicationWatch* m_watch;
};

/// Its rank waits for it from the first time that it asks in vain.
class WatchedTransfer : public Transfer
{
public:
    WatchedTransfer(std::unique_ptr<Transfer> transfer, CommunicationWatch& watch)
        : m_transfer(std::move(transfer))
        , m_watch(watch)
    {
    }
    Result<bool> isDone() override
    {
        TRY_ASSIGN(const bool isDone, m_transfer->isDone());
        if (isDone)
            m_wait.reset();
        else if (!m_wait)
            m_wait.emplace(m_watch);
        return isDone;
    }
    Result<void> await() override
    {
        const Wait wait(m_watch);
        return m_transfer->await();
    }

private:
    std::unique_ptr<Transfer> m_transfer;
    CommunicationWatch& m_watch;
    std::optional<Wait> m_wait;
};

class WatchedCommunicator : public Communicator
{
public:
    WatchedCommunicator(std::unique_ptr<Communicator> communicator, CommunicationWatch& watch, bool counts)
        : m_communicator(std::move(communicator))
        , m_watch(watch)
        , m_counts(counts)
    {
    }

    int rank() const override { return m_communicator->rank(); }
    int worldSize() const override { return m_communicator->worldSize(); }
    int localRank() const override { return m_communicator->localRank(); }
    std::string transport() const override { return m_communicator->transport(); }
    std::string gpu() const override { return m_communicator->gpu(); }
    void* stream() const override { return m_communicator->stream(); }
    Result<std::unique_ptr<Transfer>> enqueued() override
    {
        TRY_ASSIGN(auto under, m_communicator->enqueued());
        return std::make_unique<WatchedTransfer>(std::move(under), m_watch);
    }

    Result<void> allReduceSum(Numbers buffer) override
    {
        const Wait wait = enter();
        return m_communicator->allReduceSum(buffer);
    }
    Result<void> sumVotes(std::span<float> votes) override
    {
        const Wait wait = enter();
        return m_communicator->sumVotes(votes);
    }
    Result<void> reduceSum(Numbers buffer, int root) override
    {
        const Wait wait = enter();
        return m_communicator->reduceSum(buffer, root);
    }
    Result<void> reduceScatterSum(Numbers buffer) override
    {
        const Wait wait = enter();
        return m_communicator->reduceScatterSum(buffer);
    }
    Result<void> allGatherParts(Numbers buffer) override
    {
        const Wait wait = enter();
        return m_communicator->allGatherParts(buffer);
    }
    Result<void> allReduceAnd(std::span<std::uint64_t> bits) override
    {
        const Wait wait = enter();
        return m_communicator->allReduceAnd(bits);
    }
    Result<void> broadcast(std::span<std::byte> buffer, int root) override
    {
        const Wait wait = enter();
        return m_communicator->broadcast(buffer, root);
    }
    Result<void> barrier() override
    {
        const Wait wait = enter();
        return m_communicator->barrier();
    }
    Result<void> allGather(std::span<const std::byte> mine, std::span<std::byte> all) override
    {
        const Wait wait = enter();
        return m_communicator->allGather(mine, all);
    }
    Result<void> allToAll(std::span<const std::byte> out, std::span<std::byte> in) override
    {
        const Wait wait = enter();
        return m_communicator->allToAll(out, in);
    }
    using Communicator::receive;
    using Communicator::send;
    Result<void> send(std::span<const std::byte> message, int to, int tag) override
    {
        const Wait wait(m_watch);
        return m_communicator->send(message, to, tag);
    }
    Result<void> receive(std::span<std::byte> message, int from, int tag) override
    {
        const Wait wait(m_watch);
        return m_communicator->receive(message, from, tag);
    }
    Result<std::unique_ptr<Transfer>> startSend(std::span<const std::byte> message, int to, int tag) override
    {
        return transfer(m_communicator->startSend(message, to, tag));
    }
    Result<std::unique_ptr<Transfer>> startReceive(std::span<std::byte> message, int from, int tag) override
    {
        return transfer(m_communicator->startReceive(message, from, tag));
    }
    Result<Envelope> awaitMessage() override
    {
        const Wait wait(m_watch);
        return m_communicator->awaitMessage();
    }
    Result<std::unique_ptr<Communicator>> split(int colour) override
    {
        const Wait wait = enter();
        TRY_ASSIGN(auto part, m_communicator->split(colour));
        return std::make_unique<WatchedCommunicator>(std::move(part), m_watch, false);
    }
    void abort(int exitCode) override
    {
        m_communicator->abort(exitCode);
        std::_Exit(exitCode); // compilers do not trust a virtual function's [[noreturn]]
    }

private:
    Wait enter()
    {
        if (m_counts)
            m_watch.enter();
        return Wait(m_watch);
    }

    Result<std::unique_ptr<Transfer>> transfer(Result<std::unique_ptr<Transfer>> started)
    {
        if (m_counts)
            m_watch.enter();
        TRY_ASSIGN(auto under, std::move(started));
        return std::make_unique<WatchedTransfer>(std::move(under), m_watch);
    }

    std::unique_ptr<Communicator> m_communicator;
    CommunicationWatch& m_watch;
    const bool m_counts;
};

} // namespace

std::unique_ptr<Communicator> watched(std::unique_ptr<Communicator> communicator, CommunicationWatch& watch)
{
    return std::make_unique<WatchedCommunicator>(std::move(communicator), watch, true);
}

} // namespace ringside
