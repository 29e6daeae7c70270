// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/importtexts.h"

#include "app/dialogs/importdialog.h"
#include "app/text/text.h"
#include "app/widgets/numbers.h"

#include "core/base/text.h"
#include "core/model/costfit.h"

namespace ringside {

using imports::LinkPreview;
using imports::LogPreview;
using imports::RunPreview;

namespace {

QString numberText(const std::optional<double>& number)
{
    return number ? Numbers::threeDigits(*number) : QStringLiteral("–");
}

std::optional<double> rateOf(const RunPreview& run)
{
    return run.figure.itemsPerSecond ? run.figure.itemsPerSecond : run.figure.perLane;
}

QStringList labelsOf(const std::vector<std::string>& keys)
{
    QStringList labels;
    for (const std::string& key : keys)
        labels << toQt(imports::questionFor(key).label);
    return labels;
}

QString bandwidthText(const LinkPreview& link)
{
    const double rate = link.calibration ? model::asymptoticBandwidth(link.calibration->links.front().segments) : 0;
    return rate > 0 ? ImportDialog::tr("%1/s", "bytes").arg(Numbers::bytes(std::uint64_t(rate))) : QStringLiteral("–");
}

} // namespace

QStringList rowOf(const LogPreview& log, const RunPreview& run)
{
    return {toQt(nameOf(log)), toQt(log.log.format->title),
            run.figure.ranks > 0 ? Numbers::count(run.figure.ranks) : QStringLiteral("–"),
            Numbers::count(std::int64_t(run.figure.records)),
            rateOf(run) ? ImportDialog::tr("%1 items/s").arg(numberText(rateOf(run))) : numberText({})};
}

QStringList rowOf(const LogPreview& log, const LinkPreview& link)
{
    const logs::LinkTable& table = log.log.tables[link.table].table;
    return {toQt(nameOf(log)),
            ImportDialog::tr("%1, %2", "program, operation")
                .arg(toQt(log.log.format->title), toQt(imports::operationText(table.operation))),
            link.ranks ? Numbers::count(*link.ranks) : QStringLiteral("–"), Numbers::count(std::int64_t(table.rows)),
            bandwidthText(link)};
}

QStringList textOf(const LogPreview& log, const RunPreview& run)
{
    const logs::LogRun& read = log.log.runs[run.run];
    const auto& figure = run.figure;
    const std::string range = imports::versionsOf(log);
    const QString versions = range.empty() ? QString() : ImportDialog::tr(" (versions %1)").arg(toQt(range));
    QStringList lines = {toQt(log.log.format->title) + versions,
                         ImportDialog::tr("Lines %1 – %2").arg(read.firstLine).arg(read.lastLine),
                         ImportDialog::tr("%1 records, %2 of them warm-up, %3 refused", "records of a log")
                             .arg(Numbers::count(std::int64_t(figure.records)),
                                  Numbers::count(std::int64_t(figure.leftOut)),
                                  Numbers::count(std::int64_t(figure.refused)))};
    if (const auto rate = rateOf(run))
        lines
            << ImportDialog::tr("%1 items/s %2, the median of the records").arg(numberText(rate), toQt(scopeText(run)));
    if (run.overTime)
        lines << ImportDialog::tr("%1 items/s of all ranks, work over time").arg(numberText(run.overTime));
    for (const logs::LogClaim& summary : summariesOf(log, run))
        lines << toQt(imports::summaryText(summary));
    if (figure.firstLoss)
        lines << ImportDialog::tr("Loss %1 → %2").arg(numberText(figure.firstLoss), numberText(figure.lastLoss));
    if (!run.missing.empty())
        lines << ImportDialog::tr("It does not say: %1").arg(labelsOf(run.missing).join(QStringLiteral(", ")));
    return lines;
}

QStringList textOf(const LogPreview& log, const LinkPreview& link)
{
    const logs::LinkTable& table = log.log.tables[link.table].table;
    QStringList lines = {
        ImportDialog::tr("%1: a table of links, imported as a calibration").arg(toQt(log.log.format->title)),
        ImportDialog::tr("Lines %1 – %2").arg(table.firstLine).arg(table.lastLine),
        ImportDialog::tr("%1, times %2", "operation, whose")
            .arg(toQt(imports::operationText(table.operation)), toQt(imports::timesText(table))),
        ImportDialog::tr("%1 rows, %2 refused", "of a table of links")
            .arg(Numbers::count(std::int64_t(table.rows)), Numbers::count(std::int64_t(table.refused)))};
    if (link.calibration) {
        const LinkCost& cost = link.calibration->links.front();
        lines << ImportDialog::tr("%1 sizes from %2 to %3", "of messages")
                     .arg(Numbers::count(std::int64_t(cost.times.size())), Numbers::bytes(cost.times.front().bytes),
                          Numbers::bytes(cost.times.back().bytes));
        lines << ImportDialog::tr("Latency %1 µs, bandwidth %2, by a fit that is off by at most %3 %")
                     .arg(Numbers::threeDigits(cost.segments.front().latency * 1e6), bandwidthText(link),
                          Numbers::threeDigits(model::worstError(cost.segments, cost.times) * 100));
    }
    if (!link.missing.empty())
        lines << ImportDialog::tr("It does not say: %1").arg(labelsOf(link.missing).join(QStringLiteral(", ")));
    return lines;
}

QString noteText(const imports::Note& note)
{
    const QString place = note.line > 0 ? QStringLiteral("%1:%2").arg(toQt(plainText(note.file))).arg(note.line)
                                        : toQt(plainText(note.file));
    return place.isEmpty() ? toQt(note.text()) : QStringLiteral("%1: %2").arg(place, toQt(note.text()));
}

QStringList leftOutTexts(const imports::Previews& previews, const imports::Imported& imported)
{
    QStringList texts;
    for (const std::string& text : imported.leftOut)
        texts << toQt(text);
    for (const Error& why : previews.unreadable)
        texts << ImportDialog::tr("%1 It was skipped.").arg(toQt(why.message));
    return texts;
}

Message leftOutMessage(const QStringList& leftOut)
{
    if (leftOut.size() == 1)
        return {.severity = Severity::warning, .text = leftOut.front()};
    return {.severity = Severity::warning,
            .text = ImportDialog::tr("%n logs or runs were not imported. The first: %1", "", int(leftOut.size()))
                        .arg(leftOut.front()),
            .details = leftOut.join(QLatin1Char('\n'))};
}

} // namespace ringside
