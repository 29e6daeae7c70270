// SPDX-License-Identifier: MIT
#include "core/report/flagsentences.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/jobs/reasons/reasonsentence.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::report {
namespace {

using store::FlagReason;
namespace flagcode = store::flagcode;

long wholeOf(std::optional<double> value)
{
    return std::lround(value.value_or(0));
}

long percentOf(std::optional<double> share)
{
    return std::lround(100 * share.value_or(0));
}

std::string rankOf(const FlagReason& why)
{
    return jobs::rankName(why.rank.value_or(0), why.ranksPerProcess);
}

std::uint64_t countOf(const FlagReason& why)
{
    return static_cast<std::uint64_t>(std::max(0L, wholeOf(why.value)));
}

std::string foreignCores(const FlagReason& why)
{
    const long percent = percentOf(why.value);
    return why.host.empty() ? Words::tr("{}: other programs used {} % of its cores for a while.", rankOf(why), percent)
                            : Words::tr("{} of {}: other programs used {} % of its cores for a while.", rankOf(why),
                                        plainText(why.host), percent);
}

std::string foreignHost(const FlagReason& why)
{
    const long percent = percentOf(why.value);
    return why.host.empty()
               ? Words::tr("Other programs used {} % of the cores for a while.", percent)
               : Words::tr("Other programs used {} % of the cores of {} for a while.", percent, plainText(why.host));
}

std::string canary(const FlagReason& why)
{
    const bool reads = why.code == flagcode::kUnusualRead;
    const double rate = why.value.value_or(1) / why.usual.value_or(1);
    const double change = (reads ? rate : 1 / rate) - 1; // all-reduces are stated by their time
    const long percent = std::lround(100 * std::abs(change));
    const std::string rank = rankOf(why);
    const std::string when =
        why.after.value_or(false) ? Words::tr("after the last iteration") : Words::tr("before the first iteration");
    if (reads)
        return change < 0 ? Words::tr("{}: reading was {} % slower than usual, {}.", rank, percent, when)
                          : Words::tr("{}: reading was {} % faster than usual, {}.", rank, percent, when);
    return change < 0 ? Words::tr("{}: all-reduce was {} % slower than usual, {}.", rank, percent, when)
                      : Words::tr("{}: all-reduce was {} % faster than usual, {}.", rank, percent, when);
}

struct Sentence
{
    std::string_view code;
    std::string (*make)(const FlagReason&);
};

constexpr Sentence kSentences[] = {
    {flagcode::kForeignCores, foreignCores},
    {flagcode::kForeignHost, foreignHost},
    {flagcode::kStoodStill,
     [](const FlagReason& why) {
         return Words::tr("{} stood still for {} s, as in a job that is suspended. Its rate includes that time.",
                          rankOf(why), wholeOf(why.value));
     }},
    {flagcode::kSharedGpu,
     [](const FlagReason& why) { return Words::tr("{}: other programs computed on its GPU.", rankOf(why)); }},
    {flagcode::kUnusualRead, canary},
    {flagcode::kUnusualAllReduce, canary},
    {flagcode::kSlowedGpu,
     [](const FlagReason& why) {
         return Words::tr("{}: its GPU slowed itself down, because of heat or its power supply.", rankOf(why));
     }},
    {flagcode::kMissingSpools,
     [](const FlagReason& why) {
         return Words::tr("Samples of {} of {} processes have arrived.", wholeOf(why.value), wholeOf(why.usual));
     }},
    {flagcode::kOpenSpools,
     [](const FlagReason& why) {
         return Words::counted("The files of {} ranks have no end.", "The file of {} rank has no end.", countOf(why));
     }},
    {flagcode::kDroppedSamples,
     [](const FlagReason& why) {
         return Words::counted("{} samples were lost because the site's disk was full.",
                               "{} sample was lost because the site's disk was full.", countOf(why));
     }},
    {flagcode::kRefusedRecords,
     [](const FlagReason& why) {
         return Words::tr("Records with impossible values were left out: {}.", wholeOf(why.value));
     }},
    {flagcode::kNoSummary, [](const FlagReason&) { return Words::tr("Its samples cannot be summed up."); }},
    {flagcode::kMissingSamples,
     [](const FlagReason& why) {
         return Words::tr("{} of {} samples have arrived.", wholeOf(why.value), wholeOf(why.usual));
     }},
    {flagcode::kEndedEarly,
     [](const FlagReason& why) {
         return Words::tr("By what it printed, the program ended after {} of {} iterations.", wholeOf(why.value),
                          wholeOf(why.usual));
     }},
    {flagcode::kNoReading,
     [](const FlagReason& why) {
         return Words::tr("{}: its host's load was not recorded while it was measured.", rankOf(why));
     }},
    {flagcode::kNoGpuReading,
     [](const FlagReason& why) {
         return Words::tr("{}: its GPU's load was not recorded while it was measured.", rankOf(why));
     }},
    {flagcode::kUnknownGpuProcesses,
     [](const FlagReason& why) {
         return Words::tr("{}: it is not known whether other programs computed on its GPU.", rankOf(why));
     }},
    {flagcode::kLossNotANumber,
     [](const FlagReason& why) {
         return Words::counted("In {} samples the loss was not a number.", "In {} sample the loss was not a number.",
                               countOf(why));
     }},
    {flagcode::kFewIterations,
     [](const FlagReason& why) {
         return Words::tr("Measured for {} iterations, fewer than {}.", wholeOf(why.value), wholeOf(why.limit));
     }},
    {flagcode::kLittleTime,
     [](const FlagReason& why) {
         return Words::tr("Measured for {:.1f} s, less than {} s.", why.value.value_or(0), wholeOf(why.limit));
     }},
    {flagcode::kPaced, [](const FlagReason&) { return Words::tr("Layers were paced, not computed."); }},
};

} // namespace

std::string sentenceOf(const FlagReason& reason)
{
    const auto* known = std::ranges::find(kSentences, reason.code, &Sentence::code);
    return known == std::end(kSentences) ? plainText(reason.code) : known->make(reason);
}

} // namespace ringside::report
