// SPDX-License-Identifier: GPL-3.0-or-later
// The texts that accompany the picture; core/report writes them.
#include "app/figures/formats/format.h"
#include "core/base/words.h"
#include "core/report/files.h"
#include "core/report/trace.h"

namespace ringside::figures {

namespace {

using Text = std::optional<std::string>;

std::string plottedValues(const ExportContent&)
{
    return Words::tr("plotted values");
}
Text csv(const ExportContent& content, const PaperOptions&, const std::string&)
{
    return report::figureCsv(content.figure);
}

std::string countOfRuns(const ExportContent& content)
{
    return Words::counted("{} runs", "{} run", content.runs.size());
}
Text runsCsv(const ExportContent& content, const PaperOptions&, const std::string&)
{
    return report::runsCsv(content.runs);
}

std::string provenance(const ExportContent&)
{
    return Words::tr("provenance");
}
Text provenanceJson(const ExportContent& content, const PaperOptions&, const std::string&)
{
    return report::provenanceJson(content.comparison, content.figure, content.runs);
}

std::string text(const ExportContent&)
{
    return Words::tr("text");
}
Text captionText(const ExportContent&, const PaperOptions&, const std::string& caption)
{
    return caption + "\n";
}

bool isTimeline(const report::FigureData& figure)
{
    return figure.as<report::Lanes>() != nullptr;
}
std::string viewers(const ExportContent&)
{
    return Words::tr("for Perfetto, Chrome");
}
Text trace(const ExportContent& content, const PaperOptions&, const std::string&)
{
    return report::traceJson(content.figure);
}

} // namespace

extern const Format kCsv{"csv", "fig-{}.csv", true, true, fitsAll, plottedValues, csv};
extern const Format kRunsCsv{"runs", "runs.csv", true, false, fitsAll, countOfRuns, runsCsv};
extern const Format kProvenance{"provenance", "fig-{}.json", true, false, fitsAll, provenance, provenanceJson};
extern const Format kCaption{"caption", "caption.txt", true, false, fitsAll, text, captionText};
extern const Format kTrace{"trace", "trace.json", true, true, isTimeline, viewers, trace};

} // namespace ringside::figures
