// SPDX-License-Identifier: MIT
#include "agent/builder/torch.h"

#include "agent/builder/modules.h"
#include "core/base/text.h"
#include "core/protocol/layout.h"
#include "core/wire/messages.h"

#include <algorithm>
#include <cstdlib>

namespace ringside::builder {

namespace {

constexpr std::chrono::seconds kLookLimit{60};
constexpr std::pair<int, int> kOldestTorch{2, 7};
/// The system that ready-made ones of that version and later are built for (manylinux_2_28).
constexpr std::pair<int, int> kOldestGlibc{2, 28};

/// The number behind "#define NAME ".
std::string definition(const std::string& header, const std::string& name)
{
    const std::string key = "#define " + name + " ";
    const auto at = header.find(key);
    return at == std::string::npos ? "" : header.substr(at + key.size(), header.find('\n', at) - at - key.size());
}

/// The header moved between versions.
std::string versionOf(const fs::path& folder)
{
    for (const char* name : {"include/torch/headeronly/version.h", "include/torch/csrc/api/include/torch/version.h"}) {
        const auto header = readFile(folder / name, 1u << 20);
        const std::string major = header ? definition(*header, "TORCH_VERSION_MAJOR") : "";
        if (!major.empty())
            return plainText(fmt::format("{}.{}.{}", major, definition(*header, "TORCH_VERSION_MINOR"),
                                         definition(*header, "TORCH_VERSION_PATCH")));
    }
    return {};
}

/// "+cu130", which two builds of the same version differ by.
std::string variantOf(const fs::path& folder)
{
    for (const fs::path& file : {folder / "version.py", folder / "../build-version"})
        if (const auto text = readFile(file, 1u << 20)) {
            const auto plus = text->find('+');
            const auto end = text->find_first_of("'\"\n ", plus);
            if (plus != std::string::npos)
                return plainText(text->substr(plus, end - plus));
        }
    return {};
}

std::vector<fs::path> privateTorches(const fs::path& root)
{
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(layout::torchFolder(root), ignored))
        if (entry.path().extension() != ".part")
            folders.push_back(entry.path());
    std::ranges::sort(folders, std::ranges::greater(),
                      [](const fs::path& path) { return versionNumbers(path.filename().string()); });
    return folders;
}

/// Asked without importing it, which takes seconds.
std::optional<Torch> torchOfPython(const Deadline& deadline)
{
    const std::string folder = firstLineOf(
        {"python3", "-c",
         "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"},
        deadline.atMost(kLookLimit));
    return folder.empty() ? std::nullopt : torchAt(folder);
}

/// The way to have one installed by Ringside.
std::string installHint()
{
    return fmt::format("Let Ringside install one for itself, 3 GB (the site's setting {} = true)",
                       wire::kInstallTorchSetting);
}

Result<Torch> checked(const Torch& torch, const std::string& hint)
{
    if (versionNumbers(torch.version) < kOldestTorch)
        return fail(ErrorCode::unavailable,
                    fmt::format("The torch in {} is version {}; the worker needs 2.7.", torch.folder.string(),
                                torch.version.empty() ? "unknown" : torch.version),
                    hint);
    return torch;
}

bool saysAny(const std::string& text, std::initializer_list<const char*> words)
{
    return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != std::string::npos; });
}

/// "GLIBC_2.34" of "version `GLIBC_2.34' not found".
std::string versionNamed(const std::string& said, const std::string& library)
{
    const auto at = said.find(library + "_");
    return at == std::string::npos ? library : plainText(said.substr(at, said.find_first_of("' )\n", at) - at));
}

} // namespace

std::optional<Torch> torchAt(const fs::path& path)
{
    for (const fs::path& folder : {path / "torch", path}) {
        std::error_code ignored;
        if (fs::exists(folder / "lib/libtorch_cpu.so", ignored) && fs::exists(folder / "include/ATen/ATen.h", ignored))
            return Torch{folder, versionOf(folder) + variantOf(folder)};
    }
    return std::nullopt;
}

