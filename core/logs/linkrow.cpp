// SPDX-License-Identifier: MIT
#include "core/logs/linkrow.h"

#include "core/base/sequences.h"
#include "core/logs/measure.h"

#include <algorithm>
#include <cmath>

namespace ringside::logs {

namespace {

constexpr double kMicro = 1e-6, kMega = 1e6, kMebi = 1 << 20, kGiga = 1e9;
constexpr double kMostBytes = 9007199254740992; // 2^53, as calibrations have them
constexpr double kLeastSeconds = 1e-12, kMostSeconds = 1e6;
/// A bus bandwidth that is rounded to less cannot tell an all-reduce from an operation that sends half as much.
constexpr double kMostRoughness = 0.1;
constexpr std::string_view kBlanks = " \t";

std::string_view withoutBlanks(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text;
}

/// Up to two blanks in a row: titles have single ones.
std::size_t lengthOfUnknown(std::string_view titles)
{
    for (std::size_t i = 0; i + 1 < titles.size(); ++i)
        if (kBlanks.find(titles[i]) != std::string_view::npos && kBlanks.find(titles[i + 1]) != std::string_view::npos)
            return i;
    return titles.size();
}

bool isTitle(std::string_view titles, const TableColumn& column)
{
    if (!titles.starts_with(column.title))
        return false;
    const std::string_view rest = titles.substr(column.title.size());
    return rest.empty() || kBlanks.find(rest.front()) != std::string_view::npos;
}

std::vector<std::string_view> cellsOf(std::string_view line)
{
    std::vector<std::string_view> cells;
    for (line = withoutBlanks(line); !line.empty() && cells.size() <= kMostColumns; line = withoutBlanks(line)) {
        cells.push_back(line.substr(0, line.find_first_of(kBlanks)));
        line.remove_prefix(cells.back().size());
    }
    return cells;
}

/// A number that can be, and nothing behind it.
std::optional<Printed> numberIn(std::string_view cell)
{
    const char* at = cell.data();
    const char* const end = at + cell.size();
    const auto number = takeNumber(at, end, FieldForm::real);
    return number && at == end && std::isfinite(number->value) && number->value >= 0 ? number : std::nullopt;
}

/// The numbers of one place: out of place, or in place.
struct Numbers
{
    std::optional<Printed> time, least, most; ///< s
    std::optional<Printed> rate, bus;         ///< bytes/s
    bool isAnyRate = false;                   ///< the rate may be in MiB/s, too
    double wrong = 0;

    std::uint32_t columns = 0; ///< that were set, by their bits

    bool has(ColumnOf column) const { return (columns >> static_cast<unsigned>(column) & 1) != 0; }
    void set(ColumnOf column, std::string_view cell);
    std::optional<Printed> seconds(double bytes) const;
    std::optional<Finding> contradiction(double bytes, std::optional<std::int64_t> ranks) const;
};

void Numbers::set(ColumnOf column, std::string_view cell)
{
    columns |= 1u << static_cast<unsigned>(column);
    if (column == ColumnOf::verdict)
        wrong += cell != "Pass";
    const auto number = numberIn(cell);
    if (!number)
        return;
    switch (column) {
    case ColumnOf::time:
        time = *number * kMicro;
        break;
    case ColumnOf::leastTime:
        least = *number * kMicro;
        break;
    case ColumnOf::mostTime:
        most = *number * kMicro;
        break;
    case ColumnOf::anyMegabytes:
        isAnyRate = true;
        [[fallthrough]];
    case ColumnOf::megabytes:
        rate = *number * kMega;
        break;
    case ColumnOf::gigabytes:
        rate = *number * kGiga;
        break;
    case ColumnOf::busGigabytes:
        bus = *number * kGiga;
        break;
    case ColumnOf::wrong:
        wrong = number->value;
        break;
    default:
        break;
    }
}

/// Returns the time of the slowest rank, for which all others wait; without any, a time from the rate.
std::optional<Printed> Numbers::seconds(double bytes) const
{
    if (most)
        return most;
    if (time)
        return time;
    return rate && rate->value > 0 ? std::optional(inverse(*rate) * bytes) : std::nullopt;
}

bool areInOrder(const std::optional<Printed>& one, const std::optional<Printed>& other)
{
    return !one || !other || one->low() <= other->high();
}

Finding findingOf(FindingCode code, double printed, double against)
{
    return {code, 0, printed, against};
}

std::optional<Finding> Numbers::contradiction(double bytes, std::optional<std::int64_t> ranks) const
{
    if (wrong > 0)
        return findingOf(FindingCode::wrongResults, wrong, 0);
    if (!areInOrder(least, time))
        return findingOf(FindingCode::timesOutOfOrder, least->value, time->value);
    if (!areInOrder(least, most))
        return findingOf(FindingCode::timesOutOfOrder, least->value, most->value);
    if (!areInOrder(time, most))
        return findingOf(FindingCode::timesOutOfOrder, time->value, most->value);
    if (!time || !(time->value > 0))
        return std::nullopt;
    const Printed reckoned = inverse(*time) * bytes;
    const bool isRight = !rate || agree(*rate, reckoned) || (isAnyRate && agree(*rate * (kMebi / kMega), reckoned));
    if (!isRight)
        return findingOf(FindingCode::sizeAgainstRate, rate->value, reckoned.value);
    if (!bus || !ranks)
        return std::nullopt;
    const Printed ofBus = reckoned * (2.0 * static_cast<double>(*ranks - 1) / static_cast<double>(*ranks));
    return agree(*bus, ofBus) ? std::nullopt
                              : std::optional(findingOf(FindingCode::busAgainstRate, bus->value, ofBus.value));
}

bool isMet(const TableColumn& column, std::string_view cell)
{
    return column.holds != ColumnOf::condition || contains(column.only, cell);
}

bool isMeasured(ColumnOf column)
{
    return column != ColumnOf::nothing && column != ColumnOf::bytes && column != ColumnOf::condition;
}

struct Cells
{
    std::optional<Printed> bytes;
    std::vector<Numbers> places = std::vector<Numbers>(1);
    bool isOther = false;
};

std::optional<Cells> readCells(const std::vector<const TableColumn*>& columns, std::string_view line)
{
    const std::vector<std::string_view> cells = cellsOf(line);
    if (cells.size() != columns.size())
        return std::nullopt;
    Cells read;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const TableColumn* column = columns[i];
        if (!column)
            continue;
        if (column->holds == ColumnOf::bytes)
            read.bytes = numberIn(cells[i]);
        read.isOther |= !isMet(*column, cells[i]);
        if (!isMeasured(column->holds))
            continue;
        if (read.places.back().has(column->holds)) // the next place begins
            read.places.emplace_back();
        read.places.back().set(column->holds, cells[i]);
    }
    return read.bytes ? std::optional(std::move(read)) : std::nullopt;
}

} // namespace

