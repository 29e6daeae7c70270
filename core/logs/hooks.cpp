// SPDX-License-Identifier: MIT
#include "core/logs/hooks.h"

namespace ringside::logs {

bool ratesItems(const LineForm& form)
{
    return form.meaning == Meaning::interval && form.pattern.has(Quantity::itemRate);
}

bool isPlainInterval(const LineForm& form)
{
    return form.meaning == Meaning::interval && !form.pattern.has(Quantity::itemRate);
}

bool isBesideRecords(const KnownLine& line, const std::optional<Place>& place, const Source& source)
{
    if (!place || !source.lane || source.scope != line.form->scope || !place || !source.place)
        return false;
    if (!isPlainInterval(*line.form) || !ratesItems(*source.form) || place <= source.plain)
        return false;
    return place != source.place || (source.plain && source.plain != source.before);
}

bool endsPlainRecords(const KnownLine& line, const std::optional<Place>& place, const Source& source)
{
    if (!source.lane || source.scope != line.form->scope || !ratesItems(*line.form) || !isPlainInterval(*source.form))
        return false;
    return place < source.place || (place > source.place && source.placed > 1); // the first line has no interval yet
}

void endPlainRecords(Source& source, LogLane& lane)
{
    for (LogRecord& record : lane.records)
        if (!record.itemRate)
            record.iterations = record.seconds = record.iterationRate = std::nullopt;
    source.place.reset();
    source.before.reset();
    source.step.reset();
}

} // namespace ringside::logs
