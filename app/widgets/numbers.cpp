// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/numbers.h"

#include "app/text/text.h"

#include "core/base/quantity.h"

#include <QDateTime>
#include <QLocale>
#include <cmath>

namespace ringside {

namespace {

constexpr char16_t kNarrowSpace = 0x202F;

QDateTime localTime(std::int64_t wallNs)
{
    return QDateTime::fromMSecsSinceEpoch(wallNs / 1'000'000);
}

QString written(const Quantity& quantity)
{
    return Numbers::withDecimals(quantity.value, quantity.decimals) + QChar(kNarrowSpace) + toQt(quantity.unit);
}

} // namespace

QString Numbers::count(std::int64_t value)
{
    return QLocale().toString(qlonglong(value));
}

QString Numbers::threeDigits(double value)
{
    if (value == 0 || !std::isfinite(value))
        return QLocale().toString(value, 'f', 0);
    const int magnitude = int(std::floor(std::log10(std::abs(value))));
    return withDecimals(value, std::max(0, 2 - magnitude));
}

QString Numbers::withDecimals(double value, int decimals)
{
    return QLocale().toString(value, 'f', decimals);
}

QString Numbers::ofTotal(int part, int total)
{
    return tr("%1 of %2").arg(count(part), count(total));
}

QString Numbers::percent(double share)
{
    return withDecimals(share * 100, 0) + QChar(kNarrowSpace) + QLocale().percent();
}

QString Numbers::ranks(int firstProcess, int lastProcess, int ranksPerProcess)
{
    const int first = firstProcess * ranksPerProcess, last = (lastProcess + 1) * ranksPerProcess - 1;
    return first == last ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(last);
}

QString Numbers::namedRanks(int firstProcess, int lastProcess, int ranksPerProcess)
{
    const QString numbers = ranks(firstProcess, lastProcess, ranksPerProcess);
    return firstProcess == lastProcess && ranksPerProcess == 1 ? tr("Rank %1").arg(numbers)
                                                               : tr("Ranks %1").arg(numbers);
}

QString Numbers::bytes(std::uint64_t bytes)
{
    return written(quantityOfBytes(bytes));
}

QString Numbers::duration(double seconds)
{
    return written(quantityOfSeconds(seconds));
}

QString Numbers::timeOfDay(std::int64_t wallNs)
{
    return QLocale().toString(localTime(wallNs).time(), QStringLiteral("HH:mm"));
}

QString Numbers::moment(std::int64_t wallNs)
{
    const QDateTime time = localTime(wallNs);
    const bool isToday = time.date() == QDate::currentDate();
    return QLocale().toString(time, isToday ? QStringLiteral("HH:mm") : QStringLiteral("d MMM HH:mm"));
}

QString Numbers::secondOfDay(std::int64_t wallNs)
{
    return QLocale().toString(localTime(wallNs).time(), QStringLiteral("HH:mm:ss"));
}

QString Numbers::relativeTime(std::int64_t wallNs, std::int64_t nowNs)
{
    const double seconds = double(nowNs - wallNs) / 1e9;
    if (seconds < 60)
        return tr("just now");
    if (seconds < 24 * 3600)
        return tr("%1 ago", "a duration").arg(duration(seconds));
    return QLocale().toString(localTime(wallNs).date(), QLocale::ShortFormat);
}

QString Numbers::exactTime(std::int64_t wallNs)
{
    return QLocale().toString(localTime(wallNs), QLocale::ShortFormat);
}

} // namespace ringside
