// SPDX-License-Identifier: MIT
#include "core/spec/cellchecks.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/protocol/engine.h"
#include "core/protocol/layout.h"
#include "core/protocol/models.h"
#include "core/protocol/nodefolder.h"
#include "core/protocol/plan.h"
#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "core/spec/scriptchecks.h"
#include "core/spec/systems.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <iterator>

namespace ringside::spec {

namespace {

/// A process with libtorch loaded and nothing done yet.
constexpr std::uint64_t kProcessBytes = 250'000'000;
/// Weights, gradients and momentum, each of 4 bytes: SGD stores them in fp32.
constexpr std::uint64_t kBytesPerParameter = 12;

std::string coresText(std::int64_t cores)
{
    return Words::counted("{} cores", "{} core", cores);
}

struct CellChecker
{
    const Settings& settings;
    const AggregationPlan& plan;
    const SiteLimits& site;
    const System* system = systemOf(settings);
    std::vector<Role> roles = system ? rolesOf(settings) : rolesOf(plan);
    std::vector<Check> checks = {};

    std::int64_t whole(const char* key) const { return integerOf(settings, key).value_or(1); }
    std::string text(std::string_view key) const { return textOf(settings, key).value_or(""); }

    void add(Severity severity, std::string_view key, std::string message, std::string hint)
    {
        const Value* found = valueOf(settings, key);
        checks.push_back(
            {severity, std::string(key), found ? toText(*found) : "", 0, 0, std::move(message), std::move(hint)});
    }

    int allNodes() const
    {
        return static_cast<int>(whole("nodes")) + ownNodesOf(roles, static_cast<int>(whole("ranks_per_node")));
    }

    /// Servers are those of the plan, or of the system.
    const char* serversKey() const { return system ? "engine" : "plan"; }

    void checkNodes()
    {
        if (site.nodes > 0 && whole("nodes") <= site.nodes && allNodes() > site.nodes)
            add(Severity::blocking, serversKey(),
                Words::counted("{1}: its servers need {0} nodes of their own; with {2} for the ranks that is more than "
                               "{3} has ({4}).",
                               "{1}: its servers need {0} node of their own; with {2} for the ranks that is more than "
                               "{3} has ({4}).",
                               static_cast<std::uint64_t>(allNodes() - whole("nodes")), shownLabelOf(serversKey()),
                               whole("nodes"), site.text, site.nodes),
                Words::tr("Use placement = \"shared\", fewer servers or fewer nodes."));
        if (site.nodes > 0 && whole("nodes") > site.nodes)
            add(Severity::blocking, "nodes",
                Words::tr("Nodes: {} is more than {} has ({}).", whole("nodes"), site.text, site.nodes),
                Words::tr("Use at most {}.", site.nodes));
    }

    void addServerCores(std::int64_t ranks, std::int64_t servers, std::int64_t each)
    {
        const std::string workers = Words::counted("{} ranks", "{} rank", static_cast<std::uint64_t>(ranks));
        const std::string beside =
            Words::counted("{} processes beside them", "{} process beside them", static_cast<std::uint64_t>(servers));
        add(Severity::warning, serversKey(),
            Words::tr("{}: {} and {}, with {} each, are more than {} has ({}).", shownLabelOf(serversKey()), workers,
                      beside, coresText(each), site.text, coresText(site.cores)),
            Words::tr("They share cores, so their times mean little."));
    }

    /// The most on one node.
    std::int64_t serversBeside() const { return mostBesideRanks(roles, static_cast<int>(whole("nodes"))); }

    void checkCores()
    {
        const std::int64_t ranks = whole("ranks_per_node");
        const std::int64_t each = whole("cores_per_rank");
        const std::int64_t servers = serversBeside();
        if (site.cores <= 0 || (ranks + servers) * each <= site.cores)
            return;
        if (ranks * each <= site.cores)
            return addServerCores(ranks, servers, each);
        const bool tooWide = each > site.cores;
        add(Severity::warning, tooWide ? "cores_per_rank" : "ranks",
            Words::tr("Ranks: {} with {} each are more than {} has ({}).", ranks, coresText(each), site.text,
                      coresText(site.cores)),
            Words::tr("They share cores, so their times mean little."));
    }

