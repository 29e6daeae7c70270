// SPDX-License-Identifier: MIT
#include "core/logs/stamp.h"

#include "core/base/text.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>

namespace ringside::logs {

namespace {

constexpr double kSecondsADay = 86'400;
/// Year of dates without one: a leap year, so that all of them exist.
constexpr int kYearOfNone = 2000;
/// Length that is searched for a stamp: a level or a bracket may stand before it.
constexpr std::size_t kMostBefore = 16;

/// "Y", "M", "D", "h", "m" and "s" stand for a digit of year, month, day, hour, minute and second, other characters for
/// themselves. The longer of two that begin alike comes first.
constexpr auto kForms = std::to_array<std::string_view>({
    "YYYY-MM-DD hh:mm:ss",
    "YYYY-MM-DDThh:mm:ss",
    "YYYY/MM/DD hh:mm:ss",
    "YYYYMMDD hh:mm:ss",
    "MM/DD hh:mm:ss",
    "MMDD hh:mm:ss",
});

struct Digits
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    int* of(char letter)
    {
        switch (letter) {
        case 'Y':
            return &year;
        case 'M':
            return &month;
        case 'D':
            return &day;
        case 'h':
            return &hour;
        case 'm':
            return &minute;
        case 's':
            return &second;
        default:
            return nullptr;
        }
    }
};

std::optional<Digits> digitsOf(std::string_view form, std::string_view text)
{
    if (text.size() < form.size())
        return std::nullopt;
    Digits digits;
    for (std::size_t i = 0; i < form.size(); ++i) {
        int* part = digits.of(form[i]);
        if (part ? !isDigit(text[i]) : text[i] != form[i])
            return std::nullopt;
        if (part)
            *part = *part * 10 + (text[i] - '0');
    }
    return digits;
}

std::optional<Stamp> stampOf(const Digits& digits)
{
    using namespace std::chrono;
    const bool hasYear = digits.year > 0;
    const year_month_day date(year(hasYear ? digits.year : kYearOfNone), month(static_cast<unsigned>(digits.month)),
                              day(static_cast<unsigned>(digits.day)));
    if (!date.ok() || digits.hour > 23 || digits.minute > 59 || digits.second > 60)
        return std::nullopt;
    const auto days = sys_days(date).time_since_epoch().count();
    return Stamp{days * kSecondsADay + digits.hour * 3600 + digits.minute * 60 + digits.second, 0.5,
                 hasYear ? 0 : 366 * kSecondsADay};
}

/// ".891835" or ",123". Returns its length.
std::size_t addFraction(Stamp& stamp, std::string_view rest)
{
    if (rest.size() < 2 || (rest[0] != '.' && rest[0] != ',') || !isDigit(rest[1]))
        return 0;
    std::size_t length = 1;
    for (; length < rest.size() && length <= 9 && isDigit(rest[length]); ++length) {
        stamp.halfStep /= 10;
        stamp.seconds += (rest[length] - '0') * 2 * stamp.halfStep;
    }
    return length;
}

/// Returns whether "hh:mm:ss" may stand where a stamp does: most lines have none.
bool mayHaveStamp(std::string_view line)
{
    constexpr std::size_t kLongest = 20; // of kForms
    const std::string_view beginning = line.substr(0, kMostBefore + kLongest);
    for (std::size_t colon = 0; (colon = beginning.find(':', colon)) != beginning.npos; ++colon)
        if (colon + 3 < beginning.size() && beginning[colon + 3] == ':')
            return true;
    return false;
}

/// ".123456789", then "Z", "+01:00" or "-05:00".
std::size_t zoneEnd(std::string_view line, std::size_t at)
{
    constexpr std::string_view kOffset = "hh:mm";
    if (at < line.size() && line[at] == '.')
        for (++at; at < line.size() && isDigit(line[at]);)
            ++at;
    if (at < line.size() && line[at] == 'Z')
        return at + 1;
    const bool hasOffset = at < line.size() && (line[at] == '+' || line[at] == '-');
    return hasOffset && digitsOf(kOffset, line.substr(at + 1)) ? at + 1 + kOffset.size() : 0;
}

/// A stamp with the name of its month, at the beginning of a line.
struct NamedStamp
{
    Stamp stamp;
    std::size_t length;
};

/// The place of such a name among those of four characters; nothing where it is none.
std::optional<std::size_t> placeIn(std::string_view names, std::string_view line)
{
    const std::size_t at = line.size() > 3 && line[3] == ' ' ? names.find(line.substr(0, 4)) : names.npos;
    return at != names.npos && at % 4 == 0 ? std::optional(at / 4) : std::nullopt;
}

/// Its first days are padded with a blank. A year follows only where a day of the week stands before the month.
std::optional<NamedStamp> namedStamp(std::string_view line)
{
    constexpr std::string_view kWeekdays = "Mon Tue Wed Thu Fri Sat Sun ", kDay = "DD hh:mm:ss", kYear = " YYYY";
    constexpr std::string_view kMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
    if (line.size() < 4 || line[3] != ' ') // most lines, at no cost
        return std::nullopt;
    const std::size_t monthAt = placeIn(kWeekdays, line) ? 4 : 0;
    const auto month = placeIn(kMonths, line.substr(monthAt));
    if (!month)
        return std::nullopt;
    std::size_t end = monthAt + 4 + kDay.size();
    std::string day(line.substr(monthAt + 4, kDay.size()));
    if (day.starts_with(' '))
        day.front() = '0';
    auto digits = digitsOf(kDay, day);
    if (!digits)
        return std::nullopt;
    digits->month = static_cast<int>(*month) + 1;
    if (const auto year = monthAt > 0 ? digitsOf(kYear, line.substr(end)) : std::nullopt) {
        digits->year = year->year;
        end += kYear.size();
    }
    auto stamp = stampOf(*digits);
    if (stamp && digits->year == 0)
        end += addFraction(*stamp, line.substr(end));
    return stamp ? std::optional(NamedStamp{*stamp, end}) : std::nullopt;
}

/// "[08:43:44]" or "[08:43:44.123]", which says no day.
std::optional<Stamp> timeOfDay(std::string_view line)
{
    constexpr std::string_view kTime = "[hh:mm:ss";
    auto digits = digitsOf(kTime, line);
    if (!digits)
        return std::nullopt;
    digits->month = digits->day = 1;
    auto stamp = stampOf(*digits);
    const std::size_t end = kTime.size() + (stamp ? addFraction(*stamp, line.substr(kTime.size())) : 0);
    if (!stamp || end >= line.size() || line[end] != ']')
        return std::nullopt;
    stamp->period = kSecondsADay;
    return stamp;
}

/// Returns whether all of 29 February lies between dates without a year: it is more likely that there was none than
/// that nothing was printed on it.
bool isAcrossLeapDay(const Stamp& earlier, const Stamp& later)
{
    using namespace std::chrono;
    constexpr auto kDay = sys_days(year(kYearOfNone) / February / 29).time_since_epoch().count();
    const bool haveYears = earlier.period == 0 || later.period == 0;
    return !haveYears && earlier.seconds < kDay * kSecondsADay && later.seconds >= (kDay + 1) * kSecondsADay;
}

} // namespace

