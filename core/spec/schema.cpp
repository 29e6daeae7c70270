// SPDX-License-Identifier: MIT
#include "core/spec/schema.h"

#include "core/base/text.h"
#include "core/protocol/calibration.h"
#include "core/protocol/models.h"
#include "core/protocol/settings.h"
#include "core/spec/plans.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace ringside::spec {

namespace {

using enum SettingType;

constexpr Condition kOnGpu{"device", "cuda"};
constexpr Condition kPaced{"compute", "paced"};
constexpr double kLargestExactInteger = 9007199254740992.0; // 2^53

Value named(std::string_view text)
{
    return std::string(text);
}
Value whole(std::int64_t number)
{
    return number;
}

std::vector<Level> modelLevels()
{
    std::vector<Level> levels;
    for (const ModelFacts& model : knownModels())
        levels.push_back({model.name, model.title});
    return levels;
}

std::vector<Setting> workloadSettings()
{
    return {
        {.key = "engine",
         .label = Words::noop("Engine"),
         .standard = named("ringside"),
         .levels = {{"ringside", "Ringside"}, {kCalibrationEngine, Words::noop("Calibration"), false}},
         .description = Words::noop("The program that trains; a calibration measures the site in its place.")},
        {.key = "device",
         .label = Words::noop("Device"),
         .standard = named("cpu"),
         .levels = {{"cpu", "CPU"}, {"cuda", Words::noop("NVIDIA GPU")}},
         .description = Words::noop("What a rank computes on.")},
        {.key = "model",
         .label = Words::noop("Model"),
         .levels = modelLevels(),
         .description = Words::noop("The network that is trained.")},
        {.key = "image_size",
         .label = Words::noop("Image size"),
         .type = integer,
         .unit = Words::noop("pixels"),
         .standard = whole(224),
         .minimum = 8,
         .maximum = 4096,
         .description = Words::noop("Side of the square picture that the model sees.")},
        {.key = "sequence_length",
         .label = Words::noop("Sequence length"),
         .type = integer,
         .unit = Words::noop("tokens"),
         .standard = whole(256),
         .minimum = 1,
         .maximum = 4096,
         .description = Words::noop("Tokens that a model of text (GPT-2, LSTM) sees at once."),
         .inHashWhenDefault = false},
        {.key = "batch_per_rank",
         .label = Words::noop("Batch per rank"),
         .type = integer,
         .unit = kItemsUnit,
         .minimum = 1,
         .maximum = 1'048'576,
         .description = Words::noop("Images or sequences per iteration on each rank; held fixed, scaling is weak.")},
        {.key = "batch_global",
         .label = Words::noop("Global batch"),
         .type = integer,
         .unit = kItemsUnit,
         .minimum = 1,
         .maximum = 1'048'576,
         .description = Words::noop("Images or sequences per iteration on all ranks; held fixed, scaling is strong.")},
    };
}

std::vector<Setting> placementSettings()
{
    return {
        {.key = "ranks",
         .label = Words::noop("Ranks"),
         .type = integer,
         .unit = Words::noop("ranks"),
         .minimum = 1,
         .maximum = 65'536,
         .description = Words::noop("World size: processes that train together.")},
        {.key = "nodes",
         .label = Words::noop("Nodes"),
         .type = integer,
         .unit = Words::noop("nodes"),
         .minimum = 1,
         .maximum = 65'536,
         .description = Words::noop("Machines that the ranks are spread over.")},
        {.key = "ranks_per_node",
         .label = Words::noop("Ranks per node"),
         .type = integer,
         .unit = Words::noop("ranks"),
         .minimum = 1,
         .maximum = 1'024,
         .description = Words::noop("Ranks on each machine.")},
        {.key = "cores_per_rank",
         .label = Words::noop("Cores per rank"),
         .type = integer,
         .unit = Words::noop("cores"),
         .standard = whole(1),
         .minimum = 1,
         .maximum = 1'024,
         .description = Words::noop("Cores that a rank and its threads are bound to."),
         .standardOnGpu = whole(kCoresBesideGpu)},
    };
}

std::vector<Setting> computeSettings()
{
    return {
        {.key = "plan",
         .label = Words::noop("Plan"),
         .standard = named(kStandardPlan),
         .description = Words::noop("How the gradients of all ranks are combined; on one rank always none.")},
        {.key = "backend",
         .label = Words::noop("Backend"),
         .standard = named("launcher"),
         .levels = {{"launcher", Words::noop("the launcher's")}, {"nccl", "NCCL"}},
         .description = Words::noop(
             "What sums gradients: MPI or TCP, as ranks are started; or NCCL, on a GPU of each rank (not run on "
             "one so far)."),
         .inHashWhenDefault = false},
        {.key = "interface",
         .label = Words::noop("Network interface"),
         .standard = named(kAnyInterface),
         .description = Words::noop("Where nodes have several networks: the one for gradients, by its name on the "
                                    "nodes; any: as the launcher chooses."),
         .inHashWhenDefault = false},
        {.key = "precision",
         .label = Words::noop("Precision"),
         .standard = named("fp32"),
         .levels = {{"fp32", "fp32"}, {"bf16", "bf16"}},
         .description = Words::noop("Number format of the computation.")},
        {.key = "layout",
         .label = Words::noop("Layout"),
         .standard = named("contiguous"),
         .levels = {{"contiguous", Words::noop("contiguous")}, {"channels_last", Words::noop("channels last")}},
         .description = Words::noop("Order of the dimensions of pictures and filters in memory.")},
        {.key = "tf32",
         .label = "TF32",
         .standard = named("off"),
         .levels = {{"off", Words::noop("off")}, {"on", Words::noop("on")}},
         .description = Words::noop("On GPUs: whether products and convolutions of fp32 may round their factors to 10 "
                                    "bits, which tensor cores multiply."),
         .needs = kOnGpu,
         .inHashWhenDefault = false},
        {.key = "cudnn_benchmark",
         .label = Words::noop("cuDNN autotuning"),
         .standard = named("off"),
         .levels = {{"off", Words::noop("off")}, {"on", Words::noop("on")}},
         .description = Words::noop("On GPUs: whether the first iteration tries cuDNN's algorithms for each "
                                    "convolution and keeps the fastest."),
         .needs = kOnGpu,
         .inHashWhenDefault = false},
        {.key = "cuda_graph",
         .label = Words::noop("CUDA graph"),
         .standard = named("off"),
         .levels = {{"off", Words::noop("off")}, {"on", Words::noop("on")}},
         .description = Words::noop("On GPUs: forward and backward are launched as one graph. Small batches gain by "
                                    "it; both are one phase, layers have no times, and nothing overlaps backward."),
         .needs = kOnGpu,
         .inHashWhenDefault = false},
        {.key = "timing",
         .label = Words::noop("Timing"),
         .standard = named("events"),
         .levels = {{"events", Words::noop("events")}, {"serialised", Words::noop("serialised")}},
         .description = Words::noop("On GPUs: by events, which hold nothing up; serialised: the host waits for the GPU "
                                    "at the end of each phase, so no phase hides what another one was given."),
         .needs = kOnGpu,
         .inHashWhenDefault = false},
        {.key = "compute",
         .label = Words::noop("Compute"),
         .standard = named("real"),
         .levels = {{"real", Words::noop("real")}, {"paced", Words::noop("paced (emulated)")}},
         .description = Words::noop("Paced: layers only take their time, and communication is studied alone."),
         .inHashWhenDefault = false},
        {.key = "layer_ms",
         .label = Words::noop("Time of a layer"),
         .type = real,
         .unit = Words::noop("ms"),
         .standard = 1.0,
         .minimum = 0,
         .maximum = 1'000,
         .description = Words::noop("Where compute is paced: of each layer in forward; twice that in backward."),
         .needs = kPaced,
         .inHashWhenDefault = false},
    };
}

std::vector<Setting> dataSettings()
{
    return {
        {.key = "data",
         .label = Words::noop("Data"),
         .standard = named("synthetic"),
         .levels = {{"synthetic", Words::noop("synthetic")},
                    {"synthetic-files", Words::noop("synthetic files")},
                    {"folder", Words::noop("folder")}},
         .description =
             Words::noop("Numbers made in memory, JPEG files that Ringside writes once, or your own class folders.")},
        {.key = "data_path",
         .label = Words::noop("Data folder"),
         .type = path,
         .description =
             Words::noop("Folder on the site: one folder of JPEG files per class, or where synthetic files are kept.")},
        {.key = "storage",
         .label = Words::noop("Storage"),
         .standard = named("shared"),
         .levels = {{"shared", Words::noop("shared")}, {"node-local", Words::noop("node-local")}},
         .description = Words::noop("Whether pictures are read where they are, or from a copy that each node makes on "
                                    "its own disk before training."),
         .inHashWhenDefault = false},
        {.key = "files",
         .label = Words::noop("Picture files"),
         .standard = named("single"),
         .levels = {{"single", Words::noop("single")}, {"packed", Words::noop("packed")}},
         .description =
             Words::noop("One JPEG file a picture, or all packed into one file, which is made if it is not there."),
         .inHashWhenDefault = false},
        {.key = "cache",
         .label = Words::noop("File cache"),
         .standard = named("warmed"),
         .levels = {{"warmed", Words::noop("warmed")}, {"cold", Words::noop("cold")}},
         .description =
             Words::noop("Whether the files are in memory (warmed) or on the disk (cold) when a run starts.")},
        {.key = "decode_threads",
         .label = Words::noop("Decode threads"),
         .type = integer,
         .unit = Words::noop("threads"),
         .standard = whole(1),
         .minimum = 1,
         .maximum = 256,
         .description = Words::noop("Threads of a rank that read and decode pictures, inside its cores.")},
        {.key = "prefetch",
         .label = Words::noop("Prefetched batches"),
         .type = integer,
         .unit = Words::noop("batches"),
         .standard = whole(kStandardPrefetch),
         .minimum = 1,
         .maximum = 256,
         .description = Words::noop("Batches in the ring, the one in use included; 1: nothing is read ahead.")},
    };
}

std::vector<Setting> optimizerSettings()
{
    return {
        {.key = "learning_rate",
         .label = Words::noop("Learning rate"),
         .type = real,
         .standard = 0.01,
         .minimum = 0,
         .maximum = 1000,
         .description = Words::noop("Step of the optimizer (SGD).")},
        {.key = "momentum",
         .label = Words::noop("Momentum"),
         .type = real,
         .standard = 0.9,
         .minimum = 0,
         .maximum = 1,
         .description = Words::noop("Momentum of the optimizer.")},
        {.key = "weight_decay",
         .label = Words::noop("Weight decay"),
         .type = real,
         .standard = 0.0001,
         .minimum = 0,
         .maximum = 1,
         .description = Words::noop("Weight decay of the optimizer.")},
        {.key = "dropout",
         .label = Words::noop("Dropout"),
         .type = real,
         .standard = 0.5,
         .minimum = 0,
         .maximum = 0.99,
         .description = Words::noop(
             "Share of numbers that layers with dropout (AlexNet, GoogLeNet, Inception-v3, VGG-16, LSTM) leave out; 0 "
             "switches it off.")},
    };
}

std::vector<Setting> makeSchema()
{
    std::vector<Setting> all;
    for (const auto& group :
         {workloadSettings(), placementSettings(), computeSettings(), dataSettings(), optimizerSettings()})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

using Index = std::unordered_map<std::string_view, const Setting*>;

Index makeIndex()
{
    Index index;
    for (const Setting& setting : schema())
        index.emplace(setting.key, &setting);
    return index;
}

std::vector<std::string> levelWords(const Setting& setting)
{
    std::vector<std::string> words;
    for (const Level& level : offeredLevels(setting))
        words.emplace_back(level.word);
    return words;
}

const Level* knownLevel(std::string_view key, const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    if (const Setting* setting = findSetting(key); setting && text)
        for (const Level& level : setting->levels)
            if (*text == level.word)
                return &level;
    return nullptr;
}

std::optional<double> asNumber(const Value& value)
{
    if (const auto* integerValue = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integerValue);
    if (const auto* realValue = std::get_if<double>(&value))
        return *realValue;
    return std::nullopt;
}

std::string expectation(const Setting& setting)
{
    if (setting.type == integer)
        return Words::tr("a whole number from {} to {}", grouped(static_cast<std::uint64_t>(setting.minimum)),
                         grouped(static_cast<std::uint64_t>(setting.maximum)));
    if (setting.type == real)
        return Words::tr("a number from {} to {}", setting.minimum, setting.maximum);
    return setting.type == path ? Words::tr("a folder in quotes") : Words::tr("a word in quotes");
}

tl::unexpected<Error> unfit(const Setting& setting, const Value& value)
{
    return fail(ErrorCode::usage, Words::tr("expected {}, found {}.", expectation(setting), inQuotes(toText(value))));
}

tl::unexpected<Error> noNumber(const Setting& setting, const Value& value)
{
    return fail(ErrorCode::usage, Words::tr("expected {}, found {}.", expectation(setting), foundInstead(value)),
                unquoting(value));
}

tl::unexpected<Error> notWhole(const Setting& setting, const Value& value)
{
    return fail(ErrorCode::usage, Words::tr("expected {}, found {}.", expectation(setting), foundInstead(value)),
                writtenWhole(value));
}

Result<Value> canonicalNumber(const Setting& setting, const Value& value)
{
    const auto number = asNumber(value);
    if (!number || !(*number >= setting.minimum && *number <= setting.maximum)) // also refuses NaN
        return noNumber(setting, value);
    if (setting.type == real)
        return Value(*number);
    if (!std::holds_alternative<std::int64_t>(value) || *number > kLargestExactInteger)
        return notWhole(setting, value);
    return value;
}

/// Of UTF-8 and as long as a path may be: what files, plans and programs carry as it is.
bool isLine(std::string_view text)
{
    constexpr std::size_t kMaxText = 4'095;
    return text.size() <= kMaxText && plainText(text) == text && text.find_first_of("\n\t") == std::string_view::npos;
}

Result<Value> canonicalWord(const Setting& setting, const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    if (!text || text->empty())
        return unfit(setting, value);
    if (!isLine(*text))
        return fail(ErrorCode::usage, Words::tr("it is too long or has control characters."),
                    Words::tr("Use one line of at most 4095 bytes."));
    if (setting.levels.empty())
        return value;
    for (const Level& level : setting.levels)
        if (*text == level.word)
            return value;
    return fail(ErrorCode::usage, Words::tr("{} is not known.", inQuotes(*text)),
                suggestion(*text, levelWords(setting)));
}

} // namespace

const std::vector<Setting>& schema()
{
    static const std::vector<Setting> kSchema = makeSchema();
    return kSchema;
}

std::optional<Value> standardOf(const Setting& setting, const Settings& settings)
{
    const bool isOnGpu = setting.standardOnGpu && textOf(settings, kOnGpu.key) == kOnGpu.level;
    return isOnGpu ? setting.standardOnGpu : setting.standard;
}

int standardCores(std::string_view device)
{
    const Setting& cores = *findSetting("cores_per_rank");
    return static_cast<int>(std::get<std::int64_t>(*standardOf(cores, {{std::string(kOnGpu.key), named(device)}})));
}

std::vector<Level> offeredLevels(const Setting& setting)
{
    std::vector<Level> offered;
    std::copy_if(setting.levels.begin(), setting.levels.end(), std::back_inserter(offered),
                 [](const Level& level) { return level.offered; });
    return offered;
}

const Setting* findSetting(std::string_view key)
{
    static const Index kIndex = makeIndex();
    const auto found = kIndex.find(key);
    return found == kIndex.end() ? nullptr : found->second;
}

std::vector<std::string> settingKeys()
{
    std::vector<std::string> keys;
    for (const Setting& setting : schema())
        keys.emplace_back(setting.key);
    return keys;
}

std::string labelOf(std::string_view key)
{
    const Setting* setting = findSetting(key);
    return std::string(setting ? setting->label : key);
}

std::string labelOf(std::string_view key, const Value& value)
{
    const Level* level = knownLevel(key, value);
    return level ? std::string(level->label) : toText(value);
}

std::string shownLabelOf(std::string_view key)
{
    const Setting* setting = findSetting(key);
    return setting ? Words::translated(setting->label) : std::string(key);
}

std::string shownLabelOf(std::string_view key, const Value& value)
{
    const Level* level = knownLevel(key, value);
    return level ? Words::translated(level->label) : toText(value);
}

Result<Value> canonicalValue(const Setting& setting, const Value& value)
{
    return setting.type == integer || setting.type == real ? canonicalNumber(setting, value)
                                                           : canonicalWord(setting, value);
}

} // namespace ringside::spec
