// SPDX-License-Identifier: MIT
// Rows of the tables in validatetest.cpp and validatesitetest.cpp: an experiment with one thing changed, and its
// findings.
#pragma once

#include "tests/spec/examples.h"

#include <doctest/doctest.h>
#include <functional>
#include <initializer_list>

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
    std::string findings;
};

inline void check(std::initializer_list<Case> cases)
{
    for (const Case& row : cases) {
        CAPTURE(row.what);
        Experiment experiment = smallExperiment();
        SiteLimits site = twoCores();
        row.change(experiment, site);
        CHECK(printed(validate(experiment, site)) == row.findings);
    }
}

} // namespace ringside::spec
