// SPDX-License-Identifier: MIT
// Fields of a line of a log: patterns name them, each a quantity in one unit. A further field is a row of
// the table in fields.cpp.
#pragma once

#include "core/protocol/phase.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ringside::logs {

/// In SI units and plain numbers, whatever the line's own unit is.
enum class Quantity : std::uint8_t
{
    epoch,
    epochs,            ///< planned
    iteration,         ///< the last one that the line is about
    firstIteration,    ///< the first one
    previousIteration, ///< the one before the first
    round,             ///< number of a group of iterations; how many there are in one, the line does not say
    part,              ///< number of a part of an iteration, as a micro-batch is, counted over all of them
    iterations,        ///< how many the line is about
    totalIterations,   ///< planned, in this epoch where the line names one
    items,             ///< images, sequences, tokens that the line is about
    time,              ///< s, of all that the line is about
    timePerIteration,  ///< s
    timePerItem,       ///< s
    iterationRate,     ///< 1/s
    itemRate,          ///< items/s
    loss,
    lossSum,   ///< of all iterations that the line is about
    testScore, ///< of an evaluation, which the line's time holds
    batchPerRank,
    batchGlobal,
    itemsPerEpoch,
    plannedIterations, ///< of all, those of an earlier run included
    earlierIterations, ///< that an earlier run made
    ranks,
    nodes,
    model,   ///< its place among knownModels(), from 1
    devices, ///< of one process
    rank,
    device,      ///< of the process, that the line is about
    busRate,     ///< bytes/s that a collective moves over the slowest link
    wrongValues, ///< of the results of a collective
    phase        ///< s an iteration; the first of kPhaseCount, in the order of Phase
};

inline constexpr std::size_t kQuantityCount = static_cast<std::size_t>(Quantity::phase) + kPhaseCount;
static_assert(kQuantityCount < 64);

/// Its bit in a set of quantities.
constexpr std::uint64_t bitOf(Quantity quantity)
{
    return std::uint64_t{1} << static_cast<unsigned>(quantity);
}

/// Notation of a field.
enum class FieldForm : std::uint8_t
{
    whole,    ///< 1234, also 1,234
    real,     ///< 1.5e-3, 5,123.4, nan
    duration, ///< a real number and its unit: 57ms, 1s, 92us, 3 min
    clock,    ///< 07:12, 1:02:03.5
    model     ///< a word, which is one of Ringside's models
};

struct FieldRow
{
    std::string_view name; ///< in patterns
    Quantity quantity;
    FieldForm form;
    double factor; ///< from the unit in the name to the quantity's
    std::string_view description;
};

std::span<const FieldRow> fieldRows();
const FieldRow* findField(std::string_view name);

/// Those of which one yields a rate.
inline constexpr auto kTimesAndRates = std::to_array(
    {Quantity::time, Quantity::timePerIteration, Quantity::timePerItem, Quantity::iterationRate, Quantity::itemRate});

constexpr Quantity quantityOf(Phase phase)
{
    return static_cast<Quantity>(static_cast<std::size_t>(Quantity::phase) + static_cast<std::size_t>(phase));
}

/// A number that was printed with so many digits: 0.09 may be 0.085 to 0.095.
struct Printed
{
    double value;
    double halfStep; ///< half of its last digit's unit
    double low() const { return value - halfStep; }
    double high() const { return value + halfStep; }
    Printed operator*(double factor) const { return {value * factor, halfStep * factor}; }
};

/// Values of a line.
class LineValues
{
public:
    LineValues() {} // what is not known is never read, nor copied
    LineValues(const LineValues& other) { *this = other; }
    LineValues& operator=(const LineValues& other)
    {
        for (std::uint64_t left = other.m_known; left != 0; left &= left - 1) {
            const auto quantity = static_cast<std::size_t>(std::countr_zero(left));
            m_values[quantity] = other.m_values[quantity];
        }
        m_known = other.m_known;
        return *this;
    }
    bool has(Quantity quantity) const { return (m_known & bitOf(quantity)) != 0; }
    std::optional<Printed> get(Quantity quantity) const
    {
        return has(quantity) ? std::optional(m_values[static_cast<std::size_t>(quantity)]) : std::nullopt;
    }
    bool isEmpty() const { return m_known == 0; }
    /// Batch, ranks and what else holds for a whole run.
    bool hasSettings() const
    {
        constexpr auto kFirst = static_cast<unsigned>(Quantity::batchPerRank);
        constexpr auto kLast = static_cast<unsigned>(Quantity::model);
        return (m_known >> kFirst & ((std::uint64_t{2} << (kLast - kFirst)) - 1)) != 0;
    }
    int phases() const { return std::popcount(m_known >> static_cast<unsigned>(Quantity::phase)); }
    std::optional<std::int64_t> whole(Quantity quantity) const
    {
        constexpr double kMost = 9e15;
        if (!has(quantity))
            return std::nullopt;
        const double value = m_values[static_cast<std::size_t>(quantity)].value;
        return value > -kMost && value < kMost ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
    }
    void set(Quantity quantity, Printed value)
    {
        m_values[static_cast<std::size_t>(quantity)] = value;
        m_known |= bitOf(quantity);
    }

    /// The values known now, and only those again: for an attempt that fails.
    std::uint64_t mark() const { return m_known; }
    void goBack(std::uint64_t mark) { m_known = mark; }
    void drop(Quantity quantity) { m_known &= ~bitOf(quantity); }
    /// Adds what only the other one says.
    void addMissing(const LineValues& other);
    /// Returns whether both say the same of all that both say, and that is some measured number.
    bool repeats(const LineValues& other) const;
    /// Returns whether both say some measured number.
    bool overlaps(const LineValues& other) const;

private:
    std::array<Printed, kQuantityCount> m_values;
    std::uint64_t m_known = 0;
};

/// Reads a number from the front of the text from `at` to `end`, with blanks before it; nothing where there is none.
std::optional<Printed> takeNumber(const char*& at, const char* end, FieldForm form);

} // namespace ringside::logs
