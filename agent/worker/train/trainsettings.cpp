// SPDX-License-Identifier: MIT
#include "agent/worker/train/trainsettings.h"

#include "core/base/environment.h"
#include "core/base/text.h"
#include "core/protocol/levels.h"
#include "core/protocol/nodefolder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/ranges.h>

namespace ringside {

namespace {

Result<std::uint32_t> attemptNumber(const fs::path& folder)
{
    constexpr std::string_view prefix = "attempt-";
    const auto name = folder.filename().string();
    std::uint32_t number = 0;
    if (name.starts_with(prefix))
        std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (number == 0)
        return fail(ErrorCode::usage, fmt::format("“{}” is not the folder of an attempt.", folder.string()),
                    "Its name must be attempt-1, attempt-2 ….");
    return number;
}

struct FoundRun
{
    RunSpec run;
    fs::path siteFolder;
};

Result<FoundRun> findRun(const TrainRequest& request)
{
    TRY_ASSIGN(const auto id, RunId::parse(request.run));
    TRY_ASSIGN(const auto text, readFile(request.planFile));
    TRY_ASSIGN(auto plan, planFromJson(text));
    const auto found = std::find_if(plan.runs.begin(), plan.runs.end(), [&](const auto& run) { return run.id == id; });
    if (found == plan.runs.end())
        return fail(ErrorCode::usage, fmt::format("Run {} is not in {}.", id.str(), request.planFile.string()));
    if (!textOf(found->settings, "data_path") && !plan.dataFolder.empty())
        found->settings["data_path"] = plan.dataFolder;
    return FoundRun{*found, plan.dataFolder};
}

/// The named settings of one run; the first problem is stored and everything after it is moot.
class SettingReader
{
public:
    explicit SettingReader(const Settings& settings)
        : m_settings(settings)
    {
    }

