// SPDX-License-Identifier: MIT
// The plan of Ringside's own engine that has the design of a system, as it is run.
#include "core/spec/validate.h"
#include "tests/adapters/tinytable.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::test;

TEST_CASE("a system has a design only with the numbers that make it")
{
    const InUse inUse; // the tables of real systems are among those
    const auto designOf = [](const std::string& engine, const std::string& rest = {}) {
        const auto matrix = matrixOf(experiment("ranks = [4]\n", "nodes = 2\nengine = \"" + engine + "\"\n" + rest));
        return spec::designOf(matrix.configurations.front().settings);
    };
    CHECK(designOf("horovod") == "horovod");
    CHECK(designOf("horovod", "horovod.fusion_threshold = 0\n").empty());
    CHECK(designOf("horovod", "horovod.cycle_time = 2\n").empty());
    CHECK(designOf("horovod", "horovod.cache_capacity = 0\n").empty());
    CHECK(designOf("horovod", "horovod.fusion_threshold = 67108864\nhorovod.cycle_time = 5\n") == "horovod-old");
    CHECK(designOf("horovod-mxnet") == "horovod");
    CHECK(designOf("horovod-mxnet", "horovod-mxnet.fusion_threshold = 0\n").empty());
    CHECK(designOf("pytorch") == "ddp");
    CHECK(designOf("pytorch", "pytorch.bucket_cap_mb = 100\n").empty());
    CHECK(designOf("tensorflow") == "tensorflow-collective");
    CHECK(designOf("tensorflow", "tensorflow.bytes_per_pack = 1048576\n").empty());
    CHECK(designOf("tensorflow", "tensorflow.strategy = \"parameter_server\"\n").empty());
    CHECK(designOf("keras") == "tensorflow-collective");
    CHECK(designOf("mxnet") == "mxnet");
    CHECK(designOf("mxnet", "mxnet.servers = 2\n") == "mxnet"); // as many as nodes
    CHECK(designOf("mxnet", "mxnet.servers = 4\n").empty());
    CHECK(designOf("mxnet", "mxnet.update_on = \"worker\"\n").empty());
    const std::string onGpu = "device = \"cuda\"\n";
    CHECK(designOf("singa", onGpu) == "singa-fused");
    CHECK(designOf("singa", onGpu + "singa.dist = \"half\"\n") == "singa-half");
    const std::string sparse = onGpu + "singa.dist = \"sparse\"\n";
    CHECK(designOf("singa", sparse).empty()); // which sends what lies above a value
    CHECK(designOf("singa", sparse + "singa.topk = \"on\"\n") == "singa-sparse");
    CHECK(designOf("singa", sparse + "singa.topk = \"on\"\nsinga.sparsity = 0.01\n").empty());
}

TEST_CASE("a system that is not run as its design is set against no plan, and the check asks which one is meant")
{
    const InUse inUse;
    const auto warns = [](const std::string& fixed) {
        const auto asked =
            experiment("engine = [\"ringside\", \"horovod\"]\nranks = [2]\nplan = [\"one\", \"horovod\"]\n",
                       fixed + "[base]\nengine = \"ringside\"\n");
        return std::ranges::any_of(spec::validate(asked, {}), [](const spec::Check& check) {
            return check.message.find("so there is no speed-up of Horovod") != std::string::npos;
        });
    };
    CHECK_FALSE(warns(""));
    CHECK(warns("horovod.fusion_threshold = 0\n"));
}

TEST_CASE("a system is marked where ranks do not train with the sum of all gradients")
{
    const InUse inUse;
    const auto departures = [](const std::string& dist) {
        const auto matrix = matrixOf(experiment("ranks = [4]\n", "engine = \"singa\"\ndevice = \"cuda\"\n"
                                                                 "singa.dist = \"" +
                                                                     dist + "\"\n"));
        const spec::Departures found =
            spec::departuresOf(AggregationPlan{.name = spec::kOwnPlan}, matrix.configurations.front().settings);
        return std::pair(found.lossy, found.asynchronous);
    };
    CHECK(departures("plain") == std::pair(false, false));
    CHECK(departures("sparse") == std::pair(true, false));
    CHECK(departures("partial") == std::pair(false, true));
}
