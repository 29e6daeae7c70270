// SPDX-License-Identifier: MIT
#include "agent/builder/modules.h"
#include "agent/builder/process.h"
#include "agent/builder/report.h"
#include "agent/builder/resources.h"
#include "agent/builder/workerbuild.h"
#include "core/base/sha256.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

using namespace ringside;
using namespace ringside::builder;

TEST_CASE("a line of progress is read as it was written, and other lines are none")
{
    const Progress progress{"compile", 42, "[3/60] Building a b.cpp"};
    CHECK(progressOf(lineOf(progress)) == progress);
    CHECK(progressOf(lineOf({"torch", 3, "two\nlines"})) == Progress{"torch", 3, "two lines"});
    for (const char* line : {"", "compile", "compile 42", "compile x text", "compile 101 text", "compile -1 text"})
        CHECK_FALSE(progressOf(line));
}

TEST_CASE("an error survives the way through a file")
{
    const Error error{ErrorCode::noSpace, "Voll: «/home»\n\"x\"", "Free some."};
    const Error read = errorFromJson(errorToJson(error));
    CHECK(read.code == error.code);
    CHECK(read.message == error.message);
    CHECK(read.hint == error.hint);
    CHECK(errorFromJson("no json").message == "no json");
    CHECK(errorFromJson("{\"code\": 999}").code == ErrorCode::internal);
}

TEST_CASE("ninja's and make's counters are read")
{
    CHECK(compilePercent("[0/60] Building") == 10);
    CHECK(compilePercent("[60/60] Linking") == 95);
    CHECK(compilePercent("[ 50%] Building CXX object") == 52);
    CHECK(compilePercent("[100%] Built target") == 95);
    for (const char* line : {"", "[", "[x/2] a", "[1] a", "[1/", "warning: [1/2]", "[3/0] a"})
        CHECK(compilePercent(line).value_or(10) == 10);
}

TEST_CASE("as many compilers as cores and memory allow, at least one")
{
    CHECK(jobsFor(2, 64'000'000'000) == 2);
    CHECK(jobsFor(64, 4'000'000'000) == 2);
    CHECK(jobsFor(64, 500'000'000) == 1);
    CHECK(jobsFor(64, ~std::uint64_t{0}) == kMaxJobs);
    CHECK(jobsFor(0, 0) == 1);
    CHECK(usableCores() >= 1);
}

TEST_CASE("names of modules are names, and nothing that a shell reads")
{
    CHECK(isModuleName("gcc/12.3.0-x86_64+cuda@mpi"));
    for (const char* name : {"", "-x", "a b", "a;b", "$(a)", "a`b`", "a\nb", "ä", "a'b", "a|b", "a&b", "a*"})
        CHECK_FALSE(isModuleName(name));
}

TEST_CASE("of the environment with modules is known what the modules set, not what the profile of a login shell does")
{
    const test::TemporaryFolder home;
    std::ofstream(home / ".bash_profile")
        << "export RINGSIDE_PROFILE=secret RINGSIDE_PATH=/usr\n"
           "module() { [ \"$2\" = tools ] || { echo no $2 >&2; return 1; }\n"
           "  export RINGSIDE_TOOLS=$'two\\nlines' RINGSIDE_PATH=/tools:$RINGSIDE_PATH; }\n";
    const std::string before = std::getenv("HOME");
    setenv("HOME", home.path().c_str(), 1);
    const auto loaded = loadModules({"tools"}, Deadline::in(std::chrono::seconds(60)));
    const auto missing = loadModules({"others"}, Deadline::in(std::chrono::seconds(60)));
    setenv("HOME", before.c_str(), 1);
    REQUIRE_MESSAGE(loaded, loaded.error().text());
    CHECK(*loaded == Variables{{"RINGSIDE_TOOLS", "two\nlines"}, {"RINGSIDE_PATH", "/tools:/usr"}});
    CHECK(std::getenv("RINGSIDE_PROFILE") == std::string("secret")); // a build runs in all of it
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message.find("no others") != std::string::npos);
    CHECK(missing.error().message.find("secret") == std::string::npos);
    for (const char* name : {"RINGSIDE_TOOLS", "RINGSIDE_PATH", "RINGSIDE_PROFILE"})
        unsetenv(name);
}

TEST_CASE("what a build runs has none of the files that are open here")
{
    const int open = ::open("/dev/null", O_RDONLY);
    const int inherited = ::fcntl(open, F_DUPFD, 200);
    const auto ended =
        run({"sh", "-c", "test -e /proc/self/fd/0 && ! test -e /proc/self/fd/$1", "sh", std::to_string(inherited)},
            Deadline::in(std::chrono::seconds(60)));
    ::close(inherited);
    ::close(open);
    REQUIRE(ended);
    CHECK(ended->good());
}

TEST_CASE("SHA-256 gives the values of FIPS 180-4, in pieces, too")
{
    CHECK(sha256Of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256Of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256Of(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    Sha256 hash;
    for (int i = 0; i < 1000; ++i)
        hash.add(std::string(static_cast<std::size_t>(i), 'a').substr(0, 1000));
    CHECK(hash.hex() == sha256Of(std::string(499'500, 'a')));
}
