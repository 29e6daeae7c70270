// SPDX-License-Identifier: MIT
// Everything that a build needs and may lack is reported with what to do about it.
#include "agent/builder/installtorch.h"
#include "core/base/environment.h"
#include "core/protocol/layout.h"
#include "tests/builder/fakesite.h"
#include "tests/support/smalldisk.h"

#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;
using namespace ringside::builder;
using test::FakeSite;

namespace {

bool says(const Result<BuiltWorker>& built, const std::string& part)
{
    return !built && built.error().text().find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a missing or old compiler is reported, and a newer one beside it used")
{
    FakeSite site;
    site.program("g++", "echo 8.5.0");
    const auto old = site.build();
    CHECK(says(old, "is version 8.5.0; the worker needs g++ 11"));
    CHECK(says(old, "Load a module"));
    site.remove("g++");
    CHECK(says(site.build(), "no C++ compiler"));
    FakeSite both;
    fs::copy_file(both.bin() / "g++", both.bin() / "g++-13");
    both.program("g++", "echo 8.5.0");
    const auto built = both.build();
    REQUIRE_MESSAGE(built, (built ? "" : built.error().text()));
}

TEST_CASE("modules that would help are named")
{
    FakeSite site;
    site.remove("g++");
    site.program("bash",
                 "[ \"$5\" = gcc ] && printf '/apps/modules:\\ngcc/9.1\\ngcc/13.2\\ngcc/12.1 (default)\\nnoise\\n'");
    CHECK(says(site.build(), "Modules here: gcc/9.1, gcc/13.2."));
}

TEST_CASE("modules are loaded first, and one that cannot be is reported in the words of the module system")
{
    FakeSite site;
    const fs::path other = site.root() / "moduleprograms";
    fs::create_directories(other);
    fs::rename(site.bin() / "make", other / "make");
    CHECK(says(site.build(), "neither make nor ninja"));
    site.program("bash", "shift 4\n[ \"$1\" = tools/1.0 ] || { echo \"ERROR: no module $1\"; exit 1; }\n"
                         "echo Welcome; printf '\\nringside-before\\n'; env -0\n"
                         "printf '\\nringside-environment\\n'; PATH=$PATH:" +
                             other.string() + " exec env -0");
    auto options = site.options();
    options.modules = {"tools/1.0"};
    const auto built = site.build(options);
    REQUIRE_MESSAGE(built, (built ? "" : built.error().text()));
    CHECK(site.told.front() == "modules 0");
    options.modules = {"tools/2.0"};
    CHECK(says(site.build(options), "ERROR: no module tools/2.0"));
    site.program("bash", "echo 'bash: line 1: module: command not found' >&2; exit 127");
    const auto without = site.build(options);
    CHECK(says(without, "have no command “module”"));
    CHECK_FALSE(says(without, "module avail"));
    options.modules = {"x; touch pwned"};
    CHECK(site.build(options).error().code == ErrorCode::usage);
}

TEST_CASE("a missing or old CMake, and a missing make, are reported")
{
    FakeSite site;
    site.program("cmake", "echo 'cmake version 2.8.12'");
    CHECK(says(site.build(), "CMake here is version 2.8.12; the worker needs 3.18"));
    site.remove("cmake");
    CHECK(says(site.build(), "no CMake"));
    FakeSite other;
    other.remove("make");
    CHECK(says(other.build(), "neither make nor ninja"));
}

TEST_CASE("torch is looked for where it may be, and the error says how to get one")
{
    FakeSite site;
    auto options = site.options();
    options.torch = (site.root() / "nothing").string();
    CHECK(says(site.build(options), "There is no torch in"));
    options.torch.clear();
    const auto none = site.build(options);
    CHECK(says(none, "install_torch"));
    CHECK(says(none, "set the site's torch"));

    site.program("python3", "echo " + site.torch().string());
    CHECK(findTorch(site.root(), "", Deadline::in(std::chrono::seconds(20)))->folder == site.torch());
    for (const char* version : {"2.9.1", "2.11.0", "2.10.0"})
        site.makeTorch(layout::torchFolder(site.root()) / version / "torch", version);
    site.makeTorch(layout::torchFolder(site.root()) / "2.12.0-1234.part/torch", "2.12.0"); // not finished
    CHECK(findTorch(site.root(), "", Deadline::in(std::chrono::seconds(20)))->version == "2.11.0");
}

TEST_CASE("a torch that is too old is refused, also one without a version")
{
    FakeSite site;
    site.makeTorch(site.root() / "old", "2.3.0");
    auto options = site.options();
    options.torch = (site.root() / "old").string();
    CHECK(says(site.build(options), "is version 2.3.0; the worker needs 2.7"));
    fs::remove_all(site.root() / "old/include/torch");
    CHECK(says(site.build(options), "is version unknown"));
}

TEST_CASE("a system that is too old for its torch is reported before anything is compiled")
{
    // Messages of the loaders of CentOS 7, RHEL 8 and a system without libcupti.
    const Torch torch{"/opt/torch", "2.11.0"};
    const Error glibc = loaderError(torch, "./try: /lib64/libc.so.6: version `GLIBC_2.27' not found (required by "
                                           "/opt/torch/lib/libtorch_cpu.so)");
    CHECK(glibc.text().find("(glibc) here is too old for torch 2.11.0 in /opt/torch: it lacks GLIBC_2.27") !=
          std::string::npos);
    CHECK(glibc.hint.find("container") != std::string::npos);
    const Error cxx =
        loaderError(torch, "./try: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by "
                           "/opt/torch/lib/libtorch_cpu.so)");
    CHECK(cxx.text().find("libstdc++) here is too old") != std::string::npos);
    CHECK(cxx.text().find("GLIBCXX_3.4.29") != std::string::npos);
    CHECK(cxx.hint.find("newer g++") != std::string::npos);
    const Error missing =
        loaderError(torch, "./try: error while loading shared libraries: libcupti.so.13: cannot open");
    CHECK(missing.text().find("libcupti.so.13") != std::string::npos);

    FakeSite site;
    site.program("g++", "case $1 in -dump*) echo 12.2.0; exit ;; -print*) exit ;; esac\n"
                        "while [ \"$1\" != -o ]; do shift; done\n"
                        "printf '#!/bin/sh\\necho version GLIBC_2.27 not found; exit 1\\n' >\"$2\"; chmod 755 \"$2\"");
    CHECK(says(site.build(), "it lacks GLIBC_2.27"));
    CHECK(site.compilations() == 0);
}

TEST_CASE("a system that no ready-made torch runs on is reported before one is offered or downloaded")
{
    FakeSite site;
    auto options = site.options();
    options.torch.clear();
    // CentOS 7, RHEL 8, Debian 12, and Alpine, which has no glibc and says so in other words.
    for (const auto& [said, isOld] : {std::pair{"glibc 2.17", true},
                                      {"glibc 2.27", true},
                                      {"glibc 2.28", false},
                                      {"glibc 2.36", false},
                                      {"", false}}) {
        CAPTURE(said);
        site.program("getconf", std::string("[ \"$1\" = GNU_LIBC_VERSION ] && echo ") + said);
        const auto none = site.build(options);
        CHECK(says(none, "needs glibc 2.28") == isOld);
        CHECK(says(none, "install_torch") == !isOld);
    }
    site.program("getconf", "echo glibc 2.17");
    site.program("python3",
                 "case $3 in --version) echo pip 23 ;; install) touch \"$RINGSIDE_FAKE/downloaded\" ;; esac");
    options.installTorch = true;
    const auto refused = site.build(options);
    CHECK(says(refused, "This system has glibc 2.17"));
    CHECK(says(refused, "container"));
    CHECK_FALSE(fs::exists(site.root() / "../downloaded"));
    options.torch = site.torch().string(); // what a module or a person brings is tried
    CHECK(site.build(options));
}

TEST_CASE("installing torch reports what it lacks, and torch appears whole or not at all")
{
    FakeSite site;
    const auto install = [&] {
        return installTorch(site.root(), kTorchVersion, Deadline::in(std::chrono::seconds(30)), [](const Progress&) {});
    };
    CHECK(install().error().text().find("no python3") != std::string::npos);
    site.program("python3", "exit 1");
    CHECK(install().error().text().find("no pip") != std::string::npos);
    const std::string pip = "[ \"$3\" = --version ] && { echo pip 23; exit; }\n"
                            "while [ \"$1\" != --target ]; do shift; done\n";
    site.program("python3", pip + "mkdir -p \"$2/torch\"; echo 'no way to the internet'; exit 1");
    const auto failed = install();
    CHECK(failed.error().text().find("no way to the internet") != std::string::npos);
    CHECK(fs::is_empty(layout::torchFolder(site.root())));
    CHECK(failed.error().code == ErrorCode::unavailable);
    for (const char* full : {"[Errno 28] No space left on device", "[Errno 122] Disk quota exceeded"}) {
        site.program("python3", pip + "echo '" + full + "'; exit 1");
        const auto noRoom = install();
        CHECK(noRoom.error().code == ErrorCode::noSpace);
        CHECK(noRoom.error().message == "torch could not be installed: the disk is full.");
    }
    site.program("python3", pip + "mkdir -p \"$2/torch/lib\" \"$2/torch/include/ATen\"\n"
                                  "touch \"$2/torch/lib/libtorch_cpu.so\" \"$2/torch/include/ATen/ATen.h\"");
    CHECK(install() == layout::torchFolder(site.root()) / kTorchVersion);
    site.remove("python3");
    CHECK(install()); // it is there
    CHECK(installTorch(site.root(), "2.11.0; rm", Deadline{}, {}).error().code == ErrorCode::usage);
}

TEST_CASE("installing torch uses a temporary folder below the root, and no setting of the user for pip")
{
    FakeSite site;
    site.program("python3", "[ \"$3\" = --version ] && { echo pip 23; exit; }\n"
                            "echo \"user: ${PIP_USER-} target: ${PIP_TARGET-} path: ${PYTHONPATH-}\"\n"
                            "[ -d \"$TMPDIR\" ] && echo \"temporary: $TMPDIR\"; exit 1");
    constexpr const char* kSet[] = {"PIP_USER", "PIP_TARGET", "PYTHONPATH"};
    for (const char* name : kSet)
        ::setenv(name, "1", 1);
    const std::string before = environment("TMPDIR") ? environment("TMPDIR") : "";
    const auto said =
        installTorch(site.root(), kTorchVersion, Deadline::in(std::chrono::seconds(30)), [](const Progress&) {});
    const std::string userAfter = environment("PIP_USER") ? environment("PIP_USER") : "";
    for (const char* name : kSet)
        ::unsetenv(name);
    CHECK(userAfter == "1");
    CHECK((environment("TMPDIR") ? environment("TMPDIR") : "") == before);
    REQUIRE_FALSE(said);
    CHECK(said.error().message.find("user: 0 target:  path: ") != std::string::npos);
    CHECK(said.error().message.find("temporary: " + (layout::torchFolder(site.root()) / kTorchVersion).string()) !=
          std::string::npos);
}

TEST_CASE("too little space for a build is reported before it begins, with the needed and the free space")
{
    FakeSite site;
    const test::SmallDisk disk(site.root(), 20'000);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: cannot mount a small disk: ", disk.problem());
        return;
    }
    const auto refused = site.build();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::noSpace);
    CHECK(says(refused, "Building the worker needs 800 MB in " + site.root().string()));
    CHECK(says(refused, "which has 20."));
    CHECK(site.compilations() == 0);
}

TEST_CASE("too little space for torch is reported before anything is downloaded")
{
    FakeSite site;
    fs::create_directories(layout::torchFolder(site.root()));
    const test::SmallDisk disk(layout::torchFolder(site.root()), 1000);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: cannot mount a small disk: ", disk.problem());
        return;
    }
    const auto refused =
        installTorch(site.root(), kTorchVersion, Deadline::in(std::chrono::seconds(30)), [](const Progress&) {});
    CHECK(refused.error().code == ErrorCode::noSpace);
}
