// SPDX-License-Identifier: MIT
#include "core/spec/schema.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/protocol/levels.h"
#include "core/protocol/models.h"
#include "core/protocol/ownprograms.h"
#include "core/protocol/settings.h"
#include "core/spec/plans.h"
#include "core/spec/systems.h"
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
/// Systems are further ones, which are no part of the table.
std::vector<Level> engineLevels()
{
    return mapped(kOwnPrograms, [](const OwnProgram& program) {
        return Level{program.name, program.title, program.isOffered};
    });
}

std::vector<Level> modelLevels()
{
    std::vector<Level> levels = mapped(knownModels(), [&](const ModelFacts& model) {
        return Level{model.name, model.title};
    });
    levels.push_back({kModelNotTold, Words::noop("not told"), false}); // of imported runs
    return levels;
}

struct Range
{
    double least, most; ///< both inclusive
};

/// One of these words; of any, where none are named.
Setting choice(std::string_view key, std::string_view label, std::optional<std::string_view> standard,
               std::vector<Level> levels, std::string_view description)
{
    Setting setting{.key = key, .label = label, .levels = std::move(levels), .description = description};
    if (standard)
        setting.standard = named(*standard);
    return setting;
}

/// One of the words that the worker knows, each with its label.
template <std::size_t n>
Setting choice(std::string_view key, std::string_view label, const std::array<std::string_view, n>& words,
               const std::string_view (&labels)[n], std::string_view description)
{
    std::vector<Level> levels;
    for (std::size_t i = 0; i < n; ++i)
        levels.push_back({words[i], labels[i]});
    return choice(key, label, words.front(), std::move(levels), description);
}

Setting offOrOn(std::string_view key, std::string_view label, std::string_view description)
{
    return choice(key, label, kSwitches, {Words::noop("off"), Words::noop("on")}, description);
}

/// A word that only other engines know.
Setting orOfOthers(Level level, Setting setting)
{
    setting.levels.push_back(level);
    return setting;
}

Setting count(std::string_view key, std::string_view label, std::string_view unit, std::optional<std::int64_t> standard,
              Range range, std::string_view description)
{
    return {.key = key,
            .label = label,
            .type = integer,
            .unit = unit,
            .standard = standard,
            .minimum = range.least,
            .maximum = range.most,
            .description = description};
}

Setting number(std::string_view key, std::string_view label, std::string_view unit, double standard, Range range,
               std::string_view description)
{
    Setting setting = count(key, label, unit, {}, range, description);
    setting.type = real;
    setting.standard = standard;
    return setting;
}

Setting orOnGpu(std::int64_t standard, Setting setting)
{
    setting.standardOnGpu = standard;
    return setting;
}

/// A setting of a later version: see Setting::inHashWhenDefault.
Setting later(Setting setting, std::optional<Condition> needs = {})
{
    setting.needs = needs;
    setting.inHashWhenDefault = false;
    return setting;
}

std::vector<Setting> workloadSettings()
{
    return {
        choice("engine", Words::noop("Engine"), kOwnPrograms.front().name, engineLevels(),
               Words::noop("The program that trains; a calibration measures the site in its place.")),
        choice("device", Words::noop("Device"), kDevices, {"CPU", Words::noop("NVIDIA GPU")},
               Words::noop("Device on which a rank computes.")),
        choice("model", Words::noop("Model"), {}, modelLevels(), Words::noop("The network that is trained.")),
        count("image_size", Words::noop("Image size"), Words::noop("pixels"), 224, {8, 4096},
              Words::noop("Side of the square picture that the model sees.")),
        later(count("sequence_length", Words::noop("Sequence length"), Words::noop("tokens"), 256, {1, 4096},
                    Words::noop("Tokens that a model of text (GPT-2, LSTM) sees at once."))),
        count("batch_per_rank", Words::noop("Batch per rank"), kItemsUnit, {}, {1, 67'108'864},
              Words::noop("Images or sequences per iteration on each rank; held fixed, scaling is weak.")),
        count("batch_global", Words::noop("Global batch"), kItemsUnit, {}, {1, 67'108'864},
              Words::noop("Images or sequences per iteration on all ranks; held fixed, scaling is strong.")),
    };
}

