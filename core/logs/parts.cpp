// SPDX-License-Identifier: MIT
#include "core/logs/parts.h"

#include "core/logs/sources.h"

#include <utility>

namespace ringside::logs {

bool Parts::isOneTooMany(const std::optional<int>& rank) const
{
    return m_processes.size() >= kMostRanks && !m_processes.contains(rank);
}

void Parts::add(const KnownLine& line)
{
    const auto time = line.values.get(Quantity::timePerIteration);
    if (!time || isOneTooMany(line.rank))
        return;
    Process& process = m_processes[line.rank];
    process.seconds = {process.seconds.value + time->value, process.seconds.halfStep + time->halfStep};
    ++process.count;
}

/// A program may print each tenth part only. Its lines are then those of an iteration together, too, if they are as
/// many as it has parts: each of these is printed equally often.
void Parts::complete(KnownLine& line)
{
    const auto part = line.values.whole(Quantity::part), iteration = line.values.whole(Quantity::iteration);
    const auto time = line.values.get(Quantity::timePerIteration);
    if (!part || !iteration || !time || isOneTooMany(line.rank))
        return;
    Process before = std::exchange(m_processes[line.rank], {.part = *part, .iteration = *iteration});
    if (*iteration <= before.iteration) // of another run
        before.part = before.iteration = 0;
    const auto parts = static_cast<double>(*part - before.part);
    const auto iterations = static_cast<double>(*iteration - before.iteration);
    if (iterations > 0 && parts == iterations * static_cast<double>(before.count + 1))
        line.values.set(Quantity::timePerIteration,
                        {before.seconds.value + time->value, before.seconds.halfStep + time->halfStep});
    else
        line.values.drop(Quantity::timePerIteration);
}

} // namespace ringside::logs
