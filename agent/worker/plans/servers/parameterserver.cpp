// SPDX-License-Identifier: MIT
#include "agent/worker/plans/servers/parameterserver.h"

#include "agent/worker/device/tensors.h"

#include <ATen/ATen.h>
#include <algorithm>

namespace ringside {

using namespace serverprotocol;

namespace {

constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 40;

tl::unexpected<Error> notUnderstood(const Envelope& message)
{
    return fail(ErrorCode::internal, fmt::format("A server got a message from rank {} that it does not know: tag {}, "
                                                 "{} bytes.",
                                                 message.from, message.tag, message.bytes));
}

} // namespace

ParameterServer::Shard::Shard(at::Tensor initial, const OptimizerSettings& optimizer, int ranks)
    : weights(std::move(initial))
    , sgd({{"", weights}}, optimizer)
    , sentAt(static_cast<std::size_t>(ranks))
{
    weights.mutable_grad() = at::zeros_like(weights);
    sum = numbersOf(weights.grad());
}

ParameterServer::ParameterServer(const AggregationPlan& plan, const OptimizerSettings& optimizer, Communicator& world,
                                 int ranks)
    : m_world(world)
    , m_optimizer(optimizer)
    , m_ranks(ranks)
    , m_isAsynchronous(plan.asynchronous)
    , m_codec(makeCodec(plan))
    , m_present(ranks)
{
}

Result<ServerReport> ParameterServer::serve()
{
    const at::NoGradGuard noGraph;
    TRY(start());
    while (m_present > 0) {
        TRY_ASSIGN(const Envelope message, m_world.awaitMessage());
        TRY(handle(message));
    }
    for (const auto& shard : m_shards) {
        if (!shard)
            continue;
        for (const auto& transfer : shard->onTheirWay)
            TRY(transfer->await());
        m_report.updates += shard->updates;
    }
    return m_report;
}

/// All of it comes from rank 0, even while others push.
Result<void> ParameterServer::start()
{
    TRY(m_world.awaitMessage()); // it may take long until the pictures are there
    std::uint64_t count = 0;
    TRY(m_world.receive(std::as_writable_bytes(std::span(&count, 1)), 0, kStart));
    if (count > kMostServedUnits)
        return fail(ErrorCode::internal, fmt::format("A server cannot hold {} shards.", count));
    std::vector<ShardHead> heads(count);
    TRY(m_world.receive(std::as_writable_bytes(std::span(heads)), 0, kStart));
    for (const ShardHead& head : heads) {
        if (head.unit >= kMostServedUnits || head.numbers > kMostNumbers)
            return fail(ErrorCode::internal, fmt::format("A server cannot hold unit {}.", head.unit));
        at::Tensor weights = at::empty({static_cast<std::int64_t>(head.numbers)});
        TRY(m_world.receive(std::as_writable_bytes(numbersOf(weights)), 0, kStart));
        m_shards.resize(std::max<std::size_t>(m_shards.size(), head.unit + 1));
        m_shards[head.unit] = std::make_unique<Shard>(std::move(weights), m_optimizer, m_ranks);
        m_report.numbers += head.numbers;
    }
    m_report.shards = heads.size();
    return {};
}

Result<void> ParameterServer::handle(const Envelope& message)
{
    if (message.from >= m_ranks)
        return notUnderstood(message);
    if (message.tag >= kFirstUnit)
        return takePush(message);
    if (message.tag == kVote && message.bytes == sizeof(Votes))
        return answerVote(message.from);
    if (message.tag != kLeave || message.bytes != 0)
        return notUnderstood(message);
    --m_present;
    return m_world.receive({}, message.from, kLeave);
}

Result<void> ParameterServer::answerVote(int rank)
{
    Votes votes;
    TRY(m_world.receive(std::as_writable_bytes(std::span(votes)), rank, kVote));
    for (std::size_t i = 0; i < votes.size(); ++i)
        m_votes[i] += votes[i];
    return m_world.send(std::as_bytes(std::span(m_votes)), rank, kVote);
}

Result<void> ParameterServer::takePush(const Envelope& message)
{
    Shard* shard = find(message.tag);
    if (!shard || message.bytes != m_codec->bytesOf(shard->sum.size()))
        return notUnderstood(message);
    TRY(receiveInto(*shard, message));
    if (!m_isAsynchronous && shard->pushes < m_ranks)
        return {};
    TRY(update(*shard));
    if (m_isAsynchronous)
        return sendWeights(*shard, message.from, message.tag);
    for (int rank = 0; rank < m_ranks; ++rank)
        TRY(sendWeights(*shard, rank, message.tag));
    return {};
}

ParameterServer::Shard* ParameterServer::find(int tag)
{
    const auto unit = static_cast<std::size_t>(tag - kFirstUnit);
    return unit < m_shards.size() ? m_shards[unit].get() : nullptr;
}

Result<void> ParameterServer::receiveInto(Shard& shard, const Envelope& message)
{
    m_message.resize(message.bytes);
    TRY(m_world.receive(m_message, message.from, message.tag));
    if (shard.pushes++ == 0)
        m_codec->decode(m_message, shard.sum);
    else
        m_codec->decodeAndAdd(m_message, shard.sum);
    const std::uint64_t staleness = shard.updates - shard.sentAt[static_cast<std::size_t>(message.from)];
    ++m_report.pushes;
    m_report.staleness += staleness;
    m_report.mostStale = std::max(m_report.mostStale, staleness);
    return {};
}

/// Messages on their way to a rank have to be away before it changes; that they get away: ServerLink::pushShards.
Result<void> ParameterServer::update(Shard& shard)
{
    for (const auto& transfer : shard.onTheirWay)
        TRY(transfer->await());
    shard.onTheirWay.clear();
    shard.sgd.step();
    shard.pushes = 0;
    ++shard.updates;
    return {};
}

Result<void> ParameterServer::sendWeights(Shard& shard, int rank, int tag)
{
    shard.sentAt[static_cast<std::size_t>(rank)] = shard.updates;
    TRY_ASSIGN(shard.onTheirWay.emplace_back(), m_world.startSend(std::as_bytes(numbersOf(shard.weights)), rank, tag));
    return {};
}

} // namespace ringside