std::vector<Setting> placementSettings()
{
    return {
        count("ranks", Words::noop("Ranks"), Words::noop("ranks"), {}, {1, 65'536},
              Words::noop("World size: processes that train together.")),
        count("nodes", Words::noop("Nodes"), Words::noop("nodes"), {}, {1, 65'536},
              Words::noop("Machines that the ranks are spread over.")),
        count("ranks_per_node", Words::noop("Ranks per node"), Words::noop("ranks"), {}, {1, 1'024},
              Words::noop("Ranks on each machine.")),
        orOnGpu(kCoresBesideGpu, count("cores_per_rank", Words::noop("Cores per rank"), Words::noop("cores"), 1,
                                       {1, 1'024}, Words::noop("Cores that a rank and its threads are bound to."))),
    };
}

std::vector<Setting> computeSettings()
{
    return {
        choice("plan", Words::noop("Plan"), kStandardPlan, {},
               Words::noop("Plan by which the gradients of all ranks are combined; on one rank always none.")),
        later(choice(
            "backend", Words::noop("Backend"), kBackends,
            {Words::noop("the launcher's"), "NCCL", Words::noop("MPI or TCP, the faster")},
            Words::noop("Library that sums gradients: MPI or TCP, as ranks are started; or NCCL, on a GPU of each "
                        "rank (not run on several GPUs so far); or TCP also under an Open MPI that has no "
                        "faster network between nodes."))),
        later(choice("interface", Words::noop("Network interface"), kAnyInterface, {},
                     Words::noop("Where nodes have several networks: the one for gradients, by its name on the "
                                 "nodes; any: as the launcher or the system chooses."))),
        orOfOthers({"fp16", "fp16"},
                   choice("precision", Words::noop("Precision"), kPrecisions, {"fp32", "bf16"},
                          Words::noop("Number format of the computation; not all engines have all of them."))),
        choice("layout", Words::noop("Layout"), kLayouts, {Words::noop("contiguous"), Words::noop("channels last")},
               Words::noop("Order of the dimensions of pictures and filters in memory.")),
        later(offOrOn("tf32", "TF32",
                      Words::noop("On GPUs: whether products and convolutions of fp32 may round their factors to 10 "
                                  "bits, which tensor cores multiply.")),
              kOnGpu),
        later(offOrOn("cudnn_benchmark", Words::noop("cuDNN autotuning"),
                      Words::noop("On GPUs: whether the first iteration tries cuDNN's algorithms for each "
                                  "convolution and keeps the fastest.")),
              kOnGpu),
        later(offOrOn("cuda_graph", Words::noop("CUDA graph"),
                      Words::noop("On GPUs: forward and backward are launched as one graph. Small batches gain by "
                                  "it; both are one phase, layers have no times, and nothing overlaps backward.")),
              kOnGpu),
        later(choice("timing", Words::noop("Timing"), kTimings, {Words::noop("events"), Words::noop("serialised")},
                     Words::noop("On GPUs: by events, which delay nothing; serialised: the host waits for the GPU at "
                                 "the end of each phase, so no phase hides the work of another.")),
              kOnGpu),
        later(choice("compute", Words::noop("Compute"), kComputes,
                     {Words::noop("real"), Words::noop("paced (emulated)")},
                     Words::noop("Paced: layers only take their time, and communication is studied alone."))),
        later(number("layer_ms", Words::noop("Time of a layer"), Words::noop("ms"), 1.0, {0, 1'000},
                     Words::noop("Where compute is paced: of each layer in forward; twice that in backward.")),
              kPaced),
    };
}

std::vector<Setting> dataSettings()
{
    return {
        choice("data", Words::noop("Data"), "synthetic",
               {{"synthetic", Words::noop("synthetic")},
                {"synthetic-files", Words::noop("synthetic files")},
                {"folder", Words::noop("folder")}},
               Words::noop("Numbers made in memory, JPEG files that Ringside writes once, or your own class folders.")),
        {.key = "data_path",
         .label = Words::noop("Data folder"),
         .type = path,
         .description =
             Words::noop("Folder on the site: one folder of JPEG files per class, or where synthetic files are kept.")},
        later(choice("storage", Words::noop("Storage"), kStorages, {Words::noop("shared"), Words::noop("node-local")},
                     Words::noop("Whether pictures are read where they are, or from a copy that each node makes on "
                                 "its own disk before training."))),
        later(choice(
            "files", Words::noop("Picture files"), kPictureFiles, {Words::noop("single"), Words::noop("packed")},
            Words::noop("One JPEG file a picture, or all packed into one file, which is made if it is not there."))),
        choice("cache", Words::noop("File cache"), kCaches, {Words::noop("warmed"), Words::noop("cold")},
               Words::noop("Whether the files are in memory (warmed) or on the disk (cold) when a run starts.")),
        count("decode_threads", Words::noop("Decode threads"), Words::noop("threads"), 1, {1, 256},
              Words::noop("Threads of a rank that read and decode pictures, inside its cores.")),
        count("prefetch", Words::noop("Prefetched batches"), Words::noop("batches"), kStandardPrefetch, {1, 256},
              Words::noop("Batches in the ring, the one in use included; 1: nothing is read ahead.")),
    };
}

std::vector<Setting> optimizerSettings()
{
    return {
        number("learning_rate", Words::noop("Learning rate"), "", 0.01, {0, 1000},
               Words::noop("Step of the optimizer (SGD).")),
        number("momentum", Words::noop("Momentum"), "", 0.9, {0, 1}, Words::noop("Momentum of the optimizer.")),
        number("weight_decay", Words::noop("Weight decay"), "", 0.0001, {0, 1},
               Words::noop("Weight decay of the optimizer.")),
        number("dropout", Words::noop("Dropout"), "", 0.5, {0, 0.99},
               Words::noop("Share of numbers that layers with dropout (AlexNet, GoogLeNet, Inception-v3, VGG-16, LSTM) "
                           "leave out; 0 switches it off.")),
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

/// All levels that are known. For `engine` the systems, too, which are no part of the table.
std::vector<Level> levelsOf(const Setting& setting)
{
    std::vector<Level> levels = setting.levels;
    if (setting.key == "engine")
        for (const System& system : systems())
            levels.push_back({system.name, system.title, system.isStarted});
    return levels;
}

std::vector<std::string> levelWords(const Setting& setting)
{
    return mapped<std::string>(offeredLevels(setting), &Level::word);
}

std::optional<Level> knownLevel(std::string_view key, const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    if (const Setting* setting = findSetting(key); setting && text)
        for (const Level& level : levelsOf(*setting))
            if (*text == level.word)
                return level;
    return std::nullopt;
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
    if (setting.type == path)
        return isOption(setting.key) ? Words::tr("a path in quotes") : Words::tr("a folder in quotes");
    return Words::tr("a word in quotes");
}

tl::unexpected<Error> unfit(const Setting& setting, const std::string& found, std::string hint = {})
{
    return fail(ErrorCode::usage, Words::tr("expected {}, found {}.", expectation(setting), found), std::move(hint));
}

Result<Value> canonicalNumber(const Setting& setting, const Value& value)
{
    const auto number = asNumber(value);
    if (!number || !(*number >= setting.minimum && *number <= setting.maximum)) // also refuses NaN
        return unfit(setting, foundInstead(value), unquoting(value));
    if (setting.type == real)
        return Value(*number);
    if (!std::holds_alternative<std::int64_t>(value) || *number > kLargestExactInteger)
        return unfit(setting, foundInstead(value), writtenWhole(value));
    return value;
}

/// Engines are more than a list that one can read: the first of them, and the command that lists all.
std::string engineSuggestion(const std::string& word, std::vector<std::string> known)
{
    constexpr std::size_t kNamed = 5;
    const std::string likely = suggestion(word, known);
    if (!likely.empty() || known.size() <= kNamed)
        return likely;
    known.resize(kNamed);
    return Words::tr("Known are {} and others: “ringside-cli engine list” names them.", joined(known, ", "));
}

/// UTF-8 and as long as a path may be: files, plans and programs carry it as it is.
bool isLine(std::string_view text)
{
    constexpr std::size_t kMaxText = 4'095;
    return text.size() <= kMaxText && plainText(text) == text && text.find_first_of("\n\t") == std::string_view::npos;
}

bool isWholeNumber(std::string_view word)
{
    return !word.empty() && std::ranges::all_of(word, isDigit);
}

/// The number as a word, for a setting whose words are numbers, such as counts of bits.
Value asWord(const Value& value, const std::vector<Level>& levels)
{
    const bool areNumbers = !levels.empty() && std::ranges::all_of(levels, isWholeNumber, &Level::word);
    return areNumbers && std::holds_alternative<std::int64_t>(value) ? Value(toText(value)) : value;
}

Result<Value> canonicalWord(const Setting& setting, const Value& given)
{
    const std::vector<Level> levels = levelsOf(setting);
    const Value value = asWord(given, levels);
    const auto* text = std::get_if<std::string>(&value);
    if (!text || text->empty())
        return unfit(setting, inQuotes(toText(value)));
    if (!isLine(*text))
        return fail(ErrorCode::usage, Words::tr("it is too long or has control characters."),
                    Words::tr("Use one line of at most 4095 bytes."));
    if (levels.empty() || contains(mapped(levels, &Level::word), *text))
        return value;
    if (const std::string refusal = refusalOf(*text); setting.key == "engine" && !refusal.empty())
        return fail(ErrorCode::usage, Words::tr("the table of {} cannot be read: {}", inQuotes(*text), refusal),
                    Words::tr("Fix or remove the table."));
    return fail(ErrorCode::usage, Words::tr("{} is not known.", inQuotes(*text)),
                setting.key == "engine" ? engineSuggestion(*text, levelWords(setting))
                                        : suggestion(*text, levelWords(setting)));
}

} // namespace

const std::vector<Setting>& schema()
{
    static const std::vector<Setting> kSchema = makeSchema();
    return kSchema;
}

std::optional<Value> standardOf(const Setting& setting, const Settings& settings)
{
    if (!setting.standardFrom.empty()) {
        const Value* other = valueOf(settings, setting.standardFrom);
        return other ? std::optional(*other) : std::nullopt;
    }
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
    std::vector<Level> levels = levelsOf(setting);
    std::erase_if(levels, [](const Level& level) { return !level.offered; });
    return levels;
}

const Setting* findSetting(std::string_view key)
{
    static const Index kIndex = makeIndex();
    if (const auto found = kIndex.find(key); found != kIndex.end())
        return found->second;
    const System* system = findSystem(key.substr(0, key.find('.')));
    return system ? system->option(key) : nullptr;
}

std::vector<std::string> settingKeys()
{
    auto keys = mapped<std::string>(schema(), &Setting::key);
    for (const System& system : systems())
        for (const Setting& option : system.options)
            keys.emplace_back(option.key);
    return keys;
}

std::string labelOf(std::string_view key)
{
    const Setting* setting = findSetting(key);
    return std::string(setting ? setting->label : key);
}

std::string labelOf(std::string_view key, const Value& value)
{
    const auto level = knownLevel(key, value);
    return level ? std::string(level->label) : toText(value);
}

std::string shownLabelOf(std::string_view key)
{
    const Setting* setting = findSetting(key);
    return setting ? Words::translated(setting->label) : std::string(key);
}

std::string shownLabelOf(std::string_view key, const Value& value)
{
    const auto level = knownLevel(key, value);
    return level ? Words::translated(level->label) : toText(value);
}

Result<Value> canonicalValue(const Setting& setting, const Value& value)
{
    return setting.type == integer || setting.type == real ? canonicalNumber(setting, value)
                                                           : canonicalWord(setting, value);
}

} // namespace ringside::spec
