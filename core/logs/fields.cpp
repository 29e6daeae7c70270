// SPDX-License-Identifier: MIT
#include "core/logs/fields.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/protocol/models.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace ringside::logs {

namespace {

using enum FieldForm;

constexpr double kMilli = 1e-3;
constexpr double kMicro = 1e-6;
constexpr double kNano = 1e-9;
constexpr double kGiga = 1e9;

constexpr auto kRows = std::to_array<FieldRow>({
    {"epoch", Quantity::epoch, whole, 1, Words::noop("number of the epoch")},
    {"epochs", Quantity::epochs, whole, 1, Words::noop("epochs planned")},
    {"iteration", Quantity::iteration, whole, 1, Words::noop("number of the last iteration that the line is about")},
    {"first_iteration", Quantity::firstIteration, whole, 1,
     Words::noop("number of the first iteration that the line is about")},
    {"previous_iteration", Quantity::previousIteration, whole, 1,
     Words::noop("number of the iteration before the first of those")},
    {"round", Quantity::round, whole, 1,
     Words::noop("number of a group of iterations of which the line does not say how many it holds")},
    {"part", Quantity::part, whole, 1,
     Words::noop("number of a part of an iteration, as a micro-batch is, counted over all iterations")},
    {"iterations", Quantity::iterations, whole, 1, Words::noop("number of iterations that the line is about")},
    {"total_iterations", Quantity::totalIterations, whole, 1,
     Words::noop("iterations planned, in an epoch if the line names one")},
    {"items", Quantity::items, whole, 1, Words::noop("images, sequences or tokens that the line is about")},
    {"seconds", Quantity::time, real, 1, Words::noop("time of all that the line is about")},
    {"milliseconds", Quantity::time, real, kMilli, Words::noop("the same in ms")},
    {"nanoseconds", Quantity::time, real, kNano, Words::noop("the same in ns")},
    {"duration", Quantity::time, duration, 1, Words::noop("the same, followed by its unit")},
    {"clock", Quantity::time, clock, 1, Words::noop("the same as minutes and seconds, with hours or not: 1:02:03")},
    {"seconds_per_iteration", Quantity::timePerIteration, real, 1, Words::noop("time of one iteration")},
    {"milliseconds_per_iteration", Quantity::timePerIteration, real, kMilli, Words::noop("the same in ms")},
    {"duration_per_iteration", Quantity::timePerIteration, duration, 1, Words::noop("the same, followed by its unit")},
    {"duration_per_item", Quantity::timePerItem, duration, 1, Words::noop("time of one item, followed by its unit")},
    {"iterations_per_second", Quantity::iterationRate, real, 1, Words::noop("rate in iterations")},
    {"items_per_second", Quantity::itemRate, real, 1, Words::noop("rate in images, sequences or tokens")},
    {"loss", Quantity::loss, real, 1, Words::noop("loss, a mean")},
    {"loss_sum", Quantity::lossSum, real, 1, Words::noop("loss, summed over all iterations that the line is about")},
    {"validation_loss", Quantity::testScore, real, 1, Words::noop("loss of an evaluation that the line's time holds")},
    {"validation_accuracy", Quantity::testScore, real, 1, Words::noop("accuracy of such an evaluation")},
    {"batch_per_rank", Quantity::batchPerRank, whole, 1, Words::noop("items in an iteration of one rank")},
    {"batch_global", Quantity::batchGlobal, whole, 1, Words::noop("items in an iteration of all ranks")},
    {"items_per_epoch", Quantity::itemsPerEpoch, whole, 1, Words::noop("items in an epoch")},
    {"planned_iterations", Quantity::plannedIterations, whole, 1,
     Words::noop("iterations planned, those of an earlier run included")},
    {"earlier_iterations", Quantity::earlierIterations, whole, 1,
     Words::noop("iterations of an earlier run, from which this one goes on")},
    {"ranks", Quantity::ranks, whole, 1, Words::noop("world size")},
    {"nodes", Quantity::nodes, whole, 1, Words::noop("nodes")},
    {"model", Quantity::model, FieldForm::model, 1, Words::noop("model, by its place among Ringside's")},
    {"devices", Quantity::devices, whole, 1, Words::noop("devices of one process")},
    {"rank", Quantity::rank, whole, 1, Words::noop("rank that the line is about")},
    {"device", Quantity::device, whole, 1, Words::noop("device of the process that the line is about")},
    {"bus_bytes_per_second", Quantity::busRate, real, 1,
     Words::noop("bandwidth of the links, as benchmarks compute it")},
    {"bus_gigabytes_per_second", Quantity::busRate, real, kGiga, Words::noop("the same in GB/s")},
    {"wrong_values", Quantity::wrongValues, whole, 1, Words::noop("wrong values in the results of a benchmark")},
});

struct PhaseUnit
{
    std::string_view name;
    double seconds;
};
constexpr auto kPhaseUnits = std::to_array<PhaseUnit>(
    {{"_seconds", 1}, {"_milliseconds", kMilli}, {"_microseconds", kMicro}, {"_nanoseconds", kNano}});

/// A phase of one iteration in each of these units: "forward_milliseconds".
std::vector<FieldRow> rowsOfPhases()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> made;
        for (const PhaseWords& words : kPhaseWords)
            for (const PhaseUnit& unit : kPhaseUnits)
                made.push_back(std::string(words.name) + std::string(unit.name));
        return made;
    }();
    std::vector<FieldRow> rows;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const PhaseWords& words = kPhaseWords[i / kPhaseUnits.size()];
        const double factor = kPhaseUnits[i % kPhaseUnits.size()].seconds;
        rows.push_back({names[i], quantityOf(words.phase), real, factor, words.title});
    }
    return rows;
}

