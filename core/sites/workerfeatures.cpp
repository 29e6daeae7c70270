// SPDX-License-Identifier: MIT
#include "core/sites/workerfeatures.h"

#include "core/base/environment.h"
#include "core/base/findprogram.h"
#include "core/base/words.h"
#include "core/protocol/layout.h"
#include "core/sites/shortcommand.h"
#include "core/spec/validate.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace ringside {

namespace {

constexpr std::size_t kMaxFeaturesBytes = 256u << 10;

constexpr const char* kMissingLibrary = "error while loading shared libraries";

Error brokenWorker(const fs::path& worker, int exitCode, const std::string& said)
{
    const bool library = said.find(kMissingLibrary) != std::string::npos;
    const std::string line = said.substr(0, said.find('\n'));
    return {ErrorCode::unavailable,
            line.empty() ? Words::tr("{} ended with code {}.", worker.string(), exitCode)
                         : Words::tr("{} ended with code {}: {}.", worker.string(), exitCode, line),
            library ? Words::tr("installers/dependencies.sh installs what it needs.")
                    : Words::tr("“{} selftest” checks it; build it again if it fails.", worker.string())};
}

/// Standard output of a short command that succeeds, or an error; never waits longer than `limit`.
Result<std::string> outputOf(const CommandLine& command, std::chrono::milliseconds limit)
{
    TRY_ASSIGN(const ShortAnswer answer, answerOf(command, limit));
    if (answer.exitCode != 0)
        return tl::unexpected(brokenWorker(command.arguments.front(), answer.exitCode, answer.errors));
    return answer.output;
}

/// The parts of plans: "plans": {"grouping": ["one", "buckets"], …}.
void addPlans(std::set<std::string>& features, const nlohmann::json& json)
{
    const auto plans = json.find("plans");
    if (plans == json.end() || !plans->is_object())
        return;
    for (const auto& [part, names] : plans->items())
        for (const auto& name : names)
            if (name.is_string())
                features.insert(spec::planFeature(part, name.get_ref<const std::string&>()));
}

/// The GPUs that the kernel shows; the worker counts those that it can use.
std::string gpuDevices()
{
    std::set<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/dev", ignored))
        if (const std::string name = entry.path().filename().string(); name.starts_with("nvidia"))
            names.insert(name);
    return fmt::format("{}", fmt::join(names, " "));
}

/// Changes with the file. Empty if it cannot be looked at.
std::string stampOf(const fs::path& path)
{
    struct stat file;
    if (::stat(path.c_str(), &file) != 0)
        return {};
    return fmt::format("{}:{} {} {}.{:09} {}.{:09}", file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec,
                       file.st_mtim.tv_nsec, file.st_ctim.tv_sec, file.st_ctim.tv_nsec);
}

/// The program that answered, which lies beside its plug-ins: the worker may be a script that starts it. Without
/// an answer, the worker's own file, whatever links lead there.
fs::path programOf(const fs::path& worker, const std::string& answer)
{
    const auto json = nlohmann::json::parse(answer, nullptr, false);
    const auto program = json.is_object() ? json.value("program", nlohmann::json()) : nlohmann::json();
    if (program.is_string())
        return program.get<std::string>();
    std::error_code ignored;
    return fs::canonical(worker, ignored);
}

/// Whatever an answer depends on. Empty if the file cannot be looked at.
std::string identityOf(const fs::path& worker, const std::string& answer = {})
{
    const std::string stamp = stampOf(worker);
    if (stamp.empty())
        return {};
    std::error_code ignored;
    const fs::path program = programOf(worker, answer), folder = program.parent_path();
    std::string identity = fmt::format("{} {} {} cuda={} graph={} {}", fs::absolute(worker, ignored).string(), stamp,
                                       stampOf(program), stampOf(layout::workerCudaPlugin(folder)),
                                       stampOf(layout::workerGraphPlugin(folder)), gpuDevices());
    for (const char* name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_VISIBLE_DEVICES"})
        if (const char* value = environment(name))
            identity += fmt::format(" {}={}", name, value);
    return identity;
}

Result<fs::path> answerFile()
{
    TRY_ASSIGN(const fs::path folder, cacheFolder());
    return folder / "worker-features.json";
}

/// The text of the answer, if it is of the same worker.
std::optional<std::string> keptAnswer(const fs::path& worker)
{
    const auto file = answerFile();
    const auto text = file ? readFile(*file, 2 * kMaxFeaturesBytes) : tl::unexpected(file.error());
    const auto json = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    const auto answer = json.is_object() ? json.value("answer", nlohmann::json()) : nlohmann::json();
    if (!answer.is_string())
        return std::nullopt;
    const std::string kept = answer.get<std::string>(), identity = identityOf(worker, kept);
    return !identity.empty() && json.value("worker", nlohmann::json()) == identity ? std::optional(kept) : std::nullopt;
}

/// A folder that cannot be written only costs half a second each time.
void keepAnswer(const std::string& identity, const std::string& answer)
{
    const auto file = answerFile();
    if (!file || identity.empty() || !makePrivateFolder(file->parent_path()))
        return;
    const nlohmann::json json = {{"worker", identity}, {"answer", answer}};
    (void)writeFileAtomically(*file, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::optional<std::set<std::string>> featuresIn(const std::string& answer)
{
    const auto json = nlohmann::json::parse(answer, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    std::set<std::string> features;
    for (const char* name : {"mpi", "tcp", "jpeg", "nccl", "cuda", "cuda_graph"})
        if (const auto found = json.find(name); found != json.end() && *found == true)
            features.insert(name);
    if (const auto gpus = json.find("gpus"); gpus != json.end() && gpus->is_number_integer() && *gpus > 0)
        features.insert("gpu");
    addPlans(features, json);
    return features;
}

} // namespace

Result<std::set<std::string>> workerFeatures(const fs::path& worker, Asking asking)
{
    if (!isExecutable(worker))
        return fail(ErrorCode::unavailable, Words::tr("{} is not there, or may not be executed.", worker.string()),
                    Words::tr("Build ringside-worker, or name another with RINGSIDE_WORKER."));
    const std::string before = identityOf(worker);
    if (asking == Asking::ifUnknown)
        if (const auto kept = keptAnswer(worker))
            if (auto features = featuresIn(*kept))
                return *std::move(features);
    TRY_ASSIGN(const std::string answer, outputOf({{worker.string(), "features"}}, kFeaturesLimit));
    auto features = featuresIn(answer);
    if (!features)
        return fail(ErrorCode::unavailable, Words::tr("{} is no worker of Ringside.", worker.string()),
                    Words::tr("Name one with RINGSIDE_WORKER."));
    if (before == identityOf(worker)) // else another file has taken its place meanwhile: it is asked again
        keepAnswer(identityOf(worker, answer), answer);
    return *std::move(features);
}

} // namespace ringside
