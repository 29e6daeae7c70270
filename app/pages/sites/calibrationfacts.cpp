// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/calibrationfacts.h"

#include "app/text/text.h"
#include "app/widgets/numbers.h"

#include "core/model/costfit.h"

#include <QCoreApplication>

namespace ringside {

namespace {

struct CalibrationWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::CalibrationWords)
};

QString perSecond(double bytes)
{
    return CalibrationWords::tr("%1/s", "bytes").arg(Numbers::bytes(std::uint64_t(bytes)));
}

QString gigaflops(double rate)
{
    return CalibrationWords::tr("%1 GFLOP/s").arg(Numbers::threeDigits(rate / 1e9));
}

QString teraflops(double rate)
{
    return CalibrationWords::tr("%1 TFLOP/s").arg(Numbers::threeDigits(rate / 1e12));
}

QString pictures(double rate)
{
    return CalibrationWords::tr("%1 pictures/s").arg(Numbers::count(std::int64_t(rate)));
}

QString latencyText(double seconds)
{
    return seconds < 1e-3 ? CalibrationWords::tr("%1 µs").arg(Numbers::threeDigits(seconds * 1e6))
                          : CalibrationWords::tr("%1 ms").arg(Numbers::threeDigits(seconds * 1e3));
}

/// The lowest is shown only where ranks differ by more than these digits show.
template <class Text> QString rateText(const RankRate& rate, Text text)
{
    const QString median = text(rate.median), lowest = text(rate.lowest);
    return median == lowest ? median : CalibrationWords::tr("%1, lowest %2").arg(median, lowest);
}

template <class Add> void addGpu(const GpuRates& gpu, const Add& add)
{
    const QString products =
        CalibrationWords::tr("GEMM on the GPU of a rank, all ranks at once; matrices of up to 8,192 rows");
    add(CalibrationWords::tr("GPU, float32"), gpu.fp32Flops, teraflops, products);
    add(CalibrationWords::tr("GPU, TF32"), gpu.tf32Flops, teraflops, products);
    add(CalibrationWords::tr("GPU, bf16"), gpu.bf16Flops, teraflops, products);
    add(CalibrationWords::tr("GPU memory"), gpu.memoryBytes, perSecond,
        CalibrationWords::tr("A large array of the GPU's memory copied inside it; bytes read and bytes written"));
    add(CalibrationWords::tr("To the GPU"), gpu.toDeviceBytes, perSecond,
        CalibrationWords::tr("From page-locked memory of the host"));
    add(CalibrationWords::tr("From the GPU"), gpu.toHostBytes, perSecond,
        CalibrationWords::tr("To page-locked memory of the host"));
}

QString levelText(LinkLevel level)
{
    return level == LinkLevel::node ? CalibrationWords::tr("Inside a node") : CalibrationWords::tr("Between nodes");
}

/// No table of links has cores.
QString linkShapeText(const Calibration& calibration)
{
    const QString ranks = CalibrationWords::tr("%n rank(s)", nullptr, calibration.ranks);
    const QString nodes = CalibrationWords::tr("%n node(s)", nullptr, calibration.nodes);
    return CalibrationWords::tr("%1 on %2", "ranks, nodes").arg(ranks, nodes);
}

QString operationText(const LinkCost& link)
{
    if (link.operation == LinkOperation::stream)
        return CalibrationWords::tr("one-way stream");
    return link.operation == LinkOperation::pingPong ? CalibrationWords::tr("ping-pong")
                                                     : CalibrationWords::tr("all-reduce");
}

QString linkText(const LinkCost& link)
{
    const QString latency = latencyText(model::secondsFor(link.segments, link.times.front().bytes));
    const double bandwidth = model::asymptoticBandwidth(link.segments);
    return bandwidth > 0 ? CalibrationWords::tr("%1, %2").arg(latency, perSecond(bandwidth)) : latency;
}

