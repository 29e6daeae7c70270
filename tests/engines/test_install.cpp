// SPDX-License-Identifier: MIT
// Installations that fetch nothing, or not from elsewhere. Whole ones by pip are tests/cli's.
#include "agent/engines/install.h"
#include "agent/runner/folderclaim.h"
#include "agent/runner/lease.h"
#include "core/base/environment.h"
#include "core/base/findprogram.h"
#include "core/protocol/layout.h"
#include "tests/support/refusedcall.h"
#include "tests/support/searchpath.h"
#include "tests/support/temporaryfolder.h"
#include "tests/support/tinypackage.h"

#include <doctest/doctest.h>
#include <thread>

using namespace ringside;
using namespace ringside::engines;
using namespace ringside::test;

namespace {

constexpr const char* kPython = "/usr/bin/python3";

struct InstallFixture
{
    InstallFixture() { fs::current_path(folder.path()); }
    ~InstallFixture() { fs::current_path(before); }

    Result<InstalledEngine> installed(
        const std::string& python, const std::string& module = {},
        const builder::Report& report = [](const builder::Progress&) {}) const
    {
        Installation installation;
        installation.module = module;
        return install({root, "mine", installation, python}, builder::Deadline::in(std::chrono::minutes(5)), report);
    }

    /// The lease of an installation by another host.
    fs::path leaseOfOther() const
    {
        REQUIRE(makePrivateFolder(place));
        const fs::path leases = runner::FolderClaim::leasesOf(place);
        REQUIRE(makePrivateFolder(leases));
        auto other = runner::thisOwner();
        REQUIRE(other);
        other->process.host = "another-host";
        other->process.bootId = "another";
        const auto number = runner::claimLease(leases, *other);
        REQUIRE(number);
        return layout::leaseFolder(leases, *number);
    }

    /// Returns the result of an installation that waits for another one, which `end` ends once the wait is noticed.
    template <class End> Result<InstalledEngine> waited(End end) const
    {
        const fs::path other = leaseOfOther();
        const auto report = [&](const builder::Progress& progress) {
            if (progress.phase == "wait" && fs::exists(other))
                end(), runner::releaseLease(other);
        };
        return installed(kPython, "json", report);
    }

    fs::path write(const char* name) const
    {
        REQUIRE(writeFileAtomically(folder / name, ""));
        return folder / name;
    }

