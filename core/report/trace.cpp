// SPDX-License-Identifier: MIT
#include "core/report/trace.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace ringside::report {
namespace {

using Json = nlohmann::ordered_json;

/// The format's unit, to the nanosecond that stamps resolve.
double microseconds(double ms)
{
    return std::round(ms * 1e6) / 1e3;
}

constexpr std::array<std::string_view, 3> kThreads = {"phases", "layers", "communication"};

Json nameEvent(const char* what, int rank, int thread, const std::string& name)
{
    return {{"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json barEvent(const Bar& bar, int rank, int thread)
{
    Json event = {{"ph", "X"},
                  {"name", bar.name},
                  {"cat", nameOf(bar.activity)},
                  {"pid", rank},
                  {"tid", thread},
                  {"ts", microseconds(bar.start)},
                  {"dur", microseconds(bar.length)}};
    Json args = Json::object();
    if (bar.bytes)
        args["bytes"] = *bar.bytes;
    if (bar.ready)
        args["gradients_ready_us"] = microseconds(*bar.ready);
    if (!args.empty())
        event["args"] = std::move(args);
    return event;
}

void addLane(Json& events, const Lane& lane)
{
    const std::string host = lane.host.empty() ? "" : " on " + lane.host;
    events.push_back(nameEvent("process_name", lane.rank, 0, fmt::format("rank {}{}", lane.rank, host)));
    int thread = 0;
    for (const auto* bars : {&lane.phases, &lane.layers, &lane.communication}) {
        events.push_back(
            nameEvent("thread_name", lane.rank, thread, std::string(kThreads[static_cast<std::size_t>(thread)])));
        for (const Bar& bar : *bars)
            events.push_back(barEvent(bar, lane.rank, thread));
        ++thread;
    }
}

} // namespace

std::string traceJson(const FigureData& figure)
{
    Json events = Json::array();
    if (const Lanes* drawing = figure.as<Lanes>())
        for (const Lane& lane : drawing->lanes)
            addLane(events, lane);
    const Json trace = {{"displayTimeUnit", "ms"},
                        {"otherData", {{"title", figure.title}, {"caption", figure.caption}}},
                        {"traceEvents", std::move(events)}};
    return trace.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::report
