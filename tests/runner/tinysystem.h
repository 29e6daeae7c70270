// SPDX-License-Identifier: MIT
// Runs of a system of two ranks and one server that is small enough to end in a moment: tinysystem.py.
#pragma once

#include "core/base/findprogram.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/built.h"

namespace ringside::test {

inline constexpr std::chrono::milliseconds kLong{60'000};
inline constexpr int kRanks = 2, kServer = 2;

inline std::map<std::string, Engine> tiny(double pause = 0.002)
{
    Engine engine;
    engine.title = "Tiny";
    engine.version = "1.0";
    engine.command = {findProgram("python3"),
                      (sourceFolder() / "tests/runner/tinysystem.py").string(),
                      "{drivers}",
                      "{iterations}",
                      std::to_string(pause),
                      "{attempt}"};
    engine.environment = {
        {"CLUSTER", "{cluster}"}, {"ROLE", "{role}"}, {"ROLE_INDEX", "{role_index}"}, {"TF_CPP_MIN_LOG_LEVEL", "2"}};
    engine.exits = {{4, Cause::lostRank, "lost its server"}};
    return {{"tiny", engine}};
}

/// A process that starts the ranks of its node, given the numbers that tinylauncher.py begins with.
inline std::map<std::string, Engine> tinyLauncher(const std::vector<std::string>& places = {"{rank}", "{own_ranks}",
                                                                                            "{ranks}"},
                                                  const std::vector<std::string>& more = {})
{
    Engine engine;
    engine.title = "Launcher";
    engine.command = {findProgram("python3"), (sourceFolder() / "tests/runner/tinylauncher.py").string()};
    engine.command.insert(engine.command.end(), places.begin(), places.end());
    engine.command.insert(engine.command.end(), {"{iterations}", "{attempt}"});
    engine.command.insert(engine.command.end(), more.begin(), more.end());
    return {{"launcher", engine}};
}

/// Two in a process.
inline RunSpec runOfLauncher(int ranks, int iterations)
{
    RunSpec run =
        makeRun(ranks, iterations, {{"engine", std::string("launcher")}, {"batch_per_rank", std::int64_t{8}}});
    run.ranksPerProcess = 2;
    return run;
}

inline RunSpec runOfTiny(int iterations)
{
    RunSpec run = makeRun(kRanks, iterations, {{"engine", std::string("tiny")}});
    run.roles = {{"server", 1, Placement::shared}};
    return run;
}

inline Campaign campaignOf(RunSpec run, const std::map<std::string, Engine>& engines = tiny())
{
    return Campaign({std::move(run)}, {}, "mpirun", testworkerPath(), {}, engines);
}

inline std::vector<Sample> samplesOf(const fs::path& spool)
{
    std::vector<Sample> samples;
    for (const Record& record : readSpool(spool))
        if (const auto* sample = std::get_if<Sample>(&record))
            samples.push_back(*sample);
    return samples;
}

} // namespace ringside::test
