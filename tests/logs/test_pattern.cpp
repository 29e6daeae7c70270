// SPDX-License-Identifier: MIT
#include "core/logs/pattern.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <string>

using namespace ringside::logs;

namespace {

LinePattern patternOf(std::string_view text)
{
    auto pattern = LinePattern::parse(text);
    REQUIRE_MESSAGE(pattern, pattern.error().message);
    return *pattern;
}

/// A field's value in a line; not a number where the line does not match or the pattern does not have it.
double read(std::string_view pattern, std::string_view line, Quantity quantity)
{
    LineValues values;
    if (!patternOf(pattern).match(line, values) || !values.has(quantity))
        return std::nan("");
    return values.get(quantity)->value;
}

bool matches(std::string_view pattern, std::string_view line)
{
    LineValues values;
    return patternOf(pattern).match(line, values);
}

std::string wrong(std::string_view text)
{
    const auto pattern = LinePattern::parse(text);
    return pattern ? std::string() : pattern.error().message + " " + pattern.error().hint;
}

} // namespace

TEST_CASE("a pattern is the line with fields in it")
{
    constexpr std::string_view kSpeed =
        "Epoch[{epoch}] Batch{ |}[{previous_iteration}-{iteration}] Speed: {items_per_second} samples/sec";
    constexpr std::string_view kLine = "INFO:root:Epoch[3] Batch [5-10]\tSpeed: 7046.96 samples/sec\taccuracy=0.07";
    CHECK(read(kSpeed, kLine, Quantity::epoch) == 3);
    CHECK(read(kSpeed, kLine, Quantity::previousIteration) == 5);
    CHECK(read(kSpeed, kLine, Quantity::iteration) == 10);
    CHECK(read(kSpeed, kLine, Quantity::itemRate) == doctest::Approx(7046.96));
    CHECK(matches(kSpeed, "Epoch[3] Batch[5-10] Speed: 1 samples/sec"));
    CHECK_FALSE(matches(kSpeed, "Epoch[3] Batch [5-10] Speed: fast samples/sec"));
    CHECK_FALSE(matches(kSpeed, "Epoch[3] Batch [5-10]\tSpeed: 7046.96"));
}

TEST_CASE("numbers are read as programs print them")
{
    constexpr std::string_view kRate = "tps: {items_per_second}";
    CHECK(read(kRate, "tps: 5,123", Quantity::itemRate) == 5123);
    CHECK(read(kRate, "tps: 1,005,123.5  x", Quantity::itemRate) == doctest::Approx(1005123.5));
    CHECK(read(kRate, "tps: 5,12", Quantity::itemRate) == 5);
    CHECK(read(kRate, "tps:   -3.75e-41", Quantity::itemRate) == doctest::Approx(-3.75e-41));
    CHECK(read(kRate, "tps: +7.5", Quantity::itemRate) == 7.5);
    CHECK(std::isnan(read(kRate, "tps: -", Quantity::itemRate)));
    CHECK(read("took {milliseconds} ms", "took 57 ms", Quantity::time) == doctest::Approx(0.057));
    for (const auto& [line, seconds] :
         {std::pair{"at 57ms/step", 0.057}, {"at 1s/step", 1.0}, {"at 92 us/step", 92e-6}, {"at 2min/step", 120.0}})
        CHECK(read("at {duration_per_iteration}/step", line, Quantity::timePerIteration) == doctest::Approx(seconds));
    CHECK_FALSE(matches("at {duration_per_iteration}/step", "at 57/step"));
    CHECK(read("took {forward_milliseconds} ms", "took 3.5 ms", quantityOf(ringside::Phase::forward)) ==
          doctest::Approx(0.0035));
}

TEST_CASE("a number knows how exactly it was printed")
{
    LineValues values;
    REQUIRE(patternOf("in {seconds}s for {iterations} iters").match("in 0.09s for 20 iters", values));
    CHECK(values.get(Quantity::time)->halfStep == doctest::Approx(0.005));
    CHECK(values.get(Quantity::iterations)->halfStep == 0);
    REQUIRE(patternOf("loss: {loss}").match("loss: 8.9189e+00", values));
    CHECK(values.get(Quantity::loss)->halfStep == doctest::Approx(0.00005));
}