    /// Too few cores slow a rank down in a way that looks like its GPU or its network. Where the site has no more,
    /// there is nothing to advise.
    void checkCoresBesideGpu()
    {
        const std::int64_t processes = whole("ranks_per_node") + serversBeside();
        const bool siteHasThem = site.cores <= 0 || processes * kCoresBesideGpu <= site.cores;
        if (text("device") == "cuda" && whole("cores_per_rank") < kCoresBesideGpu && siteHasThem)
            add(Severity::warning, "cores_per_rank",
                Words::tr("Cores per rank: with {} the threads of a rank that has a GPU wait for each other.",
                          coresText(whole("cores_per_rank"))),
                Words::tr("Use {} or more.", kCoresBesideGpu));
    }

    void checkMemory()
    {
        const std::uint64_t needed = leastMemoryBytes(settings) * static_cast<std::uint64_t>(whole("ranks_per_node"));
        if (site.memoryBytes == 0 || needed <= site.memoryBytes)
            return;
        const char* key = settings.count("batch_global") ? "batch_global" : "batch_per_rank";
        const std::int64_t batch = whole("batch_per_rank");
        const std::string ranks = Words::counted("{} ranks", "{} rank", whole("ranks_per_node"));
        // {1} is the number as it was typed, without separators
        const std::string found =
            isOfTokens() ? Words::counted("Batch: {1} sequences on {2} need at least {3}; {4} has {5}.",
                                          "Batch: {1} sequence on {2} needs at least {3}; {4} has {5}.", batch, batch,
                                          ranks, humanBytes(needed), site.text, humanBytes(site.memoryBytes))
                         : Words::counted("Batch: {1} images on {2} need at least {3}; {4} has {5}.",
                                          "Batch: {1} image on {2} needs at least {3}; {4} has {5}.", batch, batch,
                                          ranks, humanBytes(needed), site.text, humanBytes(site.memoryBytes));
        add(Severity::blocking, key, found, lessMemory());
    }

    std::string lessMemory() const
    {
        if (itemBytes() == 0) // layers are paced, or compute on a GPU
            return whole("ranks_per_node") > 1 ? Words::tr("Use fewer ranks on a node.")
                                               : Words::tr("Use a smaller model.");
        const std::uint64_t batch = largestBatch();
        if (isOfTokens())
            return batch ? Words::tr("Use a batch of at most {}, shorter sequences or fewer ranks.", batch)
                         : Words::tr("Use shorter sequences or fewer ranks.");
        return batch ? Words::tr("Use a batch of at most {}, smaller images or fewer ranks.", batch)
                     : Words::tr("Use smaller images or fewer ranks.");
    }

    std::uint64_t leastWith(std::int64_t batch) const
    {
        Settings other = settings;
        other["batch_per_rank"] = batch;
        return leastMemoryBytes(other);
    }

    std::uint64_t itemBytes() const { return leastWith(2) - leastWith(1); }

    /// By the same estimate, of the least that is needed: what fits may be less. In the key that is typed; 0: not even
    /// one fits.
    std::uint64_t largestBatch() const
    {
        const std::uint64_t share = site.memoryBytes / static_cast<std::uint64_t>(whole("ranks_per_node"));
        const std::uint64_t one = leastWith(1);
        const std::uint64_t ranks = settings.count("batch_global") ? static_cast<std::uint64_t>(whole("ranks")) : 1;
        return share < one ? 0 : ranks * (1 + (share - one) / itemBytes());
    }

    std::string modelText() const { return shownLabelOf("model", text("model")); }

    bool isOfTokens() const
    {
        const ModelFacts* model = modelFacts(text("model"));
        return model && takesTokens(*model);
    }

    bool isSaid(std::string_view key) const
    {
        const Value* said = valueOf(settings, key);
        return said && *said != standardOf(*findSetting(key), settings);
    }

    /// People who state something where it cannot matter should know.
    void checkEffect(const char* key)
    {
        if (isSaid(key))
            add(Severity::hint, key, Words::tr("{}: has no effect with {}.", shownLabelOf(key), modelText()), "");
    }

    void checkNeeds()
    {
        for (const Setting& setting : schema())
            if (setting.needs && isSaid(setting.key) && text(setting.needs->key) != setting.needs->level)
                add(Severity::hint, setting.key,
                    Words::tr("{}: has no effect unless {} is {}.", shownLabelOf(setting.key),
                              shownLabelOf(setting.needs->key), inQuotes(setting.needs->level)),
                    "");
    }

    void checkImageSize(const ModelFacts& model)
    {
        if (settings.count("image_size") && whole("image_size") < model.smallestImage)
            add(Severity::blocking, "image_size",
                Words::tr("Image size: {} is too small for {}.", whole("image_size"), modelText()),
                Words::tr("Use {} or more.", model.smallestImage));
        checkEffect("sequence_length");
    }

