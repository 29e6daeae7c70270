// SPDX-License-Identifier: MIT
// Runs by one table, and another table of the same system since then.
#include "core/spec/basecase.h"
#include "core/spec/resolve.h"
#include "tests/adapters/tinytable.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::test;

TEST_CASE("an option that comes later leaves the keys of configurations as they were")
{
    const auto keyWith = [](const std::string& option, const std::string& fixed = {}) {
        const InUse inUse(kTiny + option);
        return matrixOf(experiment("engine = [\"tiny\"]\nranks = [2]\n", fixed)).configurations.front().key;
    };
    const std::string later = std::string(kCompression) + "later = true\n", before = keyWith("");
    CHECK(keyWith(kCompression) != before);
    CHECK(keyWith(later) == before);
    CHECK(keyWith(later, "tiny.compression = \"none\"\n") == before);
    CHECK(keyWith(later, "tiny.compression = \"2bit\"\n") != before);
    const InUse wrong(kTiny + std::string(kCompression) + "later = 1\n");
    CHECK(spec::refusalOf("tiny").find("true or false") != std::string::npos);
}

TEST_CASE("a stored experiment is read with options that no table has any more, and a file is not")
{
    const InUse inUse;
    const std::string text = "format = 1\nname = \"e\"\n[factors]\ntiny.cap = [25, 50]\n[fixed]\nengine = \"tiny\"\n"
                             "model = \"alexnet\"\nbatch_per_rank = 4\nranks = 2\ntiny.hook = \"none\"\n";
    CHECK_FALSE(spec::parseExperiment(text));
    const auto stored = spec::parseStoredExperiment(text, "e");
    REQUIRE_MESSAGE(stored, stored.error().text());
    CHECK(stored->factor("tiny.cap")->levels == std::vector<Value>{std::int64_t(25), std::int64_t(50)});
    CHECK(textOf(stored->fixed, "tiny.hook") == "none");
    CHECK_FALSE(spec::parseStoredExperiment(text + "rnks = 2\n", "e"));

    const Settings base = *spec::resolve(stored->fixed);
    const auto with = [&](const char* key, std::int64_t value) {
        Settings settings = base;
        settings[key] = value;
        return settings;
    };
    const auto ranks = spec::baseCase(*stored, {{"ranks", Value(std::int64_t(2))}});
    CHECK(spec::isBaseOf(with("tiny.cap", 25), with("tiny.cap", 25), ranks));
    CHECK(spec::isBaseOf(base, with("tiny.cap", 25), ranks)); // it had no effect there
    CHECK_FALSE(spec::isBaseOf(with("tiny.cap", 50), with("tiny.cap", 25), ranks));
    const auto cap = spec::baseCase(*stored, {{"tiny.cap", Value(std::int64_t(25))}});
    CHECK(spec::isBaseOf(with("tiny.cap", 25), with("tiny.cap", 50), cap));
    CHECK_FALSE(spec::isBaseOf(with("tiny.cap", 50), with("tiny.cap", 50), cap));
}
