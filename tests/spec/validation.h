// SPDX-License-Identifier: MIT
// Rows of the tables in validatetest.cpp and validatesitetest.cpp: an experiment with one thing changed, and its
// findings. A row says which fields they are of; the whole sentences lie in tests/spec/golden, so that a sentence is
// changed in one place. RINGSIDE_GOLDEN=write writes what is said now there, to be read before it is committed.
#pragma once

#include "tests/spec/examples.h"

#include <functional>
#include <string>
#include <vector>

namespace ringside::spec {

inline Value number(std::int64_t value)
{
    return value;
}
inline Value word(const char* text)
{
    return std::string(text);
}

inline SiteLimits twoCores()
{
    SiteLimits site;
    site.cores = 2;
    site.memoryBytes = 8'000'000'000;
    site.features = {{"mpi", "jpeg"}};
    return site;
}

struct Case
{
    std::string what;
    std::function<void(Experiment&, SiteLimits&)> change;
    std::vector<std::string> findings; ///< severity and field: "blocking runs.warmup"
};

/// `golden`: the file of the sentences, which has those of these cases and no others.
void check(const std::string& golden, const std::vector<Case>& cases);

} // namespace ringside::spec