TEST_CASE("what is passed over ends at the text behind it")
{
    constexpr std::string_view kLoss = "Iteration {iteration}{} loss = {loss}";
    CHECK(read(kLoss, "Iteration 20 (227 iter/s), loss = 0.5", Quantity::loss) == 0.5);
    CHECK_FALSE(matches(kLoss, "Iteration 20 (227 iter/s), train_loss = 0.5"));
    CHECK(read("metric = {}% * {} {seconds}s", "metric = 90.62% * 1280 0.549s", Quantity::time) == 0.549);
    CHECK(matches("ends {}", "ends anyhow"));
    CHECK(matches("loss {loss}$", "loss 1.5  "));
    CHECK_FALSE(matches("loss {loss}$", "loss 1.5 now"));
    CHECK(matches("^{iteration} images/sec", "  10\timages/sec: 3"));
    CHECK_FALSE(matches("^step {iteration}", "a step 3"));
    CHECK(read("{{'loss': {loss}", "{'loss': 2.5}", Quantity::loss) == 2.5);
}

TEST_CASE("what stands behind {?} may be missing, and anywhere")
{
    constexpr std::string_view kForm = "step {iteration} {?} time: {seconds}{?} loss: {loss}";
    CHECK(read(kForm, "step 3 loss: 2.5 data_time: 9 time: 0.5", Quantity::time) == 0.5);
    CHECK(read(kForm, "step 3 loss: 2.5 data_time: 9 time: 0.5", Quantity::loss) == 2.5);
    CHECK(read(kForm, "step 3 time: 0.5", Quantity::iteration) == 3);
    CHECK(std::isnan(read(kForm, "step 3 val_loss: 1 time: 0.5", Quantity::loss)));
    CHECK_FALSE(matches(kForm, "loss: 2.5 time: 0.5"));
    CHECK(patternOf(kForm).has(Quantity::loss));
    CHECK(wrong("step {iteration}{?}{loss}").find("needs a text") != std::string::npos);
    CHECK(wrong("step {iteration}{?} loss: {los}").find("column 27") != std::string::npos);
}

TEST_CASE("what stands before a pattern's beginning is none of its parts")
{
    constexpr std::string_view kRecord = "ringside 1 iteration={iteration} items={items}{?} rank={rank}{?} loss={loss}";
    constexpr std::string_view kLine =
        " 5%| 3/60 [00:01, rank=1, loss=9.9]ringside 1 iteration=3 items=32 rank=0 loss=2.5";
    CHECK(read(kRecord, kLine, Quantity::rank) == 0);
    CHECK(read(kRecord, kLine, Quantity::loss) == 2.5);
    CHECK(std::isnan(read(kRecord, "[ rank=1, loss=9.9]ringside 1 iteration=3 items=32", Quantity::rank)));
    // Nor is what stands before the place of several from which on it fits.
    constexpr std::string_view kStep = "step {iteration} of{?} loss: {loss}";
    CHECK(read(kStep, "step one loss: 9.9, step 3 of 4 loss: 2.5", Quantity::loss) == 2.5);
}

TEST_CASE("a line that begins as its form and breaks off is told from one that goes on otherwise")
{
    const LinePattern speed = patternOf("Epoch[{epoch}] Batch [{iteration}] Speed: {items_per_second} {img|seq}/sec");
    for (const char* broken :
         {"Epoch[3", "Epoch[3] Bat", "INFO:Epoch[3] Batch [1", "Epoch[3] Batch [", "Epoch[3] Batch [20] Sp",
          "Epoch[3] Batch [20] Speed: 7", "Epoch[3] Batch [20] Speed: 70.5 im", "Epoch[3] Batch [20] Speed: 70.5 img/s",
          "Epoch[3] Batch [20] Speed: 70.5 \xff\xfe/sec", "Epoch[3] Batch [20] Spe\x01d: 70.5 img/sec"})
        CHECK_MESSAGE(speed.breakOf(broken) == LineBreak::certain, broken);
    for (const char* other : {"", "Epoch[", "Epoch[3] Train-accuracy=0.5", "Epoch[3] Batch [20] Speed: fast",
                              "Epoch[3] Batch [20] Loss: 7", "Batch [20] Sp", "Epoch 3 beg",
                              "Epoch[3] Batch [20] Speed: 70.5 img/sec", "Epoch[3] Batch [20] Speed: 70.5 samples/sec"})
        CHECK_MESSAGE(speed.breakOf(other) == LineBreak::none, other);
    for (const char* begun : {"Epoch[3]", "Epoch[3] ", "Epoch[3] Batch", "Epoch[3] Batch [20]\t"})
        CHECK_MESSAGE(speed.breakOf(begun) == LineBreak::possible, begun);
    const LinePattern mean = patternOf("Epoch: [{epoch}] Time {seconds} ({}) Loss {loss}");
    CHECK(mean.breakOf("Epoch: [3] Time 0.5 ( 1.") == LineBreak::certain);
    CHECK(mean.breakOf("Epoch: [3] Time 0.5 ( 1.2) and more") == LineBreak::none);
    CHECK(patternOf("step {iteration} {} rate {items_per_second}").breakOf("step 3 begins") == LineBreak::none);
}