    void checkSequences(const ModelFacts& model)
    {
        if (settings.count("sequence_length") && whole("sequence_length") > model.longestSequence)
            add(Severity::blocking, "sequence_length",
                Words::tr("Sequence length: {} is too long for {}.", whole("sequence_length"), modelText()),
                Words::tr("Use {} or fewer.", model.longestSequence));
        if (settings.count("data") && text("data") != "synthetic")
            add(Severity::blocking, "data",
                Words::tr("Data: {} is given tokens, and {} has pictures.", modelText(), inQuotes(text("data"))),
                Words::tr("Use data “synthetic”."));
        if (text("layout") == "channels_last")
            add(Severity::blocking, "layout",
                Words::tr("Layout: {} is an order of pictures, and {} is given tokens.", inQuotes(text("layout")),
                          modelText()),
                Words::tr("Use layout “contiguous”."));
        checkEffect("image_size");
    }

    void checkItems()
    {
        if (text("model") == kModelNotTold)
            add(Severity::blocking, "model", Words::tr("Model: no network is named, so nothing can be trained."),
                Words::tr("Name one."));
        const ModelFacts* model = modelFacts(text("model"));
        if (!model)
            return;
        if (takesTokens(*model))
            checkSequences(*model);
        else
            checkImageSize(*model);
    }

    void checkData()
    {
        const bool folder = text("data") == "folder" && !isOfTokens();
        if (folder && !settings.count("data_path"))
            add(Severity::blocking, "data", Words::tr("Data: the folder is not named."),
                Words::tr("Add data_path = \"/path/to/pictures\" to [fixed]."));
        const bool named = text("files") == "packed" && text("data_path").ends_with(layout::kRecordsSuffix);
        if (folder && !named && site.hasFolder && settings.count("data_path") && !site.hasFolder(text("data_path")))
            add(Severity::blocking, "data_path",
                Words::tr("Data folder: {} has no folder {}.", site.text, inQuotes(text("data_path"))),
                Words::tr("Name a folder that is there."));
        if (text("data") == "synthetic" && settings.count("data_path"))
            add(Severity::hint, "data_path", Words::tr("Data folder: has no effect with data “synthetic”."), "");
        if (text("data") == "synthetic" && isNodeLocal(settings))
            add(Severity::blocking, "storage",
                Words::tr("Storage: data “synthetic” has no files that a node could get a copy of."),
                isOfTokens() ? Words::tr("Use storage “shared”.")
                             : Words::tr("Use storage “shared”, or data “synthetic-files” or “folder”."));
    }

    void checkPlan()
    {
        if (text("plan") == kNoPlan && whole("ranks") > 1)
            add(Severity::blocking, "plan",
                Words::counted("Plan: “none” is for a single rank; {} ranks would train apart.",
                               "Plan: “none” is for a single rank; {} rank would train apart.", whole("ranks")),
                Words::tr("Use a plan such as “buckets”."));
        if (const auto lacking = partLacking(plan, site))
            add(Severity::blocking, "plan",
                Words::tr("Plan: the worker of {} cannot do {}, which {} needs.", site.text, inQuotes(*lacking),
                          inQuotes(text("plan"))),
                Words::tr("Use another plan, or a worker that can."));
        checkUnits();
    }

    /// There are more, as no chunk reaches beyond its bucket; the worker knows how many.
    void checkUnits()
    {
        const ModelFacts* model = modelFacts(text("model"));
        if (!model || !plan.isLayerwise())
            return;
        const bool isServed = plan.collective == Collective::parameterServer;
        const std::uint64_t most = isServed ? kMostServedUnits : kMostUnits;
        const std::uint64_t bytes = static_cast<std::uint64_t>(model->parameters) * sizeof(float);
        const std::uint64_t chunks = bytes / std::max<std::uint64_t>(1, plan.chunkBytes);
        if (chunks <= most)
            return;
        const std::string cut = Words::tr("Plan: chunks of {} cut the gradients of {} into more than {} messages",
                                          formatSize(plan.chunkBytes), model->title, grouped(chunks));
        add(Severity::blocking, "plan",
            isServed ? Words::tr("{}, and servers hold {} at most.", cut, grouped(most))
                     : Words::tr("{}, and an iteration has {} at most.", cut, grouped(most)),
            Words::tr("Use chunks of {} or more.", formatSize((bytes / most / 1024 + 1) * 1024)));
    }