/// An all-reduce of the site's own is shown by the chart, beside more exact figures of its links.
void addImported(std::vector<CalibrationFact>& facts, const store::SiteCalibration& known)
{
    facts.push_back({CalibrationWords::tr("Imported"), Numbers::exactTime(known.endedAt), {}});
    facts.push_back({CalibrationWords::tr("From"),
                     CalibrationWords::tr("%1; no plan uses it", "program").arg(toQt(known.importedFrom)),
                     CalibrationWords::tr("Plans and shares go by what Ringside measured on the site itself.")});
    for (const LinkCost& link : known.calibration.links)
        if (link.operation == LinkOperation::allReduce && !link.times.empty())
            facts.push_back({CalibrationWords::tr("All-reduce"), linkText(link),
                             CalibrationWords::tr("Time of a message of %1, and rate of long ones")
                                 .arg(Numbers::bytes(link.times.front().bytes))});
}

} // namespace

QString shapeText(const Calibration& calibration)
{
    const QString cores = CalibrationWords::tr("%n core(s) each", nullptr, calibration.coresPerRank);
    QStringList parts{CalibrationWords::tr("%1, %2", "ranks on nodes, cores").arg(linkShapeText(calibration), cores)};
    const CalibrationMeans usual, &means = calibration.means;
    if (means.withGpu())
        parts << CalibrationWords::tr("a GPU each");
    if (means.backend != usual.backend)
        parts << toQt(means.backend).toUpper();
    if (means.interface != usual.interface)
        parts << toQt(means.interface);
    return parts.join(QStringLiteral(", "));
}

QString nameOf(const store::SiteCalibration& known)
{
    if (!known.isImported())
        return known.isDisturbed() ? CalibrationWords::tr("%1, disturbed").arg(shapeText(known.calibration))
                                   : shapeText(known.calibration);
    QStringList operations;
    for (const LinkCost& link : known.calibration.links)
        operations << operationText(link);
    return CalibrationWords::tr("imported, %1: %2, %3, run %4", "program, operation, shape")
        .arg(toQt(known.importedFrom), operations.join(QStringLiteral(", ")), linkShapeText(known.calibration))
        .arg(known.run);
}

QString measuredText(const store::SiteCalibration& known)
{
    QStringList parts{Numbers::exactTime(known.endedAt), CalibrationWords::tr("run %1").arg(known.run)};
    if (known.isImported())
        return parts.join(QStringLiteral(" · "));
    parts << shapeText(known.calibration);
    if (!known.transport.empty())
        parts << toQt(known.transport);
    return parts.join(QStringLiteral(" · "));
}

std::vector<CalibrationFact> calibrationFacts(const store::SiteCalibration& known)
{
    const Calibration& calibration = known.calibration;
    std::vector<CalibrationFact> facts;
    if (known.isImported())
        addImported(facts, known);
    const auto add = [&](const QString& label, const RankRate& rate, auto text, const QString& more) {
        if (rate.median > 0)
            facts.push_back({label, rateText(rate, text), more});
    };
    add(CalibrationWords::tr("Matrix products"), calibration.gemmFlops, gigaflops,
        CalibrationWords::tr("GEMM in float32 on the cores of a rank, all ranks at once"));
    add(CalibrationWords::tr("Memory"), calibration.memoryBytes, perSecond,
        CalibrationWords::tr("A large array copied by the cores of a rank, all ranks at once"));
    add(CalibrationWords::tr("Disk"), calibration.diskBytes, perSecond, toQt(calibration.diskHow));
    add(CalibrationWords::tr("JPEG"), calibration.pictures, pictures,
        CalibrationWords::tr("Decoded and resized by one core"));
    if (calibration.gpu)
        addGpu(*calibration.gpu, add);
    for (const LinkLevel level : {LinkLevel::node, LinkLevel::nodes}) {
        const LinkCost* link = calibration.link(level, LinkOperation::pingPong);
        if (link && !link->times.empty())
            facts.push_back({levelText(level), linkText(*link),
                             CalibrationWords::tr("A message of %1 there and back, halved, and the rate of long ones")
                                 .arg(Numbers::bytes(link->times.front().bytes))});
        const LinkCost* stream = calibration.link(level, LinkOperation::stream);
        if (stream && !stream->times.empty())
            facts.push_back({levelText(level), perSecond(model::asymptoticBandwidth(stream->segments)),
                             CalibrationWords::tr("One way, many messages under way at once")});
    }
    return facts;
}

} // namespace ringside
