// SPDX-License-Identifier: MIT
#include "core/spec/smallform.h"
#include "core/spec/matrix.h"
#include "core/spec/toml.h"
#include "core/spec/validate.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace ringside;
using namespace ringside::spec;

namespace {

Experiment smallOf(const std::string& toml)
{
    const auto read = parseExperiment("format = 1\nname = \"big\"\nsite = \"alder\"\n" + toml);
    REQUIRE_MESSAGE(read, read.error().text());
    return smallForm(*read, {});
}

std::vector<Value> levels(const Experiment& experiment, const char* key)
{
    const Factor* factor = experiment.factor(key);
    return factor ? factor->levels : std::vector<Value>();
}

const Value kOne = std::int64_t{1}, kTwo = std::int64_t{2};

} // namespace

TEST_CASE("the small form asks the same over two ranks of this computer")
{
    const Experiment small = smallOf("[factors]\nnodes = [1, 2, 4]\nprecision = [\"fp32\", \"bf16\"]\n"
                                     "[fixed]\nmodel = \"resnet50\"\ndevice = \"cuda\"\nranks_per_node = 4\n"
                                     "batch_per_rank = 64\nimage_size = 224\n[runs]\nrepeats = 6\niterations = 100\n"
                                     "[base]\nnodes = 1\n");
    CHECK(small.name == "big-small");
    CHECK(small.site == kLocalSite);
    CHECK(levels(small, "ranks") == std::vector{kOne, kTwo});
    CHECK(levels(small, "precision").size() == 2);
    CHECK(small.base == Settings{{"ranks", kOne}});
    CHECK(textOf(small.fixed, "device") == "cpu");
    CHECK(textOf(small.fixed, "model") == "lenet");
    CHECK(integerOf(small.fixed, "batch_per_rank") == 8);
    CHECK(integerOf(small.fixed, "image_size") == 32);
    CHECK(small.runs.iterations == 20);
    const auto matrix = expand(small);
    REQUIRE_MESSAGE(matrix, matrix.error().text());
    CHECK(matrix->configurations.size() == 4);
}

TEST_CASE("many configurations are run once, few twice")
{
    const auto repeatsWith = [](const char* learningRates) {
        return smallOf(fmt::format("[fixed]\nmodel = \"lenet\"\n[factors]\nranks = [1, 2]\nbatch_per_rank = [1, 2, 3, "
                                   "4, 5]\nlearning_rate = [{}]\n"
                                   "[runs]\nrepeats = 6\n",
                                   learningRates))
            .runs.repeats;
    };
    CHECK(repeatsWith("0.1, 0.2, 0.3") == 2);
    CHECK(repeatsWith("0.1, 0.2, 0.3, 0.4") == 1);
}

TEST_CASE("of several models AlexNet stays, on small pictures, and levels that become one are one")
{
    const Experiment small = smallOf("[factors]\nmodel = [\"alexnet\", \"googlenet\", \"resnet50\"]\n"
                                     "ranks = [1, 2, 4, 8]\n[fixed]\nbatch_per_rank = 32\nranks_per_node = 1\n"
                                     "[[when]]\nmatch = { ranks = 8 }\nset = { ranks_per_node = 4 }\n");
    CHECK(levels(small, "model") == std::vector<Value>{std::string("alexnet"), std::string("lenet")});
    CHECK(levels(small, "ranks") == std::vector{kOne, kTwo});
    REQUIRE(small.when.size() == 1);
    CHECK(small.when.front().set == Settings{{"image_size", Value(std::int64_t{64})}});
    const auto matrix = expand(small);
    CHECK_MESSAGE(matrix, matrix.error().text());
}

