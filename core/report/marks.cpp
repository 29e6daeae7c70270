// SPDX-License-Identifier: MIT
#include "core/report/marks.h"

#include <algorithm>

namespace ringside::report {

namespace {

constexpr Mark kEmulated{"emulated", "layers were paced, not computed"};
constexpr Mark kSerialised{"serialised", "the host waited for the GPU at the end of each phase"};
constexpr Mark kGraph{"CUDA graph", "forward is counted in backward", false};

bool isSet(const Settings& settings, const char* key, std::string_view level)
{
    return textOf(settings, "device") == "cuda" && textOf(settings, key) == level;
}

void add(std::vector<Mark>& marks, const Mark& mark, bool applies)
{
    const auto same = [&](const Mark& other) { return other.word == mark.word; };
    if (applies && std::ranges::none_of(marks, same))
        marks.push_back(mark);
}

void addMarks(std::vector<Mark>& marks, const Settings& settings, bool ofPhases)
{
    add(marks, kEmulated, isEmulated(settings));
    add(marks, kSerialised, isSet(settings, "timing", "serialised"));
    add(marks, kGraph, ofPhases && isSet(settings, "cuda_graph", "on"));
}

} // namespace

std::string Mark::note() const
{
    return std::string(word) + ": " + std::string(what);
}

std::vector<Mark> marksOf(const Comparison& comparison)
{
    std::vector<Mark> marks;
    for (const Group& group : comparison.groups)
        addMarks(marks, group.factors, comparison.show == Show::phases);
    return marks;
}

std::vector<Mark> marksOf(const store::RunRow& run)
{
    std::vector<Mark> marks;
    add(marks, kEmulated, std::ranges::find(run.flags, "emulated") != run.flags.end());
    addMarks(marks, run.factors, true);
    return marks;
}

std::string axisMarks(const std::vector<Mark>& marks)
{
    std::string text;
    for (const Mark& mark : marks)
        if (mark.onAxis)
            text += ", " + std::string(mark.word);
    return text;
}

} // namespace ringside::report
