// SPDX-License-Identifier: MIT
#include "tests/conductor/conductorfixture.h"

#include "core/spec/toml.h"
#include "tests/support/built.h"
#include "tests/support/lenetexperiment.h"
#include "tests/support/runningtime.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace ringside::test {

using namespace std::chrono_literals;

namespace {

constexpr auto kLimit = 60s;

std::optional<int> processId(const std::string& name)
{
    int pid = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), pid);
    return problem == std::errc() && end == name.data() + name.size() ? std::optional(pid) : std::nullopt;
}

} // namespace

void RecordingSink::experimentsChanged(const std::vector<std::string>& names)
{
    const std::lock_guard lock(mutex);
    experiments.insert(names.begin(), names.end());
    changed.notify_all();
}

void RecordingSink::runsChanged(const std::vector<store::RunRow>& changedRows)
{
    const std::lock_guard lock(mutex);
    for (const store::RunRow& row : changedRows)
        rows.insert_or_assign(row.id, row);
    changed.notify_all();
}

void RecordingSink::samplesArrived(const SampleBatch& batch)
{
    const std::lock_guard lock(mutex);
    for (const Sample& sample : batch.samples)
        samples.emplace(batch.run, batch.attempt, batch.rank, sample.seq);
    changed.notify_all();
}

void RecordingSink::logArrived(const LogText& text)
{
    const std::lock_guard lock(mutex);
    logs[text.run] += text.text;
    changed.notify_all();
}

void RecordingSink::siteChanged(const SiteStatus& status)
{
    const std::lock_guard lock(mutex);
    sites.push_back(status);
    changed.notify_all();
}

void RecordingSink::siteStepped(const SiteStep& step)
{
    const std::lock_guard lock(mutex);
    steps.push_back(step);
    changed.notify_all();
}

void RecordingSink::siteFound(const std::string&, const std::vector<SiteFact>& found)
{
    const std::lock_guard lock(mutex);
    facts = found;
    changed.notify_all();
}

void RecordingSink::problem(const Error& error)
{
    const std::lock_guard lock(mutex);
    problems.push_back(error);
    changed.notify_all();
}

bool RecordingSink::waitUntil(const std::function<bool()>& condition)
{
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, kLimit, condition);
}

ConductorFixture::ConductorFixture()
{
    fs::create_directories(root);
}

ConductorFixture::~ConductorFixture()
{
    // The runner first: it would start a further attempt.
    for (const char* part : {"ringside-agent\trun", "testworker"})
        for (const int pid : processes(part))
            ::kill(pid, SIGKILL);
    for (int tries = 0; tries < 100 && !processes("").empty(); ++tries)
        std::this_thread::sleep_for(20ms);
}

ConductorOptions ConductorFixture::options() const
{
    return {folder / "lab.db", root, builtProgram("ringside-agent"), testProgram("testworker"), {}, nullptr};
}

std::vector<int> ConductorFixture::processes(const std::string& part) const
{
    std::vector<int> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const auto pid = processId(entry.path().filename());
        if (!pid || *pid == ::getpid())
            continue;
        std::string command = readFile(entry.path() / "cmdline").value_or("");
        std::ranges::replace(command, '\0', '\t');
        if (command.find(folder.path().string()) != std::string::npos && command.find(part) != std::string::npos)
            found.push_back(*pid);
    }
    return found;
}

void ConductorFixture::waitForRunnersToEnd() const
{
    REQUIRE(eventually(std::chrono::minutes(2), [&] { return processes("run").empty(); }));
}

spec::Experiment experiment(const std::string& ranks, int repeats, int iterations)
{
    return must(spec::parseExperiment(lenetExperiment("kill", "ranks = " + ranks, repeats, iterations)));
}

} // namespace ringside::test
