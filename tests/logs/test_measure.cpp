// SPDX-License-Identifier: MIT
#include "core/logs/measure.h"

#include <doctest/doctest.h>

using namespace ringside::logs;

namespace {

LineValues valuesOf(std::initializer_list<std::pair<Quantity, Printed>> said)
{
    LineValues values;
    for (const auto& [quantity, printed] : said)
        values.set(quantity, printed);
    return values;
}

} // namespace

TEST_CASE("a rate is reckoned from work and time, whatever was printed")
{
    const auto values = valuesOf({{Quantity::iteration, {20, 0}},
                                  {Quantity::time, {0.088, 0.0005}},
                                  {Quantity::iterationRate, {227.273, 0.0005}}});
    const auto [record, finding] = measure(values, Meaning::interval, {.iteration = 0});
    CHECK_FALSE(finding);
    CHECK(record.iterations == 20);
    CHECK(*record.iterationRate == doctest::Approx(20 / 0.088));
}

TEST_CASE("numbers that contradict each other by more than 2 percent count for nothing")
{
    const auto rated = [](double rate) {
        return measure(valuesOf({{Quantity::iteration, {20, 0}},
                                 {Quantity::time, {0.088, 0.0005}},
                                 {Quantity::iterationRate, {rate, 0.0005}}}),
                       Meaning::interval, {.iteration = 0});
    };
    CHECK_FALSE(rated(230).record.isRefused);   // 1.2 %
    CHECK_FALSE(rated(232.5).record.isRefused); // 2.3 %, of which 0.6 % may be rounding
    CHECK(rated(240).record.isRefused);
    CHECK(rated(240).finding->code == FindingCode::rateAgainstTime);
    CHECK(rated(-3.7e-41).finding->code == FindingCode::implausible);
}

TEST_CASE("a rate of nothing, or beyond any machine, is none")
{
    const auto alone = [](double rate) {
        return measure(valuesOf({{Quantity::iteration, {20, 0}}, {Quantity::itemRate, {rate, 0.5}}}), Meaning::interval,
                       {.iteration = 10});
    };
    for (const double rate : {1e308, 2e12, 1e-320, 1e-13, 0.0, -1.0}) {
        CHECK_MESSAGE(alone(rate).record.isRefused, rate);
        CHECK(alone(rate).finding->code == FindingCode::implausible);
        CHECK(alone(rate).finding->printed == rate);
    }
    for (const double rate : {1e12, 100.0, 1e-6})
        CHECK_FALSE(alone(rate).finding);
    const auto rounded =
        valuesOf({{Quantity::iterations, {2, 0}}, {Quantity::time, {600, 0.5}}, {Quantity::iterationRate, {0, 0.005}}});
    CHECK_FALSE(measure(rounded, Meaning::epoch, {}).finding);
}

TEST_CASE("a time that was printed roughly contradicts little")
{
    const auto values = valuesOf(
        {{Quantity::iterations, {10, 0}}, {Quantity::time, {1, 0.5}}, {Quantity::timePerIteration, {0.072, 0.0005}}});
    CHECK_FALSE(measure(values, Meaning::epoch, {}).record.isRefused); // 0.72 s, printed as 1 s
}

TEST_CASE("a time with few digits gives way to a finer number, and 0 may be rounded")
{
    const auto rough = [](double seconds) {
        return measure(valuesOf({{Quantity::iterations, {10, 0}},
                                 {Quantity::time, {seconds, 0.5}},
                                 {Quantity::timePerIteration, {0.031, 0.0005}}}),
                       Meaning::epoch, {});
    };
    CHECK_FALSE(rough(0).finding);
    CHECK(*rough(0).record.seconds == doctest::Approx(0.31));
    CHECK(rough(2).finding->code == FindingCode::rateAgainstTime);
}

TEST_CASE("a line that states its own batch states items")
{
    const auto values = valuesOf({{Quantity::timePerIteration, {0.5, 0.0005}}});
    CHECK(*measure(values, Meaning::interval, {.batch = 64}).record.itemRate == doctest::Approx(128));
    CHECK(measure(values, Meaning::iteration, {.batch = 64}).record.items == 64);
}

TEST_CASE("iterations that no line states are found by what a line says of its first one")
{
    const auto values = valuesOf({{Quantity::previousIteration, {30, 0}}, {Quantity::iteration, {40, 0}}});
    CHECK_FALSE(gapBefore(values, {.iteration = 30}));
    CHECK_FALSE(gapBefore(values, {}));
    CHECK(gapBefore(values, {.iteration = 20})->printed == 31);
}

TEST_CASE("no time was longer than what passed between the lines")
{
    const auto values = valuesOf({{Quantity::iteration, {20, 0}}, {Quantity::time, {2, 0.005}}});
    CHECK_FALSE(measure(values, Meaning::interval, {.iteration = 0, .secondsSince = 2.0, .stampHalfStep = 0.0005})
                    .record.isRefused);
    // An evaluation may have run in between.
    CHECK_FALSE(measure(values, Meaning::interval, {.iteration = 0, .secondsSince = 9.0, .stampHalfStep = 0.0005})
                    .record.isRefused);
    const auto shorter =
        measure(values, Meaning::interval, {.iteration = 0, .secondsSince = 1.5, .stampHalfStep = 0.0005});
    CHECK(shorter.finding->code == FindingCode::timeAgainstStamps);
    const auto autumn =
        measure(values, Meaning::interval, {.iteration = 0, .secondsSince = -3598.0, .stampHalfStep = 0.0005});
    CHECK_FALSE(autumn.finding);
    CHECK_FALSE(autumn.record.isTooLong);
}

TEST_CASE("where no time is printed, it comes from stamps")
{
    const auto values = valuesOf({{Quantity::iteration, {40, 0}}, {Quantity::loss, {1.5, 0.05}}});
    const auto record =
        measure(values, Meaning::interval, {.iteration = 20, .secondsSince = 4.0, .stampHalfStep = 0.0005}).record;
    CHECK(*record.iterationRate == doctest::Approx(5));
    CHECK(record.loss == 1.5);
}

TEST_CASE("a count comes from what the line says, else from the line before")
{
    const auto count = [](LineValues values, Before before) {
        return measure(values, Meaning::interval, before).record.iterations;
    };
    CHECK(count(valuesOf({{Quantity::firstIteration, {6, 0}}, {Quantity::iteration, {10, 0}}}), {}) == 5);
    CHECK(count(valuesOf({{Quantity::previousIteration, {5, 0}}, {Quantity::iteration, {10, 0}}}), {}) == 5);
    CHECK(count(valuesOf({{Quantity::iterations, {98, 0}}, {Quantity::iteration, {100, 0}}}), {.iteration = 0}) == 98);
    CHECK(count(valuesOf({{Quantity::iteration, {10, 0}}}), {.iteration = 8}) == 2);
    CHECK_FALSE(count(valuesOf({{Quantity::iteration, {10, 0}}}), {}));
}

TEST_CASE("a sum of losses is spread over its iterations")
{
    const auto values = valuesOf({{Quantity::iterations, {10, 0}}, {Quantity::lossSum, {38, 0}}});
    CHECK(*measure(values, Meaning::epoch, {}).record.loss == doctest::Approx(3.8));
    const LogRecord sum = measure(valuesOf({{Quantity::lossSum, {38, 0}}}), Meaning::epoch, {}).record;
    CHECK(sum.isLossSum);
    CHECK(sum.loss == 38);
}
