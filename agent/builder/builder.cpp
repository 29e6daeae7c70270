// SPDX-License-Identifier: MIT
#include "agent/builder/builder.h"

#include "agent/builder/installtorch.h"
#include "agent/builder/logtail.h"
#include "agent/builder/modules.h"
#include "agent/builder/resources.h"
#include "core/base/controlgroup.h"
#include "core/base/ids.h"
#include "core/base/privatefolder.h"
#include "core/base/sha256.h"
#include "core/protocol/layout.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace ringside::builder {

namespace {

Result<Torch> provideTorch(const BuildOptions& options, const Deadline& deadline, const Report& report)
{
    auto torch = findTorch(options.root, options.torch, deadline);
    if (torch || !options.installTorch || !options.torch.empty())
        return torch;
    TRY(installTorch(options.root, kTorchVersion, deadline, report));
    return findTorch(options.root, options.torch, deadline);
}

/// The hash of the bundle. Half of one, as an interrupted copy leaves it, counts as none.
Result<std::string> checkedSource(const BuildOptions& options)
{
    TRY_ASSIGN(std::string hash, sha256OfFile(options.source));
    if (!options.sourceHash.empty() && hash != options.sourceHash)
        return fail(ErrorCode::notFound,
                    fmt::format("{} is not the source that was asked for.", options.source.string()),
                    "Copy it there again.");
    return hash;
}

Result<Ingredients> gather(const BuildOptions& options, const Deadline& deadline, const Report& report)
{
    if (!options.modules.empty())
        report({"modules", 0, fmt::format("Loading {}", fmt::join(options.modules, ", "))});
    TRY(loadModules(options.modules, deadline));
    report({"tools", 1, "Looking for compiler and CMake"});
    Ingredients from;
    from.source = fs::absolute(options.source);
    TRY_ASSIGN(from.sourceHash, checkedSource(options));
    TRY_ASSIGN(from.tools, findToolchain(deadline));
    report({"torch", 2, "Looking for torch"});
    TRY_ASSIGN(from.torch, provideTorch(options, deadline, report));
    return from;
}

Result<void> checkTorch(const Ingredients& from, const fs::path& root, const Deadline& deadline, const Report& report)
{
    report({"torch", 3, fmt::format("Trying torch {} in {}", from.torch.version, from.torch.folder.string())});
    const PrivateFolder scratch(layout::workersFolder(root) / (".try-" + randomUuid().substr(0, 8)));
    TRY(scratch.make());
    return tryTorch(from.torch, from.tools, scratch.path(), deadline);
}

/// The worker of this key if it is there and runs; touched, so that clean-up knows when it was used last.
std::optional<BuiltWorker> existing(const fs::path& worker, const std::string& key, const Deadline& deadline)
{
    const fs::path program = layout::workerProgram(worker);
    std::error_code ignored;
    if (!fs::exists(layout::workerFile(worker), ignored))
        return std::nullopt;
    auto features = featuresOf(program, deadline);
    if (!features)
        return std::nullopt;
    ::utimensat(AT_FDCWD, layout::workerFile(worker).c_str(), nullptr, 0);
    return BuiltWorker{program, key, std::move(*features)};
}

/// Waits for another builder of the same, and returns its result.
Result<BuiltWorker> buildOrJoin(const Ingredients& from, const fs::path& worker, int jobs, const Deadline& deadline,
                                const Report& report)
{
    std::optional<BuiltWorker> there;
    const auto isFinished = [&] {
        there = existing(worker, from.key(), deadline);
        return there.has_value();
    };
    TRY_ASSIGN(const auto claim, BuildClaim::wait(worker, isFinished, deadline, report));
    if (!claim)
        return *there;
    auto built = buildWorker(from, *claim, worker, jobs > 0 ? jobs : jobsFor(usableCores(), availableMemory()),
                             deadline, report);
    if (!built)
        claim->noteFailure(built.error());
    return built;
}

} // namespace

Result<BuiltWorker> build(const BuildOptions& options, const Report& report)
{
    const Deadline deadline = Deadline::in(options.limit);
    TRY_ASSIGN(const Ingredients from, gather(options, deadline, report));
    const fs::path worker = layout::workerFolder(options.root, from.key());
    if (auto there = existing(worker, from.key(), deadline))
        return *there;
    TRY(makePrivateFolder(layout::workersFolder(options.root)));
    TRY(checkSpace(layout::workersFolder(options.root), kBuildBytes, "Building the worker",
                   "Free some space there, or set the site's root to a place that has more."));
    TRY(checkTorch(from, options.root, deadline, report));
    LogTail tail(layout::buildLog(worker), report);
    auto built = buildOrJoin(from, worker, options.jobs, deadline, std::ref(tail));
    tail.reportRest();
    return built;
}

} // namespace ringside::builder
