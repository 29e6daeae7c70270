// SPDX-License-Identifier: MIT
// The phases of an iteration, in one table: whatever names, orders, stores, sums, draws or explains them is made from
// it.
#pragma once

#include "core/base/hatch.h"
#include "core/base/words.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace ringside {

/// Every instant of the compute thread belongs to exactly one phase, so the phases of a sample add up to its length.
/// The values are those in files (record.h): a new phase comes last.
enum class Phase : std::uint8_t
{
    inputWait,
    h2d,
    forward,
    backward,
    commExposed,
    update,
    other
};

/// The look of a phase in figures, in both themes and on paper. Colours are 0xRRGGBB, those of fills by Okabe and Ito.
struct PhaseLook
{
    std::uint32_t fill;
    Hatch hatch;
    std::uint32_t lines;  ///< colour of the hatch
    std::uint32_t number; ///< colour of a number on it
};
inline constexpr std::uint32_t kDarkInk = 0x0B1B26, kWhiteInk = 0xFFFFFF;

struct PhaseWords
{
    Phase phase;
    std::string_view name;       ///< in JSON and, with "_ns" behind it, of a column
    std::string_view title;      ///< marked for translation, as what follows is
    std::string_view heading;    ///< the title where little room is, as of a table's column
    std::string_view difference; ///< heading of a column of its differences
    std::string_view during;     ///< ends a sentence about a rank: "Rank 3 has made no progress for 60 s, …"
    PhaseLook look;
};

/// In the order in which an iteration takes them, and in which they are stacked and listed.
inline constexpr auto kPhaseWords = std::to_array<PhaseWords>({
    {Phase::inputWait,
     "input_wait",
     Words::noop("Input wait"),
     Words::noop("Input wait"),
     Words::noop("Input wait, difference"),
     Words::noop("while it waited for a batch"),
     {0xE69F00, Hatch::dots, kDarkInk, kDarkInk}},
    {Phase::h2d,
     "h2d",
     Words::noop("Host to device"),
     Words::noop("Host to device"),
     Words::noop("Host to device, difference"),
     Words::noop("while it copied its batch"),
     {0xF0E442, Hatch::vertical, 0x6B6400, kDarkInk}},
    {Phase::forward,
     "forward",
     Words::noop("Forward"),
     Words::noop("Forward"),
     Words::noop("Forward, difference"),
     Words::noop("in its forward pass"),
     {0x56B4E9, Hatch::none, kDarkInk, kDarkInk}},
    {Phase::backward,
     "backward",
     Words::noop("Backward"),
     Words::noop("Backward"),
     Words::noop("Backward, difference"),
     Words::noop("in its backward pass"),
     {0x0072B2, Hatch::none, kWhiteInk, kWhiteInk}},
    {Phase::commExposed,
     "comm_exposed",
     Words::noop("Communication, exposed"),
     Words::noop("Exposed"),
     Words::noop("Exposed, difference"),
     Words::noop("while it exchanged gradients"),
     {0xD55E00, Hatch::forward, kWhiteInk, kDarkInk}},
    {Phase::update,
     "update",
     Words::noop("Update"),
     Words::noop("Update"),
     Words::noop("Update, difference"),
     Words::noop("in its update"),
     {0x009E73, Hatch::horizontal, kWhiteInk, kDarkInk}},
    {Phase::other,
     "other",
     Words::noop("Other"),
     Words::noop("Other"),
     Words::noop("Other, difference"),
     Words::noop("outside its iterations"),
     {0xA7AEB6, Hatch::none, kDarkInk, kDarkInk}},
});

inline constexpr std::size_t kPhaseCount = kPhaseWords.size();
inline constexpr std::array<Phase, kPhaseCount> kPhases = [] {
    std::array<Phase, kPhaseCount> phases{};
    for (std::size_t i = 0; i < kPhaseCount; ++i)
        phases[i] = kPhaseWords[i].phase;
    return phases;
}();
/// Those up to `last`, itself included. Unless its phases take turns, an iteration has finished `last` after the sum of
/// their times.
std::span<const Phase> phasesUntil(Phase last);

/// Some of the phases, each the bit of its value. `other` is in every set: it is the rest, whatever that is.
class PhaseSet
{
public:
    constexpr PhaseSet(std::initializer_list<Phase> phases)
    {
        for (const Phase phase : phases)
            m_bits |= bitOf(phase);
    }
    static constexpr PhaseSet all() { return ofBits(kAll); }
    /// Whatever bits: those of no phase, or of one that only a later version knows, are passed over.
    static constexpr PhaseSet ofBits(std::uint32_t bits)
    {
        PhaseSet set{};
        set.m_bits |= bits & kAll;
        return set;
    }

    static constexpr std::uint32_t bitOf(Phase phase) { return std::uint32_t{1} << static_cast<unsigned>(phase); }
    constexpr std::uint32_t bits() const { return m_bits; }
    constexpr bool has(Phase phase) const { return (m_bits & bitOf(phase)) != 0; }
    constexpr bool hasAll() const { return m_bits == kAll; }
    constexpr PhaseSet operator&(PhaseSet set) const { return ofBits(m_bits & set.m_bits); }
    constexpr PhaseSet operator|(PhaseSet set) const { return ofBits(m_bits | set.m_bits); }
    constexpr bool operator==(const PhaseSet&) const = default;

private:
    static_assert(kPhaseCount < 32);
    static constexpr std::uint32_t kAll = (std::uint32_t{1} << kPhaseCount) - 1;

    std::uint32_t m_bits = std::uint32_t{1} << static_cast<unsigned>(Phase::other);
};

/// A part of an iteration as it is shown: a phase, or the rest of one of which not all phases are reported. The rest is
/// in `other`, too, but is not the same.
struct PhasePart
{
    Phase phase = Phase::other;
    bool isTold = false;

    constexpr PhasePart() = default;
    constexpr PhasePart(Phase told)
        : phase(told)
        , isTold(true)
    {
    }
    constexpr bool operator==(const PhasePart&) const = default;
};

inline constexpr PhasePart kNotTold;

/// Returns the part as which the time of a phase is shown where these phases are reported.
constexpr PhasePart partOf(Phase phase, PhaseSet told)
{
    return phase == Phase::other && !told.hasAll() ? kNotTold : PhasePart(phase);
}
/// Returns whether an iteration that reports these phases has this part.
constexpr bool hasPart(PhaseSet told, PhasePart part)
{
    return told.has(part.phase) && partOf(part.phase, told) == part;
}
/// In the order of kPhaseWords all phases, and kNotTold behind them unless all are reported.
std::span<const PhasePart> partsOf(PhaseSet told);

const PhaseWords& wordsOf(PhasePart part);
std::string_view nameOf(PhasePart part); ///< "not_told" of kNotTold
std::optional<Phase> phaseFromName(std::string_view name);

/// Nanoseconds per phase, indexed by Phase.
using PhaseTimes = std::array<std::int64_t, kPhaseCount>;

/// Moves the times of all other phases to `other`, so that they add up to the same.
template <class Time> constexpr void keepTold(std::array<Time, kPhaseCount>& times, PhaseSet told)
{
    for (const Phase phase : kPhases)
        if (!told.has(phase))
            times[static_cast<std::size_t>(Phase::other)] += std::exchange(times[static_cast<std::size_t>(phase)], 0);
}

} // namespace ringside
