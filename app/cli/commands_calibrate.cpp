// SPDX-License-Identifier: GPL-3.0-or-later
// calibrate: measures what a site can do, by a campaign of one run there, and shows what is known.
#include "app/cli/carryout.h"
#include "app/cli/commands.h"
#include "app/cli/linktext.h"
#include "app/cli/output.h"
#include "core/base/say.h"
#include "core/base/shellquote.h"
#include "core/base/text.h"
#include "core/model/costfit.h"
#include "core/planning/calibrationrun.h"
#include "core/report/figurewords.h"
#include "core/store/canaries.h"
#include "core/store/queries.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace ringside::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

Json toJson(const store::SiteCalibration& known)
{
    return {{"run", known.run},
            {"ended", isoTime(known.endedAt)},
            {"transport", known.transport},
            {"flags", known.flags},
            {"imported_from", known.isImported() ? Json(known.importedFrom) : Json(nullptr)},
            {"calibration", Json::parse(ringside::toJson(known.calibration).dump())}};
}

template <class Text> std::vector<std::string> rateRow(const char* what, const RankRate& rate, const Text& text)
{
    return {what, text(rate.median), text(rate.lowest)};
}

std::string gflops(double rate)
{
    return fmt::format("{:.1f} GFLOP/s", rate / 1e9);
}

std::string tflops(double rate)
{
    return rate > 0 ? fmt::format("{:.1f} TFLOP/s", rate / 1e12) : "–";
}

Rows gpuRows(const GpuRates& gpu)
{
    return {rateRow("GPU: matrix products, float32", gpu.fp32Flops, tflops),
            rateRow("GPU: matrix products, TF32", gpu.tf32Flops, tflops),
            rateRow("GPU: matrix products, bf16", gpu.bf16Flops, tflops),
            rateRow("GPU: its memory, read and written", gpu.memoryBytes, perSecond),
            rateRow("GPU: from page-locked memory", gpu.toDeviceBytes, perSecond),
            rateRow("GPU: to page-locked memory", gpu.toHostBytes, perSecond)};
}

void printRates(const Calibration& found)
{
    const auto pictures = [](double rate) {
        return rate > 0 ? fmt::format("{:.0f} pictures/s", rate) : std::string("–");
    };
    Rows rows = {rateRow("Matrix products, float32", found.gemmFlops, gflops),
                 rateRow("Memory, copying", found.memoryBytes, perSecond),
                 rateRow("Disk, one rank a node", found.diskBytes, perSecond),
                 rateRow("JPEG, one core", found.pictures, pictures)};
    if (found.gpu)
        std::ranges::move(gpuRows(*found.gpu), std::back_inserter(rows));
    printTable({{"Each rank, all at once"}, {"Median", true}, {"Lowest", true}}, rows);
    if (!found.diskHow.empty())
        printText("Disk: {}.\n", plainText(found.diskHow));
}

std::vector<std::string> linkRow(const LinkCost& link)
{
    const std::string between = link.level == LinkLevel::node    ? "ranks of a node"
                                : link.level == LinkLevel::nodes ? "nodes"
                                                                 : "all ranks";
    const auto at = [&](std::uint64_t bytes) { return durationText(model::secondsFor(link.segments, bytes)); };
    return {between,
            messageText(link),
            std::to_string(link.ranks),
            latencyText(link),
            perSecond(model::asymptoticBandwidth(link.segments)),
            at(4096),
            at(1'000'000),
            at(100'000'000),
            fitText(link)};
}

void printLinks(const Calibration& found)
{
    Rows rows;
    for (const LinkCost& link : found.links)
        rows.push_back(linkRow(link));
    if (rows.empty())
        return;
    printText("\n");
    printTable({{"Between"},
                {"Message"},
                {"Ranks", true},
                {"Latency", true},
                {"Bandwidth", true},
                {"4 KiB by the fit", true},
                {"1 MB", true},
                {"100 MB", true},
                {"Fit, off by at most"}},
               rows);
}

/// "4 ranks on 2 nodes, 8 cores and a GPU each; mpi: ob1 over self, tcp by ib0", "1 rank on 1 node, 1 core; …".
std::string shapeText(const Calibration& found, const std::string& transport)
{
    const std::string over =
        found.means.interface == kAnyInterface ? std::string() : " by " + plainText(found.means.interface);
    return fmt::format("{} on {}, {}{}{}; {}{}", report::counted(found.ranks, "rank", "ranks"),
                       report::counted(found.nodes, "node", "nodes"),
                       report::counted(found.coresPerRank, "core", "cores"), found.means.withGpu() ? " and a GPU" : "",
                       found.ranks == 1 ? "" : " each", plainText(transport), over);
}

