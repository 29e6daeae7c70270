// SPDX-License-Identifier: MIT
// One all-reduce of the communicator.
#include "agent/worker/plans/sums/summation.h"

namespace ringside {

namespace {

class AllReduce : public Summation
{
public:
    explicit AllReduce(Communicator& communicator)
        : m_communicator(communicator)
    {
    }
    Result<std::uint64_t> sum(Numbers numbers) override
    {
        TRY(m_communicator.allReduceSum(numbers));
        return numbers.bytes();
    }

private:
    Communicator& m_communicator;
};

Result<std::unique_ptr<Summation>> make(Communicator& communicator)
{
    return std::make_unique<AllReduce>(communicator);
}

std::uint64_t sentBytes(const ExchangedNumbers& numbers, std::size_t bytesOfNumber)
{
    return allReduceBytes(numbers.count * bytesOfNumber, numbers.ranks(), numbers.sums);
}

} // namespace

std::uint64_t allReduceBytes(std::uint64_t bytes, std::size_t ranks, const SumAlgorithms& sums)
{
    return bytes < sums.wholeBelow ? ranks * (ranks - 1) * bytes : 2 * (ranks - 1) * bytes;
}

extern const SummationKind kAllReduce{Collective::allreduce, make, sentBytes};

} // namespace ringside
