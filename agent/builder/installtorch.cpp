// SPDX-License-Identifier: MIT
#include "agent/builder/installtorch.h"

#include "agent/builder/pipvariables.h"
#include "agent/builder/resources.h"
#include "agent/builder/torch.h"
#include "core/base/findprogram.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cerrno>

namespace ringside::builder {

namespace {

constexpr std::chrono::seconds kPipLook{30};
constexpr std::chrono::hours kAbandoned{24};
constexpr const char* kSpaceHint = "Free some space, or set the site's torch to a folder that holds one.";

Result<void> checkPip(const Deadline& deadline)
{
    if (findProgram("python3").empty())
        return fail(ErrorCode::unavailable, "There is no python3 here, which installs torch.",
                    "Load a module with python (the site's modules setting).");
    if (firstLineOf({"python3", "-m", "pip", "--version"}, deadline.atMost(kPipLook)).empty())
        return fail(ErrorCode::unavailable, "python3 here has no pip, which installs torch.",
                    "Load a module with python and pip, or run python3 -m ensurepip --user.");
    return {};
}

/// As installers/dependencies.sh does it: the CPU set, for which no GPU is needed. The worker loads no Python, so the
/// version of Python only has to be one that these packages exist for.
std::vector<std::string> pipCommand(const fs::path& target, const std::string& version)
{
    std::vector<std::string> command{"python3",
                                     "-m",
                                     "pip",
                                     "install",
                                     "--no-cache-dir",
                                     "--no-deps",
                                     "--only-binary=:all:",
                                     "--python-version",
                                     "3.11",
                                     "--no-input",
                                     "--disable-pip-version-check"};
    const std::vector<std::string> own = pipsOwnPlace();
    command.insert(command.end(), own.begin(), own.end());
    command.insert(command.end(), {"--target", target.string(), "torch==" + version});
    if (version == kTorchVersion)
        command.insert(command.end(), {"nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cupti==13.0.85"});
    return command;
}

void removeAbandoned(const fs::path& folder)
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
        if (entry.path().extension() == ".part" && age > kAbandoned)
            fs::remove_all(entry.path(), ignored);
    }
}

bool isVersion(const std::string& text)
{
    return !text.empty() && text.size() < 40 && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '+';
    });
}

Result<void> runPip(const fs::path& target, const std::string& version, const Deadline& deadline, const Report& report)
{
    report({"torch", 5, fmt::format("Installing torch {}: 545 MB to download", version)});
    const auto onLine = [&](std::string_view line) { report({"torch", 5, plainText(line.substr(0, 200))}); };
    TRY_ASSIGN(const Answer answer, run(pipCommand(target, version), deadline, {.withErrors = true, .onLine = onLine}));
    if (saysDiskFull(answer.output) && !answer.good())
        return fail(ErrorCode::noSpace, "torch could not be installed: the disk is full.", kSpaceHint);
    if (!answer.good())
        return fail(ErrorCode::unavailable,
                    fmt::format("torch could not be installed: {}", lastLines(answer.output, 8)),
                    "If this machine cannot reach the internet, copy an installed torch there and set the site's torch "
                    "to its folder.");
    if (!torchAt(target))
        return fail(ErrorCode::damaged, "What was installed is no torch: lib/libtorch_cpu.so is missing.",
                    "Try again.");
    return {};
}

/// Into `target`, with whatever else is needed meanwhile in `folder`.
Result<void> installBelow(const fs::path& folder, const fs::path& target, const std::string& version,
                          const Deadline& deadline, const Report& report)
{
    TRY(makePrivateFolder(folder / PipVariables::kTemporary));
    const PipVariables variables(folder);
    TRY(checkPip(deadline));
    return runPip(target, version, deadline, report);
}

} // namespace

Result<fs::path> installTorch(const fs::path& root, const std::string& version, const Deadline& deadline,
                              const Report& report)
{
    if (!isVersion(version))
        return fail(ErrorCode::usage, fmt::format("“{}” is no version of torch.", plainText(version.substr(0, 40))));
    const fs::path parent = layout::torchFolder(root);
    const fs::path folder = parent / version;
    if (torchAt(folder))
        return folder;
    TRY(checkSystem(deadline));
    TRY(makePrivateFolder(parent));
    removeAbandoned(parent);
    TRY(checkSpace(parent, kTorchBytes + kTorchDownloadBytes, "torch", kSpaceHint));
    const fs::path part = parent / (version + "-" + randomUuid().substr(0, 8) + ".part");
    const fs::path whole = part / "whole";
    auto done = installBelow(part, whole, version, deadline, report);
    if (done && ::rename(whole.c_str(), folder.c_str()) != 0 && !torchAt(folder)) // else another one was quicker
        done = tl::unexpected(systemError("cannot name", folder, errno));
    std::error_code ignored;
    fs::remove_all(part, ignored);
    TRY(done);
    return folder;
}

} // namespace ringside::builder
