// SPDX-License-Identifier: MIT
// Several builders of one worker, as processes: one builds, the others wait; a killed one is succeeded.
#include "core/protocol/layout.h"
#include "tests/builder/fakesite.h"

#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace ringside::builder;
using test::FakeSite;

namespace {

/// A builder in a process of its own.
class Builder
{
public:
    explicit Builder(const FakeSite& site)
        : m_log(site.root() / ("log-" + std::to_string(s_number++)))
        , m_pid(::fork())
    {
        if (m_pid == 0)
            buildAndExit(site.options());
    }
    Builder(const Builder&) = delete;
    Builder& operator=(const Builder&) = delete;
    ~Builder()
    {
        if (m_pid > 0) {
            kill();
            wait();
        }
    }

    void kill() const { ::kill(m_pid, SIGKILL); }
    /// True if it built, or found, a worker.
    bool wait()
    {
        int status = 0;
        ::waitpid(m_pid, &status, 0);
        m_pid = -1;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    /// Everything it reported so far.
    std::string told() const { return readFile(m_log).value_or(""); }
    bool eventuallyTells(const std::string& part) const
    {
        for (int i = 0; i < 400 && told().find(part) == std::string::npos; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return told().find(part) != std::string::npos;
    }
    pid_t pid() const { return m_pid; }

private:
    [[noreturn]] void buildAndExit(const BuildOptions& options) const
    {
        std::FILE* log = std::fopen(m_log.c_str(), "w");
        const auto built = build(options, [&](const Progress& progress) {
            fmt::print(log, "{}\n", lineOf(progress));
            std::fflush(log);
        });
        fmt::print(log, "{}\n", built ? "built" : built.error().text());
        std::fflush(log);
        ::_exit(built ? 0 : 1);
    }

    static inline int s_number = 0;
    fs::path m_log;
    pid_t m_pid;
};

} // namespace

TEST_CASE("of two builders one builds; the other waits, says for whom, and takes what was built")
{
    FakeSite site;
    site.holdBuilds();
    Builder first(site);
    REQUIRE(first.eventuallyTells("[1/2]")); // “compiler” is looked for before it has the claim
    Builder second(site);
    CHECK(second.eventuallyTells(fmt::format("Process {} on ", first.pid())));
    CHECK(second.eventuallyTells("builds this worker already: [1/2] Building"));
    site.letBuildsEnd();
    CHECK(first.wait());
    CHECK(second.wait());
    CHECK(site.compilations() == 1);
}

TEST_CASE("a waiting builder reports the failure of the other instead of repeating it")
{
    FakeSite site;
    site.program("cmake",
                 "[ \"$1\" = --version ] && { echo cmake version 3.25.1; exit; }\n[ \"$1\" = --build ] || exit 0\n"
                 "echo compiled >>\"$RINGSIDE_FAKE/compilations\"\necho '[1/2] a'\n"
                 "while [ -e \"$RINGSIDE_FAKE/held\" ]; do sleep 0.05; done\necho broken; exit 1");
    site.holdBuilds();
    Builder first(site);
    REQUIRE(first.eventuallyTells("[1/2]")); // “compiler” is looked for before it has the claim
    Builder second(site);
    REQUIRE_MESSAGE(second.eventuallyTells("wait"), second.told());
    site.letBuildsEnd();
    CHECK_FALSE(first.wait());
    CHECK_FALSE(second.wait());
    CHECK(second.told().find("broken") != std::string::npos);
    CHECK(site.compilations() == 1);
}

TEST_CASE("a builder that is killed is succeeded, and what it left goes")
{
    FakeSite site;
    ::setenv("RINGSIDE_FAKE_SECONDS", "600", 1);
    Builder killed(site);
    REQUIRE(killed.eventuallyTells("[1/2]"));
    killed.kill();
    killed.wait();
    ::setenv("RINGSIDE_FAKE_SECONDS", "0", 1);
    const auto built = site.build();
    REQUIRE_MESSAGE(built, (built ? "" : built.error().text()));
    CHECK(site.compilations() == 2);
    for (const auto& entry : fs::directory_iterator(built->program.parent_path()))
        CHECK_FALSE(entry.path().filename().string().starts_with("build-"));
}

TEST_CASE("of many builders at once all get the worker, whatever is killed between")
{
    FakeSite site;
    ::setenv("RINGSIDE_FAKE_SECONDS", "1", 1);
    std::vector<std::unique_ptr<Builder>> builders;
    for (int i = 0; i < 6; ++i)
        builders.push_back(std::make_unique<Builder>(site));
    REQUIRE(builders[0]->eventuallyTells(" "));
    builders[0]->kill();
    builders[0]->wait();
    for (int i = 1; i < 6; ++i) {
        CAPTURE(builders[static_cast<std::size_t>(i)]->told());
        CHECK(builders[static_cast<std::size_t>(i)]->wait());
    }
    CHECK(site.compilations() <= 2);
}