TEST_CASE("what is left out stays out by the level that stands for it, and switches of GPUs are dropped")
{
    const Experiment small =
        smallOf("[factors]\ndata = [\"synthetic\", \"folder\"]\nranks = [1, 2, 4]\n"
                "layout = [\"contiguous\", \"channels_last\"]\ncudnn_benchmark = [\"off\", \"on\"]\n"
                "[fixed]\nmodel = \"alexnet\"\nbatch_per_rank = 8\ndevice = \"cuda\"\ntf32 = \"on\"\n"
                "[[exclude]]\ndata = \"folder\"\nlayout = \"channels_last\"\n"
                "[[exclude]]\ndata = \"folder\"\ncudnn_benchmark = \"on\"\n"
                "[[exclude]]\ndata = \"folder\"\nranks = 4\n"
                "[base]\nlayout = \"contiguous\"\ncudnn_benchmark = \"off\"\n");
    CHECK(small.factor("cudnn_benchmark") == nullptr);
    CHECK(!small.fixed.contains("tf32"));
    CHECK(small.base == Settings{{"layout", std::string("contiguous")}});
    CHECK(small.exclude ==
          std::vector<Settings>{{{"data", std::string("synthetic-files")}, {"layout", std::string("channels_last")}}});
    const auto matrix = expand(small);
    REQUIRE_MESSAGE(matrix, matrix.error().text());
    CHECK(matrix->configurations.size() == 6);
}

TEST_CASE("an exclusion of one device is none of the small form, which has the runs of all devices")
{
    const Experiment small = smallOf("[factors]\ndevice = [\"cpu\", \"cuda\"]\ndata = [\"synthetic\", \"folder\"]\n"
                                     "[fixed]\nmodel = \"alexnet\"\nbatch_per_rank = 8\n"
                                     "[[exclude]]\ndevice = \"cpu\"\ndata = \"folder\"\n");
    CHECK(small.exclude.empty());
}

TEST_CASE("what is fixed over nodes has two ranks, and what cannot be here is left out")
{
    const Experiment small = smallOf("[factors]\ndata = [\"synthetic\", \"folder\"]\n[fixed]\nmodel = \"alexnet\"\n"
                                     "nodes = 2\nranks_per_node = 2\nbatch_global = 64\ndata_path = \"/p\"\n"
                                     "[[exclude]]\nranks = 3\n[base]\ndata = \"folder\"\n");
    CHECK(integerOf(small.fixed, "ranks") == 2);
    CHECK(small.fixed.count("data_path") == 0);
    CHECK(levels(small, "data") == std::vector<Value>{std::string("synthetic"), std::string("synthetic-files")});
    CHECK(textOf(small.base, "data") == "synthetic-files");
    CHECK(integerOf(small.fixed, "batch_global") == 16);
    const auto matrix = expand(small);
    CHECK_MESSAGE(matrix, matrix.error().text());
}

TEST_CASE("the small form has a base case that it has, or none, and servers beside the ranks")
{
    CHECK(smallOf("[factors]\nnodes = [1, 2, 4]\n[fixed]\nranks = 8\nmodel = \"lenet\"\nbatch_per_rank = 8\n"
                  "[base]\nnodes = 1\n")
              .base == Settings{{"ranks", kTwo}});
    CHECK(smallOf("[factors]\nranks = [4, 8]\nranks_per_node = [2, 4]\n[fixed]\nmodel = \"lenet\"\n"
                  "batch_per_rank = 8\n[base]\nranks_per_node = 4\n")
              .base == Settings{{"ranks", kTwo}});
    const Experiment served = smallOf("[factors]\nplan = [\"mine\"]\n[fixed]\nranks = 4\nnodes = 2\n"
                                      "model = \"lenet\"\nbatch_per_rank = 8\n[plans.mine]\n"
                                      "collective = { parameter_server = { placement = \"own\" } }\n");
    CHECK(served.plans.at("mine").serverPlacement == Placement::shared);
}

TEST_CASE("the name of the small form is short enough, however long that of the experiment is")
{
    const auto read = parseExperiment(fmt::format("format = 1\nname = \"{}\"\n", std::string(kLongestName, 'a')));
    REQUIRE_MESSAGE(read, read.error().text());
    const std::string name = smallForm(*read, {}).name;
    CHECK(name.ends_with("a-small"));
    CHECK(checkName(name));
}
