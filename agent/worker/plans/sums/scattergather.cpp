// SPDX-License-Identifier: MIT
// Each rank sums a part of the numbers, then all gather the parts.
#include "agent/worker/plans/sums/summation.h"

namespace ringside {

namespace {

class ScatterGather : public Summation
{
public:
    explicit ScatterGather(Communicator& communicator)
        : m_communicator(communicator)
    {
    }
    Result<std::uint64_t> sum(Numbers numbers) override
    {
        TRY(m_communicator.reduceScatterSum(numbers));
        TRY(m_communicator.allGatherParts(numbers));
        const Part mine = partOf(numbers.count, m_communicator.rank(), m_communicator.worldSize());
        return numbers.bytes() + mine.count * bytesOf(numbers.type);
    }

private:
    Communicator& m_communicator;
};

Result<std::unique_ptr<Summation>> make(Communicator& communicator)
{
    return std::make_unique<ScatterGather>(communicator);
}

std::uint64_t sentBytes(const ExchangedNumbers& numbers, std::size_t bytesOfNumber)
{
    return 2 * (numbers.ranks() - 1) * numbers.count * bytesOfNumber;
}

} // namespace

extern const SummationKind kScatterGather{Collective::reduceScatterAllgather, make, sentBytes,
                                          HandedOver::numbersAndPart};

} // namespace ringside
