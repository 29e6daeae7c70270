// SPDX-License-Identifier: MIT
// Installations that fetch nothing: the interpreter and its module are there, or are not. Those by pip are tests/cli's.
#include "agent/engines/install.h"
#include "core/base/findprogram.h"
#include "tests/support/searchpath.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::engines;
using namespace ringside::test;

namespace {

constexpr const char* kPython = "/usr/bin/python3";

struct InstallFixture
{
    InstallFixture() { fs::current_path(folder.path()); }
    ~InstallFixture() { fs::current_path(before); }

    Result<InstalledEngine> installed(const std::string& python, const std::string& module = {}) const
    {
        Installation installation;
        installation.module = module;
        return install({root, "mine", installation, python}, builder::Deadline::in(std::chrono::minutes(5)),
                       [](const builder::Progress&) {});
    }

    fs::path before = fs::current_path();
    TemporaryFolder folder;
    fs::path root = folder / "root";
};

} // namespace

TEST_CASE_FIXTURE(InstallFixture, "a module that lies in the current folder is not the interpreter's")
{
    fs::create_directories(folder / "tinyclone");
    REQUIRE(writeFileAtomically(folder / "tinyclone/__init__.py", "__version__ = '1.9.1'\n"));
    const auto engine = installed(kPython, "tinyclone");
    REQUIRE_FALSE(engine);
    CHECK(engine.error().message.find("No module named 'tinyclone'") != std::string::npos);
    CHECK(installedEngines(root).empty());
    const auto own = installed(kPython, "json");
    REQUIRE(own);
    CHECK(own->version == "2.0.9");
}

TEST_CASE_FIXTURE(InstallFixture, "an interpreter is kept by its absolute path, and a relative path is refused")
{
    fs::create_directories(folder / "programs");
    fs::create_symlink(kPython, folder / "programs/python-of-path");
    {
        const SearchPath relative("programs:/usr/bin:/bin");
        const auto named = installed("python-of-path");
        REQUIRE_MESSAGE(named, named.error().text());
        CHECK(named->python == (folder / "programs/python-of-path").string());
    }
    fs::current_path("/");
    CHECK_FALSE(installedEngines(root).at("mine").isGone);
    fs::current_path(folder.path());
    const auto relative = installed("programs/python-of-path");
    REQUIRE_FALSE(relative);
    CHECK(relative.error().code == ErrorCode::usage);
    CHECK(relative.error().message == "programs/python-of-path is not an absolute path.");
    const auto absent = installed("python-of-nowhere");
    REQUIRE_FALSE(absent);
    CHECK(absent.error().message == "There is no python-of-nowhere in PATH here.");
}