    void checkDevice()
    {
        if (settings.count("device") && !site.devices.count(text("device")))
            add(Severity::blocking, "device", Words::tr("Device: {} has no {}.", site.text, inQuotes(text("device"))),
                Words::tr("It has {}.", listed({site.devices.begin(), site.devices.end()})));
    }

    void checkWorkersDevice()
    {
        if (onGpu() && site.devices.count("cuda") && lacks("cuda"))
            add(Severity::blocking, "device",
                Words::tr("Device: the worker of {} computes on CPUs only: its libtorch has no CUDA.", site.text),
                Words::tr("Build it with a libtorch for CUDA, or use device “cpu”."));
        if (onGpu() && text("compute") == "paced")
            add(Severity::blocking, "compute", Words::tr("Compute: paced layers compute nothing, so they need no GPU."),
                Words::tr("Use device “cpu”."));
        if (onGpu() && text("model") == "lstm" && text("precision") == "bf16")
            add(Severity::blocking, "precision",
                Words::tr("Precision: on a GPU libtorch computes an LSTM in fp16 where bf16 is asked for."),
                Words::tr("Use precision “fp32”, or device “cpu”."));
        if (onGpu() && text("cuda_graph") == "on")
            checkGraph();
        if (onGpu() && text("timing") == "serialised")
            checkSerialised();
    }

    bool onGpu() const { return text("device") == "cuda"; }

    void checkGraph()
    {
        if (lacks("cuda_graph"))
            add(Severity::blocking, "cuda_graph",
                Words::tr("CUDA graph: the worker of {} was built without CUDA graphs.", site.text),
                Words::tr("Build it where the headers of CUDA are, or set CUDA graph to off."));
        if (plan.isLayerwise())
            add(Severity::blocking, "cuda_graph",
                Words::tr("CUDA graph: schedule “{}” updates layer by layer inside the next forward pass, which a "
                          "graph has no place for.",
                          nameOf(plan.schedule)),
                Words::tr("Use a plan of another schedule, or set CUDA graph to off."));
    }

    void checkSerialised()
    {
        if (plan.isLayerwise() && plan.serverRanks() == 0 && text("backend") == "nccl")
            add(Severity::blocking, "timing",
                Words::tr("Timing: schedule “{}” sends later layers’ gradients inside the next forward pass, whose "
                          "phases would wait for them where timing is serialised.",
                          nameOf(plan.schedule)),
                Words::tr("Use a plan of another schedule, or timing “events”."));
    }

    void checkBackend()
    {
        const bool isServed = plan.serverRanks() > 0;
        if (onGpu() && isServed)
            add(Severity::hint, "plan",
                Words::tr(
                    "Plan: parameter servers are in the host's memory, so what GPUs send them passes through it."),
                Words::tr("Compare it on GPUs with plans of the launcher's backend."));
        if (whole("ranks") < 2)
            return;
        if (text("backend") != "nccl") {
            if (onGpu() && !isServed)
                add(Severity::hint, "backend",
                    Words::tr(
                        "Backend: MPI and TCP sum gradients in the host's memory, so those of GPUs go through it."),
                    Words::tr("Use backend “nccl”, where GPUs sum among themselves."));
            return;
        }
        if (!site.devices.count("cuda"))
            add(Severity::blocking, "backend", Words::tr("Backend: NCCL sums on GPUs, and {} has none.", site.text),
                Words::tr("Use the launcher's backend."));
        else if (lacks("nccl"))
            add(Severity::blocking, "backend",
                Words::tr("Backend: the worker of {} cannot use NCCL: it was built without CUDA.", site.text),
                Words::tr("Build it where CUDA and NCCL are, or use the launcher's backend. “ringside-worker features” "
                          "says what was missing."));
        if (isServed)
            add(Severity::blocking, "backend",
                Words::tr("Backend: NCCL does not carry the messages of parameter servers."),
                Words::tr("Use the launcher's backend, or a plan without servers."));
    }

    bool lacks(const char* feature) const { return site.features && !site.features->count(feature); }

    void checkSystem()
    {
        if (!site.engines || !system->needsInstallation)
            return;
        if (const auto gone = site.goneInterpreters.find(system->name); gone != site.goneInterpreters.end())
            return add(Severity::blocking, "engine",
                       Words::tr("Engine: {} on {} ran with {}, which is gone.", system->title, site.text,
                                 inQuotes(gone->second)),
                       installationHint(system->name, text("site")));
        const auto found = site.engines->find(system->name);
        if (found == site.engines->end())
            add(Severity::blocking, "engine", Words::tr("Engine: {} has no {}.", site.text, system->title),
                installationHint(system->name, text("site")));
        else if (!system->versions.mayContain(found->second))
            add(Severity::warning, "engine",
                Words::tr("Engine: {} {} is on {}, and its table is for {}.", system->title, found->second, site.text,
                          system->versions.text()),
                Words::tr("Look at what its runs print, or install a version of that range."));
    }

