// SPDX-License-Identifier: MIT
// The quoting, tried on the shells that this machine has.
#include "core/base/shellquote.h"
#include "core/base/files.h"
#include "tests/support/temporaryfolder.h"

#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringside;

namespace {

/// Returns one quoted word as a shell reads it: printf's only argument, byte by byte. `script` is read as a file.
std::string readBack(const char* shell, const std::string& word, const fs::path& script)
{
    REQUIRE(writeFileAtomically(script, "/usr/bin/printf %s " + shellQuote(word) + "\n"));
    const std::string command = std::string(shell) + " " + script.string();
    FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe);
    std::string answer;
    for (int c; (c = std::fgetc(pipe)) != EOF;)
        answer += static_cast<char>(c);
    ::pclose(pipe);
    return answer;
}

bool isInstalled(const std::string& shell)
{
    return ::access(("/usr/bin/" + shell).c_str(), X_OK) == 0 || ::access(("/bin/" + shell).c_str(), X_OK) == 0;
}

std::vector<std::string> nastyWords()
{
    std::vector<std::string> words = {"",        "plain", "two words", "it's", "\"",    "$HOME", "`id`", "$(id)", "!",
                                      "!!",      "a!b",   "\\",        "\\\\", "a\\'b", "~",     "*",    "?",     "[a]",
                                      "{a,b}",   ";ls",   "&",         "|",    ">x",    "#c",    "%1",   "=ls",   "-n",
                                      "ünïcødé", "\t",    "'",         "''",   "^",     "a=b"};
    std::mt19937 random(3);
    const std::string alphabet = "ab '\"\\$`!*?[]{}()<>|&;#~=%^\t-";
    for (int i = 0; i < 40; ++i) {
        std::string word;
        for (std::size_t length = random() % 12; word.size() < length;)
            word += alphabet[random() % alphabet.size()];
        words.push_back(word);
    }
    return words;
}

} // namespace

TEST_CASE("a quoted word reaches a program unchanged, whatever the shell")
{
    test::TemporaryFolder folder;
    for (const char* shell : {"sh", "dash", "bash", "zsh", "fish", "tcsh"}) {
        if (!isInstalled(shell)) {
            MESSAGE("skipped ", std::string(shell), ": not installed");
            continue;
        }
        CAPTURE(shell);
        for (const auto& word : nastyWords())
            CHECK(readBack(shell, word, folder / "script") == word);
    }
    CHECK(readBack("sh", "two\nlines", folder / "script") == "two\nlines");
}

TEST_CASE("plain words stay readable, and nothing can hold a NUL")
{
    CHECK(shellQuote("/usr/bin/env") == "/usr/bin/env");
    CHECK(shellQuote("a b") == "'a b'");
    CHECK(shellQuote(std::string("a\0b", 3)) == "'ab'");
}
