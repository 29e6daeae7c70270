// SPDX-License-Identifier: MIT
// Recorded answers of sites. Faults that can be made on this computer are in test_faults.cpp.
#include "core/remote/deployment/survey.h"
#include "core/remote/localhost.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::deployment;

namespace {

constexpr const char* kArm = "os Linux\narch aarch64\nshell /bin/tcsh\nhome /home/kim\n"
                             "space nfs server:/export home 1000 400 600 40% /home\n"
                             "files nfs server:/export home 5000 1000 4000 20% /home\n"
                             "candidate /scratch/kim\ncandidate /scratch/kim\n";

/// A host whose shell answers every script with these lines behind its mark.
class Recorded : public Host
{
public:
    explicit Recorded(std::string lines)
        : m_lines(std::move(lines))
    {
    }
    std::string name() const override { return "login1"; }
    Result<std::unique_ptr<Channel>> start(const CommandLine&) override
    {
        return LocalHost().start(
            {{"sh", "-c", R"(read -r first; eval "$first"; printf '%s\n%s' "$mark" "$1"; cat >/dev/null)", "sh",
              m_lines}});
    }

private:
    std::string m_lines;
};

Survey surveyOf(const std::string& lines)
{
    Recorded host(lines);
    const auto found = survey(host, {".ringside", ""});
    REQUIRE_MESSAGE(found, found.error().text());
    return *found;
}

Error errorOf(const std::string& lines, std::uint64_t bytes = 4'000'000)
{
    const auto error = hindrance(surveyOf(lines), ".ringside", "login1", bytes);
    REQUIRE(error);
    return *error;
}

bool says(const Error& error, const std::string& part)
{
    return error.text().find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a survey is read whatever its devices are called")
{
    const Survey survey = surveyOf(kArm);
    CHECK(survey.system() == "linux-aarch64");
    CHECK(survey.freeBytes == 600u * 1024);
    CHECK(survey.freeFiles == 4000u);
    CHECK(survey.mount == "/home");
    CHECK(survey.candidates == std::vector<std::string>{"/scratch/kim"});
    CHECK(surveyOf("os Linux\narch amd64\n").system() == "linux-x86_64");
}

TEST_CASE("what is missing or odd in a survey is left out, and stops nothing")
{
    for (const char* lines : {"", "\n\n", "space", "space - - - - -\nfiles a b c", "files dev 0 0 0 - /mnt\n"}) {
        const Survey survey = surveyOf(lines);
        CHECK_FALSE(survey.freeBytes);
        CHECK_FALSE(survey.freeFiles);
        CHECK_FALSE(hindrance(survey, ".ringside", "login1", 4'000'000));
    }
    CHECK(surveyOf("home \x1b[31mred\n").home.find('\x1b') == std::string::npos);
}

TEST_CASE("each hindrance is told apart, with what to do")
{
    const std::string full = "obstacle mkdir: cannot create directory 'x': No space left on device\n";
    CHECK(says(errorOf(full), "is full"));
    CHECK(says(errorOf(full + "files dev 1000 1000 0 100% /home\n"), "inodes"));
    CHECK(says(errorOf("obstacle mkdir: cannot create directory 'x': Disk quota exceeded\n"), "quota"));
    CHECK(says(errorOf("obstacle sh: 9: cannot create x: Read-only file system\n"), "read-only"));
    CHECK(says(errorOf("obstacle mkdir: cannot create directory 'x': Permission denied\n"), "may not write"));
    CHECK(says(errorOf("obstacle mkdir: cannot create directory 'x': Not a directory\n"), "Not a directory"));
    CHECK(says(errorOf("no_execution sh: x: Permission denied\nspace d 9 9 9 9% /home\n"),
               "Its file system, /home, is mounted noexec"));
    CHECK(says(errorOf("space dev 9000 8000 1000 89% /home\n"), "1.02 MB of free space; 4.00 MB are needed"));
    for (const char* lines : {"obstacle a: Disk quota exceeded\n", "no_execution b\n", "space d 9 9 9 9% /h\n"}) {
        CHECK(says(errorOf(lines), "Set the site's root"));
        CHECK(says(errorOf(std::string(lines) + "candidate /scratch/kim\n"), "/scratch/kim/ringside"));
    }
}