Result<void> checkSystem(const Deadline& deadline)
{
    constexpr std::string_view kName = "glibc ";
    const std::string here = firstLineOf({"getconf", "GNU_LIBC_VERSION"}, deadline.atMost(kLookLimit));
    if (!here.starts_with(kName) || versionNumbers(std::string_view(here).substr(kName.size())) >= kOldestGlibc)
        return {};
    return fail(ErrorCode::unavailable,
                fmt::format("This system has {}; ready-made torch that the worker can use (2.7 and later) needs glibc "
                            "2.28.",
                            plainText(here)),
                "Load a module with a torch that was built for this system, set the site's torch to the folder of such "
                "a one, or run in a container: the site's launch prefix, and as its worker the one in the container." +
                    moduleHint("pytorch", deadline));
}

Result<Torch> findTorch(const fs::path& root, const std::string& wanted, const Deadline& deadline)
{
    if (!wanted.empty()) {
        if (const auto torch = torchAt(wanted))
            return checked(*torch, "Name another folder, or leave the site's torch out.");
        return fail(ErrorCode::unavailable,
                    fmt::format("There is no torch in {}: neither lib/libtorch_cpu.so nor torch/lib/libtorch_cpu.so.",
                                plainText(wanted)),
                    "Name the folder that python3 -c \"import torch; print(torch.__path__[0])\" prints.");
    }
    for (const auto& folder : privateTorches(root))
        if (const auto torch = torchAt(folder))
            return checked(*torch, installHint() + ", or set the site's torch to the folder of another one.");
    if (const auto torch = torchOfPython(deadline))
        return checked(*torch, installHint() + ", or set the site's torch to the folder of another one.");
    TRY(checkSystem(deadline));
    return fail(ErrorCode::unavailable,
                "There is no torch here: none in Ringside's folder, and none that python3 finds.",
                installHint() + ", load a module with it, or set the site's torch to its folder." +
                    moduleHint("pytorch", deadline));
}

Result<void> tryTorch(const Torch& torch, const Toolchain& tools, const fs::path& scratch, const Deadline& deadline)
{
    const fs::path source = scratch / "try.cpp";
    const fs::path program = scratch / "try";
    TRY(writeFileAtomically(source, "int main() {}\n"));
    const std::string lib = (torch.folder / "lib").string();
    std::vector<std::string> link{
        tools.compiler.path,  source.string(), "-o",    program.string(),    "-L" + lib,
        "-Wl,--no-as-needed", "-ltorch_cpu",   "-lc10", "-Wl,-rpath," + lib, "-Wl,--allow-shlib-undefined"};
    if (const std::string option = runtimePathOption(tools.compiler, deadline); !option.empty())
        link.push_back(option);
    TRY_ASSIGN(const Answer linked, run(link, deadline.atMost(kLookLimit)));
    if (!linked.good())
        return fail(
            ErrorCode::unavailable,
            fmt::format("{} cannot link a program with torch: {}", tools.compiler.path, lastLines(linked.output, 5)),
            "Load another compiler's module, or use another torch.");
    TRY_ASSIGN(const Answer started, run({program.string()}, deadline.atMost(kLookLimit)));
    if (!started.good())
        return tl::unexpected(loaderError(torch, started.output));
    return {};
}

Error loaderError(const Torch& torch, const std::string& said)
{
    const std::string which = fmt::format("torch {} in {}", torch.version, torch.folder.string());
    if (saysAny(said, {"GLIBCXX_", "CXXABI_"}))
        return {ErrorCode::unavailable,
                fmt::format("The C++ library (libstdc++) here is too old for {}: it lacks {}.", which,
                            versionNamed(said, saysAny(said, {"GLIBCXX_"}) ? "GLIBCXX" : "CXXABI")),
                "Load the module of a newer g++ (the site's modules setting); its libstdc++ is used then."};
    if (saysAny(said, {"GLIBC_"}))
        return {
            ErrorCode::unavailable,
            fmt::format("The system (glibc) here is too old for {}: it lacks {}.", which, versionNamed(said, "GLIBC")),
            "Use a torch that was built for this system, such as the one of a module, or run in a container "
            "(the site's launch prefix)."};
    return {
        ErrorCode::unavailable,
        fmt::format("A program linked with {} does not start: {}", which, plainText(said.substr(0, 600))),
        "Something of that torch is missing. Install one for Ringside alone (ringside-agent install-torch), or name "
        "another folder."};
}

} // namespace ringside::builder
