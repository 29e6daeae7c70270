// SPDX-License-Identifier: MIT
#include "tests/cli/clifixture.h"

#include "core/base/environment.h"
#include "tests/support/built.h"
#include "tests/support/lenetexperiment.h"
#include "tests/support/runningtime.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ringside::test {

using namespace std::chrono_literals;

namespace {

constexpr auto kLimit = 90s;
constexpr auto kSayLimit = 30s;
constexpr auto kLook = 20ms;

void redirect(const fs::path& file, int to)
{
    ::dup2(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
}

} // namespace

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> result;
    for (std::string& text : texts)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> entries(const std::map<std::string, std::string>& environment)
{
    std::vector<std::string> texts;
    for (const auto& [name, value] : environment)
        texts.push_back(name + "=" + value);
    return texts;
}

Json Ended::json() const
{
    const Json value = Json::parse(out, nullptr, false);
    INFO("standard output: ", out, "\nstandard error: ", err);
    REQUIRE_FALSE(value.is_discarded());
    return value;
}

Program::Program(const Arguments& command, const std::map<std::string, std::string>& environment,
                 const fs::path& folder)
{
    static std::atomic<int> number = 0;
    const std::string name = std::to_string(++number);
    m_out = folder / (name + ".out");
    m_err = folder / (name + ".err");
    std::vector<std::string> texts = command, variables = entries(environment);
    const auto arguments = pointers(texts), values = pointers(variables);
    m_pid = ::fork();
    REQUIRE(m_pid >= 0);
    if (m_pid > 0)
        return;
    ::setpgid(0, 0); // a Ctrl+C is sent to it alone
    redirect("/dev/null", STDIN_FILENO);
    redirect(m_out, STDOUT_FILENO);
    redirect(m_err, STDERR_FILENO);
    ::execve(arguments.front(), arguments.data(), values.data());
    ::_exit(127);
}

Program::~Program()
{
    if (m_pid < 0)
        return;
    signal(SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
}

void Program::signal(int number) const
{
    ::kill(m_pid, number);
}

Ended Program::wait()
{
    const RunningTime time;
    int status = 0;
    while (::waitpid(m_pid, &status, WNOHANG) == 0) {
        if (time.elapsed() > kLimit)
            FAIL("it did not end: " << readFile(m_err).value_or(""));
        std::this_thread::sleep_for(kLook);
    }
    m_pid = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), readFile(m_out).value_or(""),
            readFile(m_err).value_or("")};
}

bool Program::waitToSay(const std::string& text) const
{
    const RunningTime time;
    while (readFile(m_err).value_or("").find(text) == std::string::npos) {
        if (time.elapsed() > kSayLimit)
            return false;
        std::this_thread::sleep_for(kLook);
    }
    return true;
}

std::size_t occurrences(const std::string& text, const std::string& part)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

std::string beginning(const fs::path& file)
{
    return readFile(file).value_or("").substr(0, 5);
}

CliFixture::CliFixture()
    : environment{{"PATH", ringside::environment("PATH")},
                  {"HOME", (folder / "home").string()},
                  {"XDG_DATA_HOME", (folder / "data").string()},
                  {"RINGSIDE_WORKER", testProgram("testworker")},
                  {"RINGSIDE_CANARY", "none"}}
{
    for (const char* name : {"home", "data", "output"})
        fs::create_directories(folder / name);
    for (const char* sanitizer : {"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
        if (const char* options = ringside::environment(sanitizer))
            environment[sanitizer] = options;
}

CliFixture::~CliFixture()
{
    // The runner goes first: it would start a further attempt. What it started dies with it.
    for (int tries = 0; tries < 100; ++tries) {
        const auto left = processes();
        if (left.empty())
            return;
        for (const pid_t pid : left)
            ::kill(pid, SIGKILL);
        std::this_thread::sleep_for(kLook);
    }
}

std::unique_ptr<Program> CliFixture::start(const Arguments& arguments) const
{
    Arguments command{program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return std::make_unique<Program>(command, environment, folder / "output");
}

std::string CliFixture::experiment(const std::string& name, const std::string& factors, int repeats, int iterations,
                                   const std::string& more) const
{
    return write(name + ".toml", lenetExperiment(name, factors, repeats, iterations, more));
}

std::string CliFixture::write(const std::string& name, const std::string& text) const
{
    const fs::path path = folder / name;
    REQUIRE(writeFileAtomically(path, text));
    return path.string();
}

std::size_t CliFixture::count(const std::string& experiment, const std::string& state) const
{
    const Ended listed = run({"runs", "--experiment", experiment, "--json"});
    if (listed.code != 0)
        return 0; // no store yet
    const Json runs = listed.json();
    return static_cast<std::size_t>(
        std::count_if(runs.begin(), runs.end(), [&](const Json& each) { return each["state"] == state; }));
}

bool CliFixture::hasRunnerEnded() const
{
    for (const auto& campaign : fs::directory_iterator(folder / "data/ringside/campaigns"))
        if (readFile(campaign.path() / "journal").value_or("").find("\"runner_ended\"") != std::string::npos)
            return true;
    return false;
}

std::vector<pid_t> CliFixture::processes() const
{
    const std::string text = folder.path().string();
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const int pid = std::atoi(entry.path().filename().c_str());
        if (pid > 0 && pid != ::getpid() && readFile(entry.path() / "cmdline").value_or("").find(text) != text.npos)
            found.push_back(pid);
    }
    return found;
}

} // namespace ringside::test
