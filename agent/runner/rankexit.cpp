// SPDX-License-Identifier: MIT
#include "agent/runner/rankexit.h"

#include "core/protocol/layout.h"

#include <nlohmann/json.hpp>
#include <sys/wait.h>

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

Result<void> writeRankExit(const fs::path& attempt, int rank, const RankExit& exit)
{
    const nlohmann::json json{
        {"code", exit.code}, {"signal", exit.signal}, {"told", exit.told}, {"at_ns", exit.atNs}, {"host", exit.host}};
    return writeFileAtomically(layout::rankExit(attempt, rank), json.dump());
}

std::optional<RankExit> readRankExit(const fs::path& attempt, int rank)
{
    const auto text = readFile(layout::rankExit(attempt, rank), 4096);
    if (!text)
        return std::nullopt;
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    try {
        return RankExit{json.at("code"), json.at("signal"), json.at("told"), json.at("at_ns"), json.at("host")};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

} // namespace ringside::runner