std::vector<const TableColumn*> columnsOf(const LinkForm& form, std::string_view titles)
{
    titles = withoutBlanks(titles);
    if (titles.size() > 1 && titles.front() == '#' && kBlanks.find(titles[1]) != std::string_view::npos)
        titles = withoutBlanks(titles.substr(1));
    std::vector<const TableColumn*> columns;
    bool hasSize = false, hasTime = false;
    while (!titles.empty() && columns.size() <= kMostColumns) {
        const auto known = std::find_if(form.columns.begin(), form.columns.end(),
                                        [&](const TableColumn& column) { return isTitle(titles, column); });
        const bool isKnown = known != form.columns.end();
        columns.push_back(isKnown ? &*known : nullptr);
        hasSize |= isKnown && known->holds == ColumnOf::bytes;
        hasTime |= isKnown && (known->holds == ColumnOf::time || known->holds == ColumnOf::megabytes);
        titles = withoutBlanks(titles.substr(isKnown ? known->title.size() : lengthOfUnknown(titles)));
    }
    return hasSize && hasTime && columns.size() <= kMostColumns ? columns : std::vector<const TableColumn*>();
}

bool looksLikeRow(std::string_view line)
{
    line = withoutBlanks(line);
    const auto end = line.find_first_not_of("0123456789");
    return end != 0 && end != std::string_view::npos && kBlanks.find(line[end]) != std::string_view::npos;
}

std::optional<LinkRow> readRow(const std::vector<const TableColumn*>& columns, std::string_view line,
                               std::optional<std::int64_t> ranks)
{
    const auto cells = readCells(columns, line);
    if (!cells || cells->bytes->value > kMostBytes)
        return std::nullopt;
    const double bytes = cells->bytes->value;
    LinkRow row{.message = {static_cast<std::uint64_t>(bytes), 0}, .isOther = cells->isOther};
    row.places = static_cast<int>(cells->places.size());
    for (const Numbers& place : cells->places) {
        const auto contradiction = place.contradiction(bytes, ranks);
        row.finding = row.finding ? row.finding : contradiction;
        if (place.bus)
            row.busRates.push_back(place.bus->value);
        row.provesAllReduce |= place.bus && ranks && *ranks > 1 && !contradiction &&
                               place.bus->halfStep <= kMostRoughness * place.bus->value;
    }
    const auto seconds = cells->places.back().seconds(bytes);
    if (!seconds || seconds->value > kMostSeconds || (bytes > 0 && seconds->value < kLeastSeconds))
        return std::nullopt;
    row.message.seconds = seconds->value;
    row.isOfSlowest = cells->places.back().most.has_value();
    return row;
}

} // namespace ringside::logs
