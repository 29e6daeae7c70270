// SPDX-License-Identifier: MIT
// A small system of tests, its table in use as a user's own, and experiments that name it.
#pragma once

#include "core/adapters/adapterbook.h"
#include "core/spec/matrix.h"
#include "core/spec/systems.h"
#include "core/spec/toml.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <optional>
#include <string>

namespace ringside::test {

inline constexpr const char* kTiny = R"(format = 1
name  = "tiny"
title = "Tiny"
settings = ["device", "precision", "image_size"]
[levels]
model = ["alexnet", "lenet"]
[options.servers]
type = "integer"
label = "Servers"
minimum = 1
maximum = 64
default = 2
about = "Processes that hold weights."
source = "its manual"
[[roles]]
name = "server"
count = "{tiny.servers}"
[[gaps]]
match = { precision = "bf16" }
why = "It has no bf16."
[[gaps]]
match = { model = "lenet", precision = "fp32" }
unless = { image_size = [28, 32, 224] }
why = "Its pooling does not fit."
[[gaps]]
match = { model = "alexnet" }
below = { image_size = 64 }
why = "Its last pooling would be of nothing."
[[designs]]
plan = "mxnet"
[launch]
command = ["tiny"]
)";

/// An option of kTiny that has no effect on one rank.
inline constexpr const char* kCompression = R"([options.compression]
type = "word"
label = "Compression"
levels = ["none", "2bit"]
default = "none"
about = "What is sent."
source = "its manual"
least_ranks = 2
)";

/// A folder of a user's tables, in use.
struct InUse
{
    explicit InUse(const std::string& table = kTiny)
    {
        REQUIRE(writeFileAtomically(folder.path() / "tiny.toml", table));
        book.emplace(folder.path());
        book->use();
    }
    ~InUse() { spec::setSystems({}); }

    TemporaryFolder folder;
    std::optional<adapters::AdapterBook> book;
};

inline spec::Experiment experiment(const std::string& factors, const std::string& rest = {})
{
    const auto read = spec::parseExperiment(
        "format = 1\nname = \"e\"\n[factors]\n" + factors +
        (factors.find("model =") == std::string::npos ? "[fixed]\nmodel = \"alexnet\"\n" : "[fixed]\n") +
        (factors.find("batch_") == std::string::npos ? "batch_per_rank = 4\n" : "") + rest);
    REQUIRE_MESSAGE(read, read.error().text());
    return *read;
}

inline spec::Matrix matrixOf(const spec::Experiment& experiment)
{
    const auto matrix = spec::expand(experiment);
    REQUIRE_MESSAGE(matrix, matrix.error().text());
    return *matrix;
}

} // namespace ringside::test
