// SPDX-License-Identifier: MIT
// What was run by one table, and another one of its system since.
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