struct TimeUnit
{
    std::string_view word;
    double seconds;
};
/// Longer words first where one begins with another.
constexpr auto kTimeUnits = std::to_array<TimeUnit>({{"ns", 1e-9},
                                                     {"us", kMicro},
                                                     {"µs", kMicro},
                                                     {"ms", kMilli},
                                                     {"sec", 1},
                                                     {"s", 1},
                                                     {"min", 60},
                                                     {"m", 60},
                                                     {"h", 3600}});

/// The powers of ten, and the whole numbers of so many digits, that are exact in a double.
constexpr int kMostPower = 22;
constexpr std::size_t kMostDigits = 15;

/// Without std::pow() where programs print.
double powerOfTen(int exponent)
{
    constexpr int kMost = kMostPower;
    static constexpr auto kPowers = [] {
        std::array<double, 2 * kMost + 1> powers{};
        double power = 1;
        for (int i = 0; i <= kMost; ++i, power *= 10) {
            powers[static_cast<std::size_t>(kMost + i)] = power;
            powers[static_cast<std::size_t>(kMost - i)] = 1 / power;
        }
        return powers;
    }();
    return std::abs(exponent) <= kMost ? kPowers[static_cast<std::size_t>(kMost + exponent)] : std::pow(10.0, exponent);
}

/// Half of the unit of the last digit of "-1.25e-3"; 0 of what has no digits, such as "nan".
double halfStepOf(std::string_view number)
{
    const auto mark = number.find_first_of("eE");
    const auto point = number.find('.');
    const std::string_view digits = number.substr(0, mark);
    if (std::none_of(digits.begin(), digits.end(), isDigit))
        return 0;
    int exponent = point == std::string_view::npos ? 0 : static_cast<int>(point) + 1 - static_cast<int>(digits.size());
    if (mark != std::string_view::npos) {
        int written = 0;
        const std::size_t sign = mark + 1 < number.size() && number[mark + 1] == '+';
        std::from_chars(number.data() + mark + 1 + sign, number.data() + number.size(), written);
        exponent += written;
    }
    return 0.5 * powerOfTen(exponent);
}

// All of these read what they know from the front of the text from `at` to `end`. Two pointers, of which one moves,
// stay in registers.

bool takeChar(const char*& at, const char* end, char c)
{
    const bool found = at != end && *at == c;
    at += found;
    return found;
}

struct Digits
{
    std::uint64_t value = 0; ///< of at most kMostDigits
    std::size_t count = 0;
};