void printImported(const std::string& site, const store::SiteCalibration& known)
{
    const Calibration& found = known.calibration;
    const bool areMeans = std::ranges::any_of(found.links, &LinkCost::areMeans);
    printText("{}, run {}: {} on {}{}, imported on {} from a table of {}{}. Plans and shares do not use it.\n", site,
              known.run, report::counted(found.ranks, "rank", "ranks"), report::counted(found.nodes, "node", "nodes"),
              found.means.withGpu() ? ", a GPU each" : "", clockText(known.endedAt), plainText(known.importedFrom),
              areMeans ? ", in means over ranks" : "");
    printLinks(found);
}

void print(const std::string& site, const store::SiteCalibration& known)
{
    if (known.isImported())
        return printImported(site, known);
    const Calibration& found = known.calibration;
    printText("{}, {}, run {}: {}{}\n", site, clockText(known.endedAt), known.run, shapeText(found, known.transport),
              known.flags.empty() ? "" : fmt::format(" ({})", fmt::join(known.flags, ", ")));
    if (known.isDisturbed())
        printText("Other programs used the machine during the measurement, so plans and shares do not use it. "
                  "Calibrate again.\n");
    printText("\n");
    printRates(found);
    printLinks(found);
}

/// Imported calibrations belong to no site that could be measured.
Error notCalibrated(const Context& context, const std::string& site)
{
    if (site == spec::kImportedSite)
        return {ErrorCode::notFound, "No calibration was imported without a site.",
                fmt::format("“{}” reads tables of benchmarks of links.", commandLine(context, "import", "FILE"))};
    return {ErrorCode::notFound, fmt::format("{} has not been calibrated.", site),
            fmt::format("“{}” does it.", commandLine(context, "calibrate", shellQuote(site)))};
}

/// `run`: only what it found; 0: all that is known, the newest first.
Exit showKnown(const Context& context, const std::string& site, int run)
{
    TRY_OR_EXIT(const store::Database db, openStore(context));
    TRY_OR_EXIT(std::vector<store::SiteCalibration> known, store::calibrations(db, site));
    std::erase_if(known, [&](const store::SiteCalibration& each) { return run != 0 && each.run != run; });
    if (known.empty())
        return report(notCalibrated(context, site));
    Json json = Json::array();
    for (const store::SiteCalibration& each : known) {
        json.push_back(toJson(each));
        if (!context.json)
            print(site, each);
        if (!context.json && &each != &known.back())
            printText("\n");
    }
    if (context.json)
        cli::print(json);
    return Exit::done;
}

/// Every calibration there was of the site.
Result<std::vector<store::RunRow>> calibrationRuns(const Context& context, const std::string& site)
{
    if (!requireStore(context))
        return std::vector<store::RunRow>();
    TRY_ASSIGN(const store::Database db, openStore(context));
    store::RunFilter filter;
    filter.experiment = spec::calibrationName(site);
    return store::runs(db, filter);
}

/// Without its place: the user did not write the file.
std::string sentenceOf(spec::Check check)
{
    check.line = 0;
    return spec::toText(check);
}

/// Prints its warnings on the way.
std::optional<Error> blockedBy(const CheckedFile& checked)
{
    for (const spec::Check& check : checked.outcome.checks)
        if (check.severity == spec::Severity::blocking)
            return Error{checked.refusal, sentenceOf(check), {}};
    for (const spec::Check& check : checked.outcome.checks)
        if (check.severity == spec::Severity::warning && !check.field.starts_with("runs")) // once is enough
            sayErrorLine(sentenceOf(check));
    return std::nullopt;
}

} // namespace

Exit calibrate(const Context& context, const CalibrateOptions& options)
{
    if (options.show)
        return showKnown(context, options.site, 0);
    const spec::CalibrationShape shape{options.nodes, options.ranksPerNode,
                                       options.coresPerRank.value_or(spec::standardCores(options.means.device)),
                                       options.means};
    TRY_OR_EXIT(const std::vector<store::RunRow> before, calibrationRuns(context, options.site));
    TRY_OR_EXIT(const ConductorOptions programs, conductorOptions(context));
    TRY_OR_EXIT(const CalibrationRun next, nextCalibration(options.site, shape, before));
    const CheckedFile checked =
        checkText(spec::writeExperiment(next.experiment), options.site, programs.worker, Asking::always);
    if (const auto blocked = blockedBy(checked))
        return report(*blocked);
    const Carried carried = carryOut(context, programs, checked, {});
    const auto run = std::ranges::find(carried.runs, next.repeat, &store::RunRow::repeat);
    const bool isThere = run != carried.runs.end();
    if (carried.ended && isThere && run->state == RunState::done)
        return showKnown(context, options.site, run->number);
    if (context.json && carried.hasBegun())
        cli::print(Json::array()); // it found nothing so far
    if (!carried.ended)
        return carried.exit;
    sayError("The site was not calibrated; “{}” says why.",
             commandLine(context, "show", std::to_string(isThere ? run->number : 0)));
    return Exit::someFailed;
}

} // namespace ringside::cli
