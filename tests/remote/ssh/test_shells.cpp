// SPDX-License-Identifier: MIT
// Words that are quoted for a login shell reach the program unchanged: tried on real login shells behind a real sshd.
#include "core/remote/ssh/shellline.h"
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/built.h"

#include <fstream>
#include <random>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

namespace {

std::vector<std::string> installedShells()
{
    std::vector<std::string> shells;
    for (const char* name : {"sh", "bash", "dash", "zsh", "fish", "tcsh", "rbash"}) {
        if (::access((std::string("/bin/") + name).c_str(), X_OK) == 0)
            shells.push_back(name);
        else
            MESSAGE("skipped ", std::string(name), ": not installed");
    }
    return shells;
}

std::vector<std::string> nastyWords(unsigned seed)
{
    std::vector<std::string> words = {
        "",         "plain",  "two words",   "it's",       "\"",     "$HOME",   "`id`",      "$(id)",    "!",
        "!!",       "a!b",    "\\",          "\\\\",       "a\\'b",  "~",       "~root",     "*",        "?",
        "[a]",      "{a,b}",  ";ls",         "&",          "|",      ">x",      "<x",        "#c",       "%1",
        "=ls",      "-n",     "--",          "ünïcødé",    "日本語", "\t",      "'",         "''",       "^",
        "a=b",      "\r",     "\x01\x1b[1m", "two\nlines", "\n",     "end\n\n", "\\n\n\\\\", "$'\\n'\n", "%b%s\n%n",
        "\xff\xfe", "a\\\nb", "(x)",         "@"};
    words.push_back(std::string(10'000, '\''));
    std::mt19937 random(seed);
    const std::string alphabet = "ab '\"\\$`!*?[]{}()<>|&;#~=%^\t\n-@";
    for (int i = 0; i < 60; ++i) {
        std::string word;
        for (std::size_t length = random() % 12; word.size() < length;)
            word += alphabet[random() % alphabet.size()];
        words.push_back(word);
    }
    return words;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += word + '\0';
    return text;
}

} // namespace

TEST_CASE("every word reaches a program unchanged, whatever the login shell, and nothing is executed")
{
    SshdOptions options;
    options.shells = installedShells();
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    for (const std::string& shell : options.shells) {
        CAPTURE(shell);
        SshAddress address = sshd.address();
        address.target.user = shell + "-user";
        SshHost host(address);
        REQUIRE(textOf(host.connect(nullptr)) == "");
        for (unsigned seed = 1; seed <= 5; ++seed) {
            const auto words = nastyWords(seed);
            std::vector<std::string> command = {"env", "printf", "%s\\0"};
            command.insert(command.end(), words.begin(), words.end());
            CHECK(run(host, command).output == joined(words));
        }
        CHECK(run(host, {"sh", "-c", "exit 9"}).exitCode == 9);
    }
    CHECK_FALSE(fs::exists(sshd.file("home/x"))); // from ">x"
}

TEST_CASE("a shell that prints while it starts, and one that forbids paths, do not confuse")
{
    SshdOptions options;
    options.shells = {"bash", "rbash"};
    options.config = "Banner " + sourceFolder().string() + "/LICENSE";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    std::ofstream(sshd.file("home/.bashrc")) << "echo Welcome to alder; echo Quota: 99 % >&2\n";
    SshAddress address = sshd.address();
    address.target.user = "bash-user";
    SshHost host(address);
    REQUIRE(textOf(host.connect(nullptr)) == "");
    const Outcome outcome = run(host, {"echo", "text"});
    CHECK(outcome.output.ends_with("text\n"));
    CHECK(outcome.exitCode == 0);

    address.target.user = "rbash-user";
    SshHost restricted(address);
    const Outcome refused = run(restricted, {"/bin/echo", "text"});
    CHECK(refused.exitCode != 0);
    CHECK(refused.errors.find("restricted") != std::string::npos);
}

TEST_CASE("newlines go through printf, and the line stays one line")
{
    const auto line = ssh::shellLine({{"echo", "a\nb"}});
    REQUIRE(line);
    CHECK(line->find('\n') == std::string::npos);
    CHECK(ssh::shellLine({{"/usr/bin/env", "a b"}}) == "/usr/bin/env 'a b'");
    CHECK(ssh::shellLine({{"a\nb", std::string(140'000, 'x')}}).error().code == ErrorCode::usage);
}