/// The digits at the front of eight bytes. All eight at a time: how many there are is no branch to be guessed.
Digits digitsAmong(const char* eight)
{
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t bytes;
    std::memcpy(&bytes, eight, sizeof bytes);
    bytes ^=
        0x3030'3030'3030'3030; // digits are 0 to 9 now; what is more gets a high bit below, and what is behind it may
    const std::uint64_t others = (bytes | (bytes + 0x7676'7676'7676'7676)) & 0x8080'8080'8080'8080;
    const auto count = static_cast<std::size_t>(std::countr_zero(others)) / 8;
    if (count == 0)
        return {};
    bytes <<= 8 * (8 - count); // zeros before them
    bytes = (bytes * (1 + (10 << 8)) >> 8) & 0x00FF'00FF'00FF'00FF;
    bytes = (bytes * (1 + (100 << 16)) >> 16) & 0x0000'FFFF'0000'FFFF;
    return {bytes * (1 + (10'000ULL << 32)) >> 32, count};
}

inline Digits takeDigits(const char*& at, const char* end, Digits digits = {})
{
    constexpr auto kPowers =
        std::to_array<std::uint64_t>({1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000});
    for (std::size_t count = 8; count == 8 && end - at >= 8; at += count) {
        const Digits more = digitsAmong(at);
        count = more.count;
        digits = {digits.value * kPowers[count] + more.value, digits.count + count};
    }
    for (; at != end && isDigit(*at); ++at)
        digits = {digits.value * 10 + static_cast<std::uint64_t>(*at - '0'), digits.count + 1};
    return digits;
}

/// "e-03", which may be missing; nothing where it is not whole.
std::optional<int> takeExponent(const char*& at, const char* end)
{
    if (at == end || (*at != 'e' && *at != 'E'))
        return 0;
    ++at;
    const bool isNegative = takeChar(at, end, '-');
    if (!isNegative)
        takeChar(at, end, '+');
    const Digits digits = takeDigits(at, end);
    if (digits.count == 0 || digits.count > 3)
        return std::nullopt;
    return isNegative ? -static_cast<int>(digits.value) : static_cast<int>(digits.value);
}

/// "-12.345e-03", as nearly all numbers are printed: its digits and its power of ten are exact in a double, so that one
/// operation rounds them as std::from_chars() does. Nothing of any other number.
std::optional<Printed> takeShort(const char*& at, const char* end)
{
    const char* now = at;
    const bool isNegative = takeChar(now, end, '-');
    const Digits before = takeDigits(now, end);
    const bool hasPoint = before.count > 0 && takeChar(now, end, '.');
    const Digits digits = hasPoint ? takeDigits(now, end, before) : before;
    const std::size_t decimals = digits.count - before.count;
    if (digits.count == 0 || digits.count > kMostDigits || (hasPoint && decimals == 0))
        return std::nullopt;
    const auto exponent = takeExponent(now, end);
    const int power = exponent.value_or(0) - static_cast<int>(decimals);
    if (!exponent || std::abs(power) > kMostPower)
        return std::nullopt;
    at = now;
    const double whole = static_cast<double>(digits.value);
    const double value = power < 0 ? whole / powerOfTen(-power) : whole * powerOfTen(power);
    return Printed{isNegative ? -value : value, 0.5 * powerOfTen(power)};
}

std::optional<Printed> takePlain(const char*& at, const char* end)
{
    if (const auto number = takeShort(at, end))
        return number;
    double number = 0;
    const char* const begin = at + (at != end && *at == '+');
    const auto [behind, error] = std::from_chars(begin, end, number);
    if (error != std::errc{})
        return std::nullopt;
    at = behind;
    return Printed{number, halfStepOf({begin, behind})};
}

/// ",123", and no digit behind it.
bool beginsWithGroup(const char* at, const char* end)
{
    return end - at > 3 && *at == ',' && std::all_of(at + 1, at + 4, isDigit) && !(end - at > 4 && isDigit(at[4]));
}

/// Also "5,123.4".
std::optional<Printed> takeReal(const char*& at, const char* end)
{
    auto number = takePlain(at, end);
    if (!number || !beginsWithGroup(at, end))
        return number;
    const double sign = std::signbit(number->value) ? -1 : 1;
    while (beginsWithGroup(at, end)) {
        const char* const group = ++at + 3;
        number->value = number->value * 1000 + sign * takePlain(at, group)->value;
    }
    if (end - at > 1 && *at == '.' && isDigit(at[1])) {
        const Printed fraction = *takePlain(at, end);
        number = Printed{number->value + sign * fraction.value, fraction.halfStep};
    }
    return number;
}

/// Seconds; nothing where no unit stands there.
std::optional<double> takeUnit(const char*& at, const char* end)
{
    while (takeChar(at, end, ' ')) {
    }
    for (const TimeUnit& unit : kTimeUnits)
        if (std::string_view(at, end).starts_with(unit.word)) {
            at += unit.word.size();
            return unit.seconds;
        }
    return std::nullopt;
}

/// Each part is sixty of the next.
std::optional<Printed> takeClock(const char*& at, const char* end)
{
    const auto hasPart = [&] { return end - at > 1 && *at == ':' && isDigit(at[1]); };
    auto number = takePlain(at, end);
    if (!number || !hasPart())
        return std::nullopt;
    while (hasPart()) {
        ++at;
        const Printed part = *takePlain(at, end);
        number = Printed{number->value * 60 + part.value, 2 * part.halfStep}; // what is below a second was cut off
    }
    return number;
}

/// Digits alone, so that in "12e" and "3.5" the number ends where they do.
std::optional<Printed> takeWhole(const char*& at, const char* end)
{
    const char* now = at;
    const bool isNegative = takeChar(now, end, '-');
    const Digits plain = takeDigits(now, end);
    if (plain.count > 0 && plain.count <= kMostDigits && (now == end || *now != ',')) {
        at = now;
        const double value = static_cast<double>(plain.value);
        return Printed{isNegative ? -value : value, 0};
    }
    const char* const behind = std::find_if_not(now, end, [](char c) { return isDigit(c) || c == ','; });
    const auto number = takeReal(at, behind);
    return number ? std::optional(Printed{number->value, 0}) : std::nullopt; // a count is exact
}

/// Reads a whole word, in small letters or capitals.
std::optional<Printed> takeModel(const char*& at, const char* end)
{
    const char* const behind = std::find_if(at, end, [](char c) { return c == ' ' || c == '\t'; });
    const auto isSame = [](char one, char other) {
        return std::tolower(static_cast<unsigned char>(one)) == std::tolower(static_cast<unsigned char>(other));
    };
    const auto models = knownModels();
    const auto known = std::ranges::find_if(models, [&](const ModelFacts& model) {
        return std::ranges::equal(std::string_view(at, behind), model.name, isSame);
    });
    if (known == models.end())
        return std::nullopt;
    at = behind;
    return Printed{static_cast<double>(known - models.begin() + 1), 0};
}

std::optional<Printed> takeOf(FieldForm form, const char*& at, const char* end)
{
    switch (form) {
    case whole:
        return takeWhole(at, end);
    case clock:
        return takeClock(at, end);
    case model:
        return takeModel(at, end);
    case real:
    case duration:
        break;
    }
    return takeReal(at, end);
}

} // namespace

std::span<const FieldRow> fieldRows()
{
    static const std::vector<FieldRow> rows = [] {
        std::vector<FieldRow> all(kRows.begin(), kRows.end());
        const auto phases = rowsOfPhases();
        all.insert(all.end(), phases.begin(), phases.end());
        return all;
    }();
    return rows;
}

const FieldRow* findField(std::string_view name)
{
    const auto rows = fieldRows();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const FieldRow& row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

void LineValues::addMissing(const LineValues& other)
{
    for (std::uint64_t missing = other.m_known & ~m_known; missing != 0; missing &= missing - 1) {
        const auto quantity = static_cast<std::size_t>(std::countr_zero(missing));
        set(static_cast<Quantity>(quantity), other.m_values[quantity]);
    }
}

bool LineValues::overlaps(const LineValues& other) const
{
    constexpr std::uint64_t kMeasured = [] {
        std::uint64_t bits = 0;
        for (const Quantity quantity :
             {Quantity::items, Quantity::time, Quantity::timePerIteration, Quantity::timePerItem,
              Quantity::iterationRate, Quantity::itemRate, Quantity::loss, Quantity::lossSum})
            bits |= bitOf(quantity);
        return bits;
    }();
    return (m_known & other.m_known & kMeasured) != 0;
}

bool LineValues::repeats(const LineValues& other) const
{
    for (std::uint64_t left = m_known & other.m_known; left != 0; left &= left - 1) {
        const auto quantity = static_cast<std::size_t>(std::countr_zero(left));
        if (m_values[quantity].value != other.m_values[quantity].value)
            return false;
    }
    return overlaps(other);
}

std::optional<Printed> takeNumber(const char*& at, const char* end, FieldForm form)
{
    const char* now = at;
    while (now != end && (*now == ' ' || *now == '\t'))
        ++now;
    auto number = takeOf(form, now, end);
    if (number && form == duration) {
        const auto unit = takeUnit(now, end);
        number = unit ? std::optional(*number * *unit) : std::nullopt;
    }
    if (number)
        at = now;
    return number;
}

} // namespace ringside::logs
