// SPDX-License-Identifier: MIT
#include "core/spec/schema.h"
#include "core/spec/plans.h"
#include "core/spec/systems.h"

#include "core/base/files.h"
#include "core/protocol/ownprograms.h"
#include "tests/spec/examples.h"
#include "tests/support/built.h"

#include <limits>
#include <set>

using namespace ringside;
using namespace ringside::spec;

TEST_CASE("every setting describes itself and its default is one of its values")
{
    std::set<std::string_view> keys, labels;
    for (const Setting& setting : schema()) {
        CAPTURE(setting.key);
        CHECK(keys.insert(setting.key).second);
        CHECK(labels.insert(setting.label).second);
        CHECK(setting.description.back() == '.');
        CHECK(findSetting(setting.key) == &setting);
        if (setting.standard)
            CHECK(canonicalValue(setting, *setting.standard) == *setting.standard);
        for (const Level& level : setting.levels)
            CHECK(canonicalValue(setting, std::string(level.word)));
    }
    CHECK(findSetting("modle") == nullptr);
}

TEST_CASE("values take their setting's type or are refused with what would be right")
{
    const auto canonical = [](const char* key, Value value) {
        const auto result = canonicalValue(*findSetting(key), value);
        return result ? toText(*result) : result.error().text();
    };
    CHECK(canonical("ranks", 2.0) == "expected a whole number from 1 to 65,536, found “2.0”. Write 2.");
    CHECK(canonical("ranks", 2.5) == "expected a whole number from 1 to 65,536, found “2.5”.");
    CHECK(canonical("ranks", std::string("2")) ==
          "expected a whole number from 1 to 65,536, found the text “2”. Write 2 without quotes.");
    CHECK(canonical("ranks", std::string("two")) == "expected a whole number from 1 to 65,536, found “two”.");
    CHECK(canonical("ranks", true) == "expected a whole number from 1 to 65,536, found “true”.");
    CHECK(canonical("ranks", std::numeric_limits<double>::quiet_NaN()).find("expected") == 0);
    CHECK(canonical("momentum", 1.5) == "expected a number from 0 to 1, found “1.5”.");
    CHECK(canonical("model", std::string("resnet-50")) == "“resnet-50” is not known. Did you mean “resnet50”? Known: "
                                                          "alexnet, googlenet, inceptionv3, resnet18, resnet50, "
                                                          "resnet101, resnet152, vgg16, lenet, gpt2 and lstm.");
    CHECK(canonicalValue(*findSetting("momentum"), std::int64_t{1}) == Value(1.0));
    const std::string odd = "/data/it's $(here) \\ 日本";
    CHECK(canonical("data_path", odd) == odd);
    for (const std::string& text : {std::string("/a\nb"), std::string("/\x1b[2J"), std::string("/\xff"),
                                    std::string("/a\0b", 4), std::string(10'000, 'x')})
        CHECK(canonical("data_path", text).starts_with("it is too long or has control characters."));
}

TEST_CASE("a calibration is what a command makes: accepted, known by its name, and not offered")
{
    const Setting& engine = *findSetting("engine");
    for (const OwnProgram& program : kOwnPrograms)
        CHECK(canonicalValue(engine, std::string(program.name)));
    CHECK(labelOf("engine", std::string("calibration")) == "Calibration");
    for (const Level& offered : offeredLevels(engine))
        CHECK(offered.word != "calibration");
    CHECK(offeredLevels(engine).front().word == "ringside");
    const auto refused = canonicalValue(engine, std::string("calibrate"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("calibration") == std::string::npos);
    const Setting& model = *findSetting("model"); // of a log that does not name it: not to be trained either
    CHECK(offeredLevels(model).size() == model.levels.size() - 1);
    CHECK(canonicalValue(model, std::string(kModelNotTold)));
}

TEST_CASE("README's table of settings has every setting with its default")
{
    const auto readme = readFile(test::sourceFolder() / "core" / "spec" / "README.md");
    REQUIRE(readme);
    for (const Setting& setting : schema()) {
        const std::string row = fmt::format("\n| `{}` | ", setting.key);
        REQUIRE_MESSAGE(readme->find(row) != std::string::npos, row);
        const std::string line =
            readme->substr(readme->find(row) + 1, readme->find('\n', readme->find(row) + 1) - readme->find(row));
        if (setting.standard) {
            const std::string onGpu =
                setting.standardOnGpu ? fmt::format("; {} on GPUs", toText(*setting.standardOnGpu)) : "";
            CHECK_MESSAGE(line.find(" | " + toText(*setting.standard) + onGpu + " | ") != std::string::npos, line);
        }
        for (const Level& level : setting.levels)
            CHECK_MESSAGE(line.find(level.word) != std::string::npos, line);
    }
}

TEST_CASE("the example in README is right")
{
    const auto readme = readFile(test::sourceFolder() / "core" / "spec" / "README.md");
    REQUIRE(readme);
    const std::size_t begin = readme->find("```toml\n") + 8;
    const ParseOutcome outcome = checkExperiment(readme->substr(begin, readme->find("```", begin) - begin));
    CHECK(
        printed(outcome.checks) ==
        "warning when[0].set.learning_rate: line 15, column 27: Base case: learning_rate is not the same in all that "
        "is compared with it, so a speed-up is not of the factors alone. Set it once in [fixed], or make it a factor.\n"
        "hint plans.small: line 17, column 1: Plan: “small” is used by no configuration.\n");
    CHECK(outcome.experiment);
}

TEST_CASE("labels are for people, words for files")
{
    CHECK(labelOf("batch_per_rank") == "Batch per rank");
    CHECK(labelOf("site") == "site");
    CHECK(labelOf("model", std::string("resnet50")) == "ResNet-50");
    CHECK(labelOf("model", std::string("mine")) == "mine");
    CHECK(labelOf("ranks", std::int64_t{2}) == "2");
}
