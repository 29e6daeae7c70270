// SPDX-License-Identifier: MIT
#include "core/logs/keyindex.h"

#include <doctest/doctest.h>
#include <random>
#include <string>

using namespace ringside::logs;

TEST_CASE("keys are found where they stand, in order, each once")
{
    const KeyIndex index({"abc", "Speed: ", "loss"});
    std::vector<std::uint32_t> ids;
    index.find("Speed: 3 loss loss abc", ids);
    CHECK(ids == std::vector<std::uint32_t>{0, 1, 2});
    index.find("ab", ids);
    CHECK(ids.empty());
    index.find("Speed:3 los", ids);
    CHECK(ids.empty());
    CHECK(index.step() == 1);
    CHECK(KeyIndex({"loss", "Speed: "}).step() == 2); // the shortest key has two places
    KeyIndex({}).find("Speed: 3", ids);
    CHECK(ids.empty());
}

TEST_CASE("an index finds what a search finds")
{
    std::mt19937 random(3);
    const auto text = [&](std::size_t length) {
        std::string made;
        while (made.size() < length)
            made += static_cast<char>('a' + random() % 3);
        return made;
    };
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> keys;
        const std::size_t shortest = kLeastKey + random() % 4;
        for (int key = 0; key < 20; ++key)
            keys.push_back(text(shortest + random() % 5));
        const KeyIndex index({keys.begin(), keys.end()});
        const std::string line = text(random() % 40);
        std::vector<std::uint32_t> ids, expected;
        index.find(line, ids);
        for (std::uint32_t id = 0; id < 20; ++id)
            if (line.find(keys[id]) != std::string::npos)
                expected.push_back(id);
        CHECK(ids == expected);
    }
}