std::size_t foreignStamp(std::string_view line)
{
    constexpr std::string_view kDate = "YYYY-MM-DDThh:mm:ss";
    std::size_t end = 0;
    if (line.size() > kDate.size() && line[10] == 'T')
        end = digitsOf(kDate, line) ? zoneEnd(line, kDate.size()) : 0;
    else if (const auto named = namedStamp(line))
        end = named->length;
    if (end == 0 || end >= line.size())
        return 0;
    return line[end] == ' ' ? end + 1 : line[end] == '[' ? end : 0;
}

std::optional<Stamp> findStamp(std::string_view line)
{
    if (!mayHaveStamp(line))
        return std::nullopt;
    if (const auto named = namedStamp(line))
        return named->stamp;
    if (const auto time = timeOfDay(line))
        return time;
    for (std::size_t at = 0; at < line.size() && at <= kMostBefore; ++at) {
        if (!isDigit(line[at]) || (at > 0 && isDigit(line[at - 1])))
            continue;
        const std::string_view text = line.substr(at);
        for (const std::string_view form : kForms)
            if (const auto digits = digitsOf(form, text)) {
                auto stamp = stampOf(*digits);
                if (stamp)
                    addFraction(*stamp, text.substr(form.size()));
                return stamp;
            }
    }
    return std::nullopt;
}

double secondsBetween(const Stamp& earlier, const Stamp& later)
{
    const double seconds = later.seconds - earlier.seconds;
    if (seconds < -later.period / 2)
        return seconds + later.period;
    return isAcrossLeapDay(earlier, later) ? seconds - kSecondsADay : seconds;
}

} // namespace ringside::logs