TEST_CASE("times are read as clocks show them")
{
    CHECK(read("took [{clock}<", "took [00:13<00:00", Quantity::time) == 13);
    CHECK(read("took [{clock}]", "took [1:02:03.5]", Quantity::time) == 3723.5);
    CHECK_FALSE(matches("took [{clock}]", "took [13]"));
    CHECK(read("- {duration_per_item}/sample", "- 83us/sample", Quantity::timePerItem) == doctest::Approx(83e-6));
}

TEST_CASE("a pattern's first text may stand several times in a line, but is not sought for ever")
{
    CHECK(read("step {iteration} of", "step one of two: step 3 of 4", Quantity::iteration) == 3);
    std::string line;
    for (int i = 0; i < kMostStarts; ++i)
        line += "step x ";
    CHECK_FALSE(matches("step {iteration} of", line + "step 3 of 4"));
}

TEST_CASE("what is wrong with a pattern is said with its column and what to write")
{
    CHECK(wrong("Epoch {epoc} begins") == "column 7 of the pattern: there is no field “epoc”. Did you mean “epoch”?");
    CHECK(wrong("Epoch {epoch begins").find("column 7") != std::string::npos);
    CHECK(wrong("Epoch } begins").find("column 7") != std::string::npos);
    CHECK(wrong("loss {}{loss}").find("needs a text") != std::string::npos);
    CHECK(wrong("{iteration} {loss}").find("at least 3 characters") != std::string::npos);
    CHECK(wrong("a {iteration}").find("at least 3 characters") != std::string::npos);
    CHECK(wrong("").find("at least 3 characters") != std::string::npos);
}

TEST_CASE("a number is the nearest double, however it is printed and whatever stands behind it")
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 20'000; ++round) {
        const double value =
            std::ldexp(static_cast<double>(random() % 2'000'000) - 1e6, static_cast<int>(random() % 90) - 60);
        const int digits = static_cast<int>(random() % 18);
        const std::string printed =
            round % 2 == 0 ? fmt::format("{:.{}e}", value, digits) : fmt::format("{:.{}f}", value, digits);
        const std::string line = printed + std::string("s, 12345678").substr(0, random() % 12);
        double expected = 0;
        std::from_chars(printed.data(), printed.data() + printed.size(), expected);
        const char* at = line.data();
        const auto number = takeNumber(at, at + line.size(), FieldForm::real);
        REQUIRE(number.has_value());
        CHECK(std::bit_cast<std::uint64_t>(number->value) == std::bit_cast<std::uint64_t>(expected));
        CHECK(at == line.data() + printed.size());
    }
}

TEST_CASE("a text is found where a search finds it")
{
    std::mt19937 random(5);
    const auto made = [&](std::size_t length) {
        std::string text;
        while (text.size() < length)
            text += "aab:"[random() % 4];
        return text;
    };
    for (int round = 0; round < 5'000; ++round) {
        const std::string text = made(3 + random() % 20),
                          line = made(random() % 60) + (random() % 2 ? text : "") + made(random() % 9);
        CHECK(patternOf(text).fits(line) == (line.find(text) != std::string::npos));
        CHECK(matches("{epoch}{}" + text, "1" + line) == (line.find(text) != std::string::npos));
    }
}
