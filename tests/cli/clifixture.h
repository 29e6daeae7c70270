// SPDX-License-Identifier: MIT
// ringside-cli as a process, in a home of its own.
#pragma once

#include "tests/support/built.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ringside::test {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

/// As execve wants them, with a null pointer behind the last; they point into `texts`.
std::vector<char*> pointers(std::vector<std::string>& texts);
/// "NAME=value" of each.
std::vector<std::string> entries(const std::map<std::string, std::string>& environment);

/// Output and exit code of a program that has ended.
struct Ended
{
    int code = -1; ///< 128 + signal after a death by signal
    std::string out;
    std::string err;

    /// Standard output, which has to be one JSON text.
    Json json() const;
    bool says(const std::string& text) const { return err.find(text) != std::string::npos; }
};

/// A started program; killed with this object if it still runs.
class Program
{
public:
    /// `folder` takes its output.
    Program(const Arguments& command, const std::map<std::string, std::string>& environment, const fs::path& folder);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void signal(int number) const;
    /// Fails the test after 90 s in which the machine had time for it (RunningTime).
    Ended wait();
    /// True once standard error has `text`; false after 30 s.
    bool waitToSay(const std::string& text) const;

private:
    pid_t m_pid = -1;
    fs::path m_out, m_err;
};

std::size_t occurrences(const std::string& text, const std::string& part);
/// The first bytes of a file: of which kind it is.
std::string beginning(const fs::path& file);

struct CliFixture
{
    CliFixture();
    /// Ends what still runs in the folder.
    ~CliFixture();

    std::unique_ptr<Program> start(const Arguments& arguments) const;
    Ended run(const Arguments& arguments) const { return start(arguments)->wait(); }
    /// Writes an experiment of lenet runs; `more` is TOML after [fixed].
    std::string experiment(const std::string& name, const std::string& factors, int repeats, int iterations,
                           const std::string& more = "[base]\nranks = 1\n") const;
    /// One configuration on 1 rank, one on 2; `repeats` runs of each.
    std::string pair(int repeats) const { return experiment("pair", "ranks = [1, 2]", repeats, 8); }
    /// A file in the folder; its path.
    std::string write(const std::string& name, const std::string& text) const;
    /// Runs of an experiment as `runs --json` shows them, with this state; 0 before there is a store.
    std::size_t count(const std::string& experiment, const std::string& state) const;
    /// True once the runner of a campaign on this computer has written its last line.
    bool hasRunnerEnded() const;
    /// Those whose command names the folder.
    std::vector<pid_t> processes() const;

    TemporaryFolder folder;
    std::map<std::string, std::string> environment;
    std::string program = builtProgram("ringside-cli");
};

} // namespace ringside::test