    int integer(std::string_view key, int fallback, int low, int high)
    {
        const auto value = present(key) ? integerOf(m_settings, key) : std::optional<std::int64_t>(fallback);
        if (!value || *value < low || *value > high)
            refuse(key, fmt::format("a whole number from {} to {}", low, high));
        return static_cast<int>(value.value_or(fallback));
    }
    double number(std::string_view key, double fallback, double low, double high)
    {
        const auto value = present(key) ? numberOf(m_settings, key) : std::optional<double>(fallback);
        if (!value || !(*value >= low && *value <= high)) // also refuses NaN
            refuse(key, fmt::format("a number from {} to {}", low, high));
        return value.value_or(fallback);
    }
    std::string word(std::string_view key, std::string_view fallback) const
    {
        return textOf(m_settings, key).value_or(std::string(fallback));
    }
    /// The position of the word in `known`, whose first is the default.
    std::size_t choice(std::string_view key, std::span<const std::string_view> known)
    {
        const auto found = std::find(known.begin(), known.end(), word(key, known.front()));
        if (found != known.end())
            return static_cast<std::size_t>(found - known.begin());
        refuse(key, fmt::format("one of {}", fmt::join(known, ", ")));
        return 0;
    }
    bool present(std::string_view key) const { return m_settings.contains(key); }
    void refuse(std::string_view key, std::string expected)
    {
        if (m_problem)
            return;
        const auto found = m_settings.find(key);
        const auto value = found == m_settings.end() ? "absent" : "“" + toText(found->second) + "”";
        m_problem = Error{ErrorCode::usage, fmt::format("Setting {} is {}.", key, value),
                          fmt::format("This worker expects {}.", expected)};
    }
    Result<void> outcome() const { return m_problem ? Result<void>(tl::unexpected(*m_problem)) : Result<void>{}; }

private:
    const Settings& m_settings;
    std::optional<Error> m_problem;
};

const ModelEntry* readModel(SettingReader& reader)
{
    const auto* model = findModel(reader.word("model", ""));
    if (model)
        return model;
    std::vector<std::string_view> names;
    for (const auto& entry : models())
        names.push_back(entry.name);
    reader.refuse("model", fmt::format("one of {}", fmt::join(names, ", ")));
    return &models().front();
}

int readBatch(SettingReader& reader, int ranks)
{
    constexpr int largest = 1 << 20;
    if (!reader.present("batch_global"))
        return reader.integer("batch_per_rank", 0, 1, largest);
    const int global = reader.integer("batch_global", 0, 1, largest);
    if (global % ranks != 0)
        reader.refuse("batch_global", fmt::format("a multiple of the {} ranks", ranks));
    return global / ranks;
}

/// Returns the folder for the node's copy of the pictures; empty: they are read where they are.
fs::path readStorage(SettingReader& reader, const std::string& source)
{
    if (reader.choice("storage", kStorages) == 0)
        return {};
    if (source == "synthetic")
        reader.refuse("storage", "shared with data “synthetic”, which has no files");
    const char* folder = environment(kNodeFolderVariable);
    if (!folder)
        reader.refuse("storage", fmt::format("shared, unless ringside-agent starts it and {} names a folder on the "
                                             "node's own disk",
                                             kNodeFolderVariable));
    return folder ? folder : "";
}

DataSettings readData(SettingReader& reader, const TrainSettings& settings)
{
    DataSettings data;
    data.source = reader.word("data", data.source);
    data.folder = reader.word("data_path", "");
    data.batch = settings.batch;
    data.imageSize = settings.imageSize;
    data.sequenceLength = settings.sequenceLength;
    data.classes = static_cast<int>(settings.modelOptions.classes);
    data.decodeThreads = reader.integer("decode_threads", data.decodeThreads, 1, 256);
    data.prefetch = reader.integer("prefetch", data.prefetch, 1, 256);
    data.pictures = reader.integer("pictures", data.pictures, 10, 1'000'000);
    data.channelsLast = settings.channelsLast;
    data.packed = reader.choice("files", kPictureFiles) == 1;
    data.nodeFolder = readStorage(reader, data.source);
    data.coldCache = reader.choice("cache", kCaches) == 1;
    data.seed = settings.seed;
    return data;
}

/// Pixels or tokens, by the model's input.
void readItemSize(SettingReader& reader, TrainSettings& settings)
{
    if (takesTokens(*settings.model))
        settings.sequenceLength =
            reader.integer("sequence_length", kStandardSequenceLength, 1, settings.model->longestSequence);
    else
        settings.imageSize = reader.integer("image_size", settings.imageSize, settings.model->smallestImage, 4096);
}

/// Checks settings that are for pictures alone.
void checkTokens(SettingReader& reader, const TrainSettings& settings)
{
    if (!settings.isOfTokens())
        return;
    if (settings.data.source != "synthetic")
        reader.refuse("data", "synthetic with a model of tokens");
    if (settings.channelsLast)
        reader.refuse("layout", "contiguous with a model of tokens");
}

void readDevice(SettingReader& reader, c10::DeviceType gpu, TrainSettings& settings)
{
    settings.device = reader.choice("device", kDevices) == 1 ? gpu : c10::kCPU;
    settings.math.tf32 = reader.choice("tf32", kSwitches) == 1;
    settings.math.cudnnBenchmark = reader.choice("cudnn_benchmark", kSwitches) == 1;
    settings.cudaGraph = isOnGpu(settings) && reader.choice("cuda_graph", kSwitches) == 1;
    settings.serialised = isOnGpu(settings) && reader.choice("timing", kTimings) == 1;
    if (settings.cudaGraph && settings.run.plan.isLayerwise())
        reader.refuse("cuda_graph", fmt::format("off with a plan of schedule {}", nameOf(settings.run.plan.schedule)));
    if (isOnGpu(settings) && reader.choice("compute", kComputes) == 1)
        reader.refuse("compute", "real with device “cuda”");
}

/// libtorch's autocast casts the input of cuDNN's LSTM to fp16, whatever was asked for.
void checkPrecision(SettingReader& reader, const TrainSettings& settings)
{
    if (settings.precision == Precision::bf16 && isOnGpu(settings) && settings.model->name == "lstm")
        reader.refuse("precision", "fp32 with model “lstm” and device “cuda”");
}

/// Servers answer message by message, from host to host.
Backend readBackend(SettingReader& reader, const AggregationPlan& plan)
{
    const auto backend = static_cast<Backend>(reader.choice("backend", kBackends));
    if (backend == Backend::nccl && plan.serverRanks() > 0)
        reader.refuse("backend", "launcher with a parameter server");
    return backend;
}

std::string readInterface(SettingReader& reader)
{
    const std::string name = reader.word("interface", std::string(kAnyInterface));
    return name == kAnyInterface ? std::string() : name;
}

std::optional<std::chrono::nanoseconds> readPace(SettingReader& reader)
{
    const double ms = reader.number("layer_ms", 1, 0, 1'000);
    if (reader.choice("compute", kComputes) == 0)
        return std::nullopt;
    return std::chrono::nanoseconds(std::llround(ms * 1e6));
}

Result<TrainSettings> check(TrainSettings settings, c10::DeviceType gpu)
{
    SettingReader reader(settings.run.settings);
    readDevice(reader, gpu, settings);
    settings.model = readModel(reader);
    settings.modelOptions.classes = settings.model->classes;
    settings.modelOptions.dropout = reader.number("dropout", settings.modelOptions.dropout, 0, 0.99);
    settings.batch = readBatch(reader, settings.run.ranks());
    readItemSize(reader, settings);
    settings.coresPerRank = reader.integer("cores_per_rank", settings.coresPerRank, 1, 1024);
    settings.precision = static_cast<Precision>(reader.choice("precision", kPrecisions));
    settings.channelsLast = reader.choice("layout", kLayouts) == 1;
    settings.backend = readBackend(reader, settings.run.plan);
    if (settings.serialised && settings.backend == Backend::nccl && settings.run.plan.isLayerwise())
        reader.refuse("timing", fmt::format("events with a plan of schedule {} and backend nccl",
                                            nameOf(settings.run.plan.schedule)));
    settings.interface = readInterface(reader);
    settings.pacedLayer = readPace(reader);
    settings.optimizer = {reader.number("learning_rate", 0.01, 0, 1000), reader.number("momentum", 0.9, 0, 1),
                          reader.number("weight_decay", 0.0001, 0, 1)};
    settings.data = readData(reader, settings);
    checkTokens(reader, settings);
    checkPrecision(reader, settings);
    TRY(reader.outcome());
    return settings;
}

} // namespace

std::string itemsText(const TrainSettings& settings)
{
    return settings.isOfTokens() ? fmt::format("sequences of {} tokens", settings.sequenceLength)
                                 : fmt::format("images of {} pixels", settings.imageSize);
}

Result<TrainSettings> readTrainSettings(const TrainRequest& request)
{
    TrainSettings settings;
    settings.attempt = request.attempt;
    TRY_ASSIGN(settings.attemptNumber, attemptNumber(request.attempt));
    TRY_ASSIGN(auto found, findRun(request));
    settings.run = std::move(found.run);
    settings.seed = settings.run.seed;
    settings.siteFolder = std::move(found.siteFolder);
    if (auto why = whyNotComposed(settings.run.plan))
        return tl::unexpected(std::move(*why));
    return check(std::move(settings), request.gpu);
}

} // namespace ringside
