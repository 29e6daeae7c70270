// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline made by hand, and where its bars are painted.
#pragma once

#include "app/figures/figurerenderer.h"
#include "core/report/figuredata.h"

#include <QImage>
#include <QPainter>
#include <vector>

namespace ringside::test {

/// Two ranks on two hosts: 30 ms forward, 50 backward and 20 of waiting, in which there is one bucket. Two layers.
inline report::FigureData timelineFigure()
{
    report::FigureData figure;
    figure.kind = "timeline";
    figure.title = "Iteration 7";
    report::Lanes& drawing = figure.drawing.emplace<report::Lanes>();
    drawing.x.title = "Time (ms)";
    drawing.whole = drawing.shown = {0, 100};
    for (const int rank : {0, 1}) {
        report::Lane lane;
        lane.rank = rank;
        lane.host = rank == 0 ? "n1" : "n2";
        double at = 0;
        for (const auto& [phase, length] :
             {std::pair(Phase::forward, 30.0), std::pair(Phase::backward, 50.0), std::pair(Phase::commExposed, 20.0)}) {
            lane.phases.push_back({report::Activity::phase, std::string(nameOf(phase)), phase, at, length, {}, {}});
            at += length;
        }
        lane.layers = {{report::Activity::forward, "conv1", Phase::forward, 1, 14, {}, 100},
                       {report::Activity::forward, "fc", Phase::forward, 16, 13, {}, 200},
                       {report::Activity::backward, "fc", Phase::backward, 36, 20, 56, 200},
                       {report::Activity::backward, "conv1", Phase::backward, 58, 21, 79, 100}};
        lane.communication = {{report::Activity::communication, "bucket 0", Phase::commExposed, 79, 20, {}, 300}};
        drawing.lanes.push_back(std::move(lane));
    }
    return figure;
}

/// On a page of 182 by 60 mm. Ends the program if one lies outside of the plot.
inline std::vector<figures::PlacedRuns> placedRuns(const report::FigureData& shown)
{
    figures::PaperOptions options;
    options.size = {182, 60};
    QImage image(728, 240, QImage::Format_RGB32);
    QPainter painter(&image);
    std::vector<figures::PlacedRuns> placed;
    const figures::FigureRenderer renderer(shown, options);
    renderer.paint(painter, image.rect(), &placed);
    const QRectF plot = renderer.plotArea(image.rect());
    for (const figures::PlacedRuns& each : placed)
        if (!plot.adjusted(-1, -1, 1, 1).contains(each.box))
            qFatal("a bar is outside of the plot");
    return placed;
}

} // namespace ringside::test