    fs::path before = fs::current_path();
    TemporaryFolder folder;
    fs::path root = folder / "root";
    fs::path place = root / "engines/mine";
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

TEST_CASE_FIXTURE(InstallFixture, "an interpreter that is not there, or is none, is named")
{
    Installation installation;
    installation.packages = {"tinysystem"};
    const auto refusal = [&](const std::string& python) {
        return install({root, "mine", installation, python}, builder::Deadline::in(std::chrono::minutes(5)),
                       [](const builder::Progress&) {})
            .error();
    };
    CHECK(refusal("/nope/python").message == "/nope/python is not there.");
    CHECK(refusal("/bin/ls").message == "/bin/ls is no Python: it does not answer --version.");
    CHECK(refusal("/bin/ls").hint == "Write the path of one that is: --python FILE.");
}

TEST_CASE_FIXTURE(InstallFixture,
                  "an order to end is one to the installations that wait, too, and to none that comes later")
{
    const auto cancelled = waited([&] { CHECK(cancelInstallation(root, "mine")); });
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().code == ErrorCode::cancelled);
    CHECK(installedEngines(root).empty());
    CHECK(installed(kPython, "json"));
}

TEST_CASE_FIXTURE(InstallFixture,
                  "an installation does not go on in place of one that left nothing, but after one that did")
{
    const auto ended = waited([&] { fs::remove_all(place); });
    REQUIRE_FALSE(ended);
    CHECK(ended.error().code == ErrorCode::cancelled);
    CHECK_FALSE(fs::exists(place));
    const auto after = waited([] {});
    REQUIRE_MESSAGE(after, after.error().text());
    CHECK_FALSE(fs::exists(place / "tmp"));
}

TEST_CASE_FIXTURE(InstallFixture, "where the file system has no locks one at a time is installed, and can be cancelled")
{
    const fs::path other = leaseOfOther();
    bool isRefused = false, waits = false;
    std::optional<ErrorCode> cancelled;
    std::thread([&] {
        isRefused = refuseSystemCall(SYS_flock, ENOSYS);
        const auto report = [&](const builder::Progress& progress) {
            if (progress.phase == "wait" && !std::exchange(waits, true) && !cancelInstallation(root, "mine"))
                runner::releaseLease(other); // it would wait for minutes
        };
        const auto engine = installed(kPython, "json", report);
        cancelled = engine ? std::nullopt : std::optional(engine.error().code);
    }).join();
    if (!isRefused) {
        MESSAGE("skipped: no filter for system calls can be set here");
        return;
    }
    CHECK(waits);
    CHECK(cancelled == ErrorCode::cancelled);
    CHECK(fs::exists(other));
    CHECK(installedEngines(root).empty());
}

TEST_CASE_FIXTURE(InstallFixture, "an installation that fills the disk can be cancelled")
{
    leaseOfOther();
    bool isRefused = false, isOrdered = false;
    std::thread([&] {
        isRefused = refuseSystemCall(SYS_write, ENOSPC);
        isOrdered = cancelInstallation(root, "mine").has_value();
    }).join();
    if (!isRefused) {
        MESSAGE("skipped: no filter for system calls can be set here");
        return;
    }
    CHECK(isOrdered);
    CHECK(fs::exists(place / "cancel"));
}

TEST_CASE_FIXTURE(InstallFixture, "a process that only looks at a system is not taken for an installation")
{
    REQUIRE(makePrivateFolder(place));
    auto claim = runner::FolderClaim::take(place);
    REQUIRE(claim);
    std::thread looks([&] {
        const auto ending = std::move(*claim);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    const auto cancelled = cancelInstallation(root, "mine");
    looks.join();
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().code == ErrorCode::notFound);
    CHECK_FALSE(fs::exists(place / "cancel"));
}

TEST_CASE_FIXTURE(InstallFixture, "an installation by a host that gives no sign of life counts as ended")
{
    fs::last_write_time(runner::ownerFile(leaseOfOther()), fs::file_time_type::clock::now() - std::chrono::hours(1));
    CHECK(cancelInstallation(root, "mine").error().code == ErrorCode::notFound);
    bool waits = false;
    CHECK(installed(kPython, "json", [&](const builder::Progress& progress) { waits |= progress.phase == "wait"; }));
    CHECK_FALSE(waits);
}

namespace {

/// Those by pip, from a folder.
struct PackageFixture : InstallFixture
{
    PackageFixture()
    {
        installation.packages = {"tinysystem==1.4.0"};
        installation.module = "tinysystem";
    }
    /// The process that installs has them for itself.
    ~PackageFixture()
    {
        for (const char* name : {"TMPDIR", "PIP_CACHE_DIR", "XDG_CACHE_HOME"})
            unsetenv(name);
        if (temporary)
            setenv("TMPDIR", temporary->c_str(), 1);
    }

    Result<InstalledEngine> installed(const Installation& wanted, const builder::Report& report = kSilent) const
    {
        return install({root, "mine", wanted, {}, wheels.string()}, builder::Deadline::in(std::chrono::minutes(5)),
                       report);
    }

    static inline const builder::Report kSilent = [](const builder::Progress&) {};
    std::optional<std::string> temporary = environment("TMPDIR") ? std::optional(environment("TMPDIR")) : std::nullopt;
    fs::path wheels = folder / "wheels";
    Installation installation;
};

} // namespace

TEST_CASE_FIXTURE(PackageFixture, "an installation that lost its folder to another process, as after a pause, ends")
{
    fs::create_directories(wheels);
    const auto engine = installed(installation, [&](const builder::Progress&) {
        REQUIRE(makePrivateFolder(layout::leaseFolder(runner::FolderClaim::leasesOf(place), 2)));
    });
    REQUIRE_FALSE(engine);
    CHECK(engine.error().code == ErrorCode::busy);
    CHECK_MESSAGE(engine.error().message.starts_with("Another process installs mine now"), engine.error().text());
    CHECK(fs::exists(place / "tmp")); // the other's by now
    CHECK_FALSE(fs::exists(place / "engine.json"));
}

TEST_CASE_FIXTURE(PackageFixture, "a system whose upgrade cannot be had, or is cancelled, stays as it was")
{
    REQUIRE(makeTinyPackage(wheels, TinyPackage::wheel));
    const auto first = installed(installation);
    REQUIRE_MESSAGE(first, first.error().text());
    Installation later = installation;
    later.packages = {"tinysystem==1.5.0"};
    CHECK_FALSE(installed(later));
    CHECK(installedEngines(root).at("mine") == *first);

    REQUIRE(makeTinyPackage(wheels, TinyPackage::source, write("hold"), "1.5.0"));
    const auto cancelled = installed(later, [&](const builder::Progress& progress) {
        if (progress.text.find("Installing") != std::string::npos)
            CHECK(cancelInstallation(root, "mine"));
    });
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().code == ErrorCode::cancelled);
    CHECK(installedEngines(root).at("mine") == *first);
    const auto checked = verify({root, "mine", installation}, builder::Deadline::in(std::chrono::minutes(5)));
    REQUIRE_MESSAGE(checked, checked.error().text());
    CHECK(checked->version == "1.4.0");

    fs::remove(folder / "hold");
    const auto upgraded = installed(later);
    REQUIRE_MESSAGE(upgraded, upgraded.error().text());
    CHECK(upgraded->version == "1.5.0");
}

TEST_CASE_FIXTURE(PackageFixture, "a system that is used as it is stays until a private one takes its place")
{
    const auto asItIs = InstallFixture::installed(kPython, "json");
    REQUIRE_MESSAGE(asItIs, asItIs.error().text());
    int looks = 0;
    const auto looking = [&](const builder::Progress&) {
        ++looks;
        const auto there = installedEngines(root);
        CHECK((there.contains("mine") && there.at("mine") == *asItIs));
    };
    fs::create_directories(wheels);
    CHECK_FALSE(installed(installation, looking));
    CHECK(fs::exists(place / "bin/python")); // it had begun
    CHECK(installedEngines(root).at("mine") == *asItIs);

    REQUIRE(makeTinyPackage(wheels, TinyPackage::wheel));
    const auto made = installed(installation, looking);
    REQUIRE_MESSAGE(made, made.error().text());
    CHECK(looks > 0);
    CHECK(made->python == (place / "bin/python").string());
    CHECK(installedEngines(root).at("mine") == *made);

    const auto again = InstallFixture::installed(kPython, "json");
    REQUIRE_MESSAGE(again, again.error().text());
    CHECK(again->python == kPython);
    for (const char* part : {"bin", "lib", "pyvenv.cfg", "venv-made"}) // gigabytes that nothing uses
        CHECK_FALSE(fs::exists(place / part));
    CHECK(installed(installation));
}

TEST_CASE_FIXTURE(PackageFixture, "an interpreter without a module that the drivers need is none for the system")
{
    Installation needy;
    needy.module = "json";
    needy.imports = {"xml.sax", "tinysystem"};
    const auto refused =
        install({root, "mine", needy, kPython}, builder::Deadline::in(std::chrono::minutes(5)), kSilent);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("No module named 'tinysystem'") != std::string::npos);
    needy.imports = {"xml.sax"};
    CHECK(install({root, "mine", needy, kPython}, builder::Deadline::in(std::chrono::minutes(5)), kSilent)->version ==
          "2.0.9");
}

TEST_CASE_FIXTURE(PackageFixture, "sources of another version take the place of those that could not be compiled")
{
    for (const std::string version : {"1.4.0", "1.5.0"}) {
        REQUIRE(makeTinyPackage(wheels, TinyPackage::source, {}, version));
        installation = {};
        installation.source = "tinysystem==" + version;
        installation.build = "no_such_project";
        const auto failed = installed(installation);
        REQUIRE_FALSE(failed);
        CHECK_MESSAGE(failed.error().text().find("no_such_project") != std::string::npos, failed.error().text());
        const std::string about = readFile(place / "build/source/PKG-INFO").value_or("");
        CHECK_MESSAGE(about.find("Version: " + version) != std::string::npos, about);
    }
}
