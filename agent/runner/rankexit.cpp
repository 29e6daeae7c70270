// SPDX-License-Identifier: MIT
#include "agent/runner/rankexit.h"

#include "core/base/descriptor.h"
#include "core/base/regularfile.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/protocol/jsonfields.h"
#include "core/protocol/layout.h"

#include <cstdio>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::runner {

RankExit RankExit::fromWaitStatus(int status)
{
    RankExit exit;
    if (WIFSIGNALED(status))
        exit.signal = WTERMSIG(status);
    else
        exit.code = WEXITSTATUS(status);
    return exit;
}

void noteWhy(RankExit& exit, int rank, Reason reason, int log)
{
    ::dprintf(log, "%s\n", jobs::sentenceOf(reason).c_str()); // the log is that of one process
    reason.add("rank", rank);
    if (reason.code != why::kError)
        exit.why = std::move(reason);
}

Result<void> writeRankExit(const fs::path& attempt, int rank, const RankExit& exit)
{
    nlohmann::json json{{"code", exit.code},           {"signal", exit.signal},
                        {"told", exit.told},           {"at_ns", exit.atNs},
                        {"host", exit.host},           {"memory_ran_out", exit.memoryRanOut},
                        {"suspended", exit.suspended}, {"peak_bytes", exit.peakBytes},
                        {"went_on", exit.wentOn},      {"cut_record", exit.cutRecord}};
    if (exit.recorded)
        json["recorded"] = *exit.recorded;
    if (!exit.why.empty())
        json["why"] = toJson(exit.why);
    return writeFileAtomically(layout::rankExit(attempt, rank), dumpJson(json));
}

void forgetAbsentFiles(const fs::path& attempt)
{
    const fs::path probe = attempt / "look";
    if (Descriptor(::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)).get() >= 0)
        ::unlink(probe.c_str());
}

namespace {

constexpr std::uint64_t kMaxExit = 64u << 10; ///< bytes; a reason in it may name what people chose

std::optional<std::uint64_t> recordedIn(const nlohmann::json& json)
{
    return json.contains("recorded") ? std::optional(json.at("recorded").get<std::uint64_t>()) : std::nullopt;
}

Reason whyIn(const nlohmann::json& json)
{
    if (!json.contains("why"))
        return {};
    Reason why = reasonFromJson(json.at("why")).value_or(Reason{});
    return why.code.empty() ? Reason{} : why; // of a later version: its exit code says more
}

} // namespace

std::optional<RankExit> readRankExit(const fs::path& attempt, int rank)
{
    const auto text = readRegularFile(layout::rankExit(attempt, rank), kMaxExit);
    if (!text)
        return std::nullopt;
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    try {
        return RankExit{json.at("code"),
                        json.at("signal"),
                        json.at("told"),
                        json.at("at_ns"),
                        json.at("host"),
                        json.value("memory_ran_out", false),
                        json.value("suspended", false),
                        json.value("peak_bytes", std::uint64_t{0}),
                        json.value("went_on", std::uint64_t{0}),
                        recordedIn(json),
                        json.value("cut_record", false),
                        whyIn(json)};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

} // namespace ringside::runner
