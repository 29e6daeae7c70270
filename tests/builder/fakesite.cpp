// SPDX-License-Identifier: MIT
#include "tests/builder/fakesite.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace ringside::test {

namespace {

/// Answers for its version; else "compiles" a program that runs.
constexpr const char* kCompiler = R"(case $1 in
-dump*) echo 12.2.0; exit ;;
-print*) echo libstdc++.so; exit ;;
esac
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\nexit 0\n' >"$2"
chmod 755 "$2"
)";

/// Unpacks and configures nothing; "builds" a worker that says what it can.
constexpr const char* kCMake = R"(case $1 in
--version) echo "cmake version 3.25.1" ;;
--build)
    echo compiled >>"$RINGSIDE_FAKE/compilations"
    echo "[1/2] Building CXX object a.o"
    while [ -e "$RINGSIDE_FAKE/held" ]; do sleep 0.05; done
    sleep "${RINGSIDE_FAKE_SECONDS:-0}" &
    trap 'kill $!; exit 1' TERM
    wait
    mkdir -p build/bin
    printf '#!/bin/sh\necho "{\\"format\\": 1}"\n' >build/bin/ringside-worker
    chmod 755 build/bin/ringside-worker
    echo program >build/bin/ringside-gpuload
    if [ -e "$RINGSIDE_FAKE/cuda" ]; then
        echo plug-in >build/bin/ringside-worker-cuda.so
        echo plug-in >build/bin/ringside-worker-cudagraph.so
    fi
    echo "[2/2] Linking CXX executable bin/ringside-worker" ;;
esac
)";

} // namespace

FakeSite::FakeSite()
{
    fs::create_directories(bin());
    fs::create_directories(root());
    ::setenv("RINGSIDE_FAKE", m_folder.path().c_str(), 1);
    ::unsetenv("RINGSIDE_FAKE_SECONDS");
    ::unsetenv("CXX");
    for (const char* tool : {"sh", "bash", "mkdir", "chmod", "sleep", "env", "touch", "cat", "kill"})
        for (const char* folder : {"/usr/bin/", "/bin/"})
            if (std::error_code ignored; fs::exists(folder + std::string(tool)))
                fs::create_symlink(folder + std::string(tool), bin() / tool, ignored);
    program("g++", kCompiler);
    program("cmake", kCMake);
    program("make", "exit 0");
    makeTorch(torch(), "2.11.0");
    std::ofstream(m_folder / "source.tar.gz") << "the source";
}

void FakeSite::holdBuilds() const
{
    std::ofstream(m_folder / "held") << "";
}

void FakeSite::haveCuda() const
{
    std::ofstream(m_folder / "cuda") << "";
}

void FakeSite::letBuildsEnd() const
{
    std::error_code ignored;
    fs::remove(m_folder / "held", ignored);
}

void FakeSite::program(const std::string& name, const std::string& script) const
{
    remove(name);
    std::ofstream(bin() / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(bin() / name, fs::perms::owner_all);
}

void FakeSite::remove(const std::string& name) const
{
    std::error_code ignored;
    fs::remove(bin() / name, ignored);
}

void FakeSite::makeTorch(const fs::path& folder, const std::string& version) const
{
    const auto [major, minor] = builder::versionNumbers(version);
    fs::create_directories(folder / "lib");
    fs::create_directories(folder / "include/ATen");
    fs::create_directories(folder / "include/torch/headeronly");
    std::ofstream(folder / "lib/libtorch_cpu.so") << "";
    std::ofstream(folder / "include/ATen/ATen.h") << "";
    std::ofstream(folder / "include/torch/headeronly/version.h") << fmt::format(
        "#define TORCH_VERSION_MAJOR {}\n#define TORCH_VERSION_MINOR {}\n#define TORCH_VERSION_PATCH 0\n", major,
        minor);
}

builder::BuildOptions FakeSite::options() const
{
    builder::BuildOptions options;
    options.root = root();
    options.source = m_folder / "source.tar.gz";
    options.torch = torch().string();
    options.limit = std::chrono::seconds(60);
    return options;
}

Result<builder::BuiltWorker> FakeSite::build(const builder::BuildOptions& options)
{
    told.clear();
    return builder::build(options, [this](const builder::Progress& progress) {
        told.push_back(fmt::format("{} {}", progress.phase, progress.percent));
    });
}

int FakeSite::compilations() const
{
    const std::string lines = readFile(m_folder / "compilations").value_or("");
    return static_cast<int>(std::ranges::count(lines, '\n'));
}

} // namespace ringside::test