    void checkMpirun()
    {
        const bool isOneProcess = system && system->process == ProcessOf::node && whole("nodes") == 1;
        if (whole("ranks") > 1 && !isOneProcess && site.mpirun == false && !site.direct)
            add(Severity::blocking, "ranks",
                Words::tr("Ranks: several need mpirun, which is not in PATH on {}.", site.text),
                Words::tr("Install Open MPI (Debian: openmpi-bin), or use 1 rank."));
    }

    void checkFeatures()
    {
        if (whole("ranks") > 1 && lacks("mpi") && !site.direct)
            add(Severity::blocking, "ranks",
                Words::tr("Ranks: the worker of {} cannot run several ranks: it was built without MPI.", site.text),
                Words::tr("Install Open MPI (libopenmpi-dev) and build again, or use 1 rank."));
        if (text("data") != "synthetic" && !isOfTokens() && lacks("jpeg"))
            add(Severity::blocking, "data",
                Words::tr("Data: the worker of {} cannot read pictures: it was built without libjpeg-turbo.",
                          site.text),
                Words::tr("Install libjpeg-turbo (libjpeg62-turbo-dev) and build again, or use data “synthetic”."));
    }
};

} // namespace

std::string planFeature(std::string_view part, std::string_view name)
{
    return fmt::format("{}:{}", part, name);
}

std::optional<std::string> partLacking(const AggregationPlan& plan, const SiteLimits& site)
{
    const std::pair<std::string_view, std::string_view> needed[] = {{"collective", nameOf(plan.collective)},
                                                                    {"grouping", nameOf(plan.grouping)},
                                                                    {"schedule", nameOf(plan.schedule)},
                                                                    {"compression", nameOf(plan.compression)}};
    const bool isKnown = site.features && site.features->count(planFeature("collective", nameOf(Collective::none)));
    if (!isKnown || plan.collective == Collective::none)
        return std::nullopt;
    for (const auto& [part, name] : needed) {
        const bool nothing = part == "compression" && plan.compression == Compression::none;
        if (!nothing && !site.features->count(planFeature(part, name)))
            return std::string(name);
    }
    if (plan.serverRanks() > 0 && plan.asynchronous && !site.features->count(planFeature("updates", "asynchronous")))
        return "asynchronous";
    return std::nullopt;
}

std::uint64_t leastMemoryBytes(const Settings& resolved)
{
    const ModelFacts* model = modelFacts(textOf(resolved, "model").value_or(""));
    if (!model)
        return kProcessBytes;
    if (isEmulated(resolved)) // one copy more of the parameters, as gradients, and no activations
        return kProcessBytes + (kBytesPerParameter + sizeof(float)) * static_cast<std::uint64_t>(model->parameters);
    if (textOf(resolved, "device") == "cuda") // activations are in the GPU's memory
        return kProcessBytes + kBytesPerParameter * static_cast<std::uint64_t>(model->parameters);
    const double places = placesOf(*model, integerOf(resolved, "image_size").value_or(model->smallestImage),
                                   integerOf(resolved, "sequence_length").value_or(1));
    const double batch = static_cast<double>(integerOf(resolved, "batch_per_rank").value_or(1));
    const double share = textOf(resolved, "precision") == "bf16" ? 0.5 : 1.0;
    const double activations = model->activationBytes * places * batch * share;
    return kProcessBytes + kBytesPerParameter * static_cast<std::uint64_t>(model->parameters) +
           static_cast<std::uint64_t>(activations);
}

std::vector<Check> checkCell(const Settings& resolved, const AggregationPlan& plan, const SiteLimits& site)
{
    CellChecker checker{resolved, plan, site};
    checker.checkNodes();
    checker.checkCores();
    checker.checkCoresBesideGpu();
    checker.checkMemory();
    checker.checkItems();
    checker.checkData();
    checker.checkDevice();
    checker.checkNeeds();
    checker.checkMpirun();
    if (checker.system) {
        checker.checkSystem();
        std::ranges::move(checkScript(resolved, site), std::back_inserter(checker.checks));
        return std::move(checker.checks);
    }
    checker.checkPlan();
    checker.checkWorkersDevice();
    checker.checkBackend();
    checker.checkFeatures();
    return std::move(checker.checks);
}

} // namespace ringside::spec
