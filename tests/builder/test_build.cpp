// SPDX-License-Identifier: MIT
#include "core/protocol/layout.h"
#include "tests/builder/fakesite.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

using namespace ringside;
using namespace ringside::builder;
using test::FakeSite;

namespace {

std::string messageOf(const Result<BuiltWorker>& built)
{
    return built ? "it was built" : built.error().text();
}

bool says(const Result<BuiltWorker>& built, const std::string& part)
{
    return messageOf(built).find(part) != std::string::npos;
}

/// Returns the names in the worker's folder, sorted, as one text.
std::string contentsOf(const fs::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return fmt::format("{}", fmt::join(names, " "));
}

/// Returns whether there is a “sleep” of so many seconds.
bool isRunning(const std::string& seconds)
{
    for (const auto& entry : fs::directory_iterator("/proc"))
        if (const auto line = readFile(entry.path() / "cmdline"))
            if (line->find(std::string("sleep\0", 6) + seconds) != std::string::npos)
                return true;
    return false;
}

} // namespace

TEST_CASE("a worker is built once, proven, and used again")
{
    FakeSite site;
    const auto first = site.build();
    REQUIRE_MESSAGE(first, messageOf(first));
    CHECK(first->features.find("format") != std::string::npos);
    CHECK(first->program == layout::workerProgram(layout::workerFolder(site.root(), first->key)));
    CHECK(contentsOf(first->program.parent_path()) ==
          "build.log progress ringside-gpuload ringside-worker worker.json");
    CHECK(site.told == std::vector<std::string>{"tools 1", "torch 2", "torch 3", "unpack 5", "configure 7",
                                                "compile 10", "compile 52", "compile 95", "prove 96"});
    const auto json = nlohmann::json::parse(*readFile(layout::workerFile(first->program.parent_path())));
    CHECK(json.at("key") == first->key);
    CHECK(json.at("from").at("compiler") == "12.2.0");
    CHECK(json.at("from").at("torch") == "2.11.0");
    CHECK(json.at("features").at("format") == 1);

    const auto second = site.build();
    REQUIRE_MESSAGE(second, messageOf(second));
    CHECK(second->key == first->key);
    CHECK(site.compilations() == 1);
    CHECK(site.told == std::vector<std::string>{"tools 1", "torch 2"});
}

TEST_CASE("the CUDA plug-ins come to lie beside the worker, where there are some")
{
    FakeSite site;
    site.haveCuda();
    const auto built = site.build();
    REQUIRE_MESSAGE(built, messageOf(built));
    CHECK(contentsOf(built->program.parent_path()) ==
          "build.log progress ringside-gpuload ringside-worker ringside-worker-cuda.so "
          "ringside-worker-cudagraph.so worker.json");
}

TEST_CASE("whatever a worker is built from makes another one")
{
    FakeSite site;
    std::set<std::string> keys;
    const auto add = [&](const Result<BuiltWorker>& built) {
        REQUIRE_MESSAGE(built, messageOf(built));
        keys.insert(built->key);
    };
    add(site.build());
    auto options = site.options();
    std::ofstream(options.source, std::ios::app) << "another line";
    add(site.build(options));
    site.makeTorch(site.root() / "other", "2.11.0");
    options.torch = (site.root() / "other").string();
    add(site.build(options));
    site.makeTorch(site.root() / "other", "2.10.0");
    add(site.build(options));
    site.program("mpicc", "exit 0");
    site.program("mpirun", "echo 'mpirun (Open MPI) 4.1.4'");
    add(site.build(options));
    site.program("mpirun", "echo 'mpirun (Open MPI) 5.0.0'");
    add(site.build(options));
    site.program("nvcc", "exit 0");
    add(site.build(options));
    CHECK(keys.size() == 7);
    CHECK(site.compilations() == 7);
}

TEST_CASE("a worker that no longer runs is built anew")
{
    FakeSite site;
    const auto first = site.build();
    REQUIRE_MESSAGE(first, messageOf(first));
    std::ofstream(first->program) << "#!/bin/sh\nexit 127\n"; // its torch has gone
    const auto second = site.build();
    REQUIRE_MESSAGE(second, messageOf(second));
    CHECK(site.compilations() == 2);
}

TEST_CASE("a build that fails ends with the log, leaves no worker and no folders, and is begun anew")
{
    FakeSite site;
    const std::string good = *readFile(site.bin() / "cmake");
    const auto failing = [&](const std::string& script) {
        site.program("cmake", "[ \"$1\" = --version ] && { echo cmake version 3.25.1; exit; }\n[ \"$1\" = --build ] || "
                              "exit 0\n" +
                                  script + "\nexit 2");
        return site.build();
    };
    const auto plain = failing("echo 'a.cpp:3: error: no such thing'");
    CHECK(says(plain, "The worker could not be compiled (log: "));
    CHECK(says(plain, "a.cpp:3: error: no such thing"));
    CHECK(plain.error().code == ErrorCode::unavailable);
    CHECK(failing("echo 'fatal error: writing to a.o: No space left on device'").error().code == ErrorCode::noSpace);
    CHECK(says(failing("echo 'g++: fatal error: Killed signal terminated program cc1plus'"), "ran out of memory"));
    CHECK(says(failing("printf '\\033[31mred\\000'"), "red"));
    for (const auto& entry : fs::directory_iterator(layout::workersFolder(site.root())))
        CHECK(contentsOf(entry.path()) == "build.log failure progress");
    site.program("cmake", good.substr(good.find('\n') + 1));
    CHECK_MESSAGE(site.build(), "after a failure");
}

TEST_CASE("a worker that compiles and does not run is none")
{
    FakeSite site;
    site.program("cmake",
                 "[ \"$1\" = --version ] && { echo cmake version 3.25.1; exit; }\n[ \"$1\" = --build ] || exit 0\n"
                 "mkdir -p build/bin\nprintf '#!/bin/sh\\necho boom; exit 3\\n' >build/bin/ringside-worker\n"
                 "chmod 755 build/bin/ringside-worker");
    const auto built = site.build();
    CHECK(says(built, "does not run here (exit code 3): boom"));
    CHECK_FALSE(site.build());
}

TEST_CASE("a build has a limit, and what it started ends with it")
{
    FakeSite site;
    site.program("cmake",
                 "[ \"$1\" = --version ] && { echo cmake version 3.25.1; exit; }\n[ \"$1\" = --build ] || exit 0\n"
                 "sleep 987654");
    auto options = site.options();
    options.limit = std::chrono::seconds(2);
    const auto built = site.build(options);
    CHECK(built.error().code == ErrorCode::timeout);
    for (int i = 0; i < 100 && isRunning("987654"); ++i) // killed, it may still be ending
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK_FALSE(isRunning("987654"));
}
