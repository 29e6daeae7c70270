// SPDX-License-Identifier: MIT
#include "agent/worker/runtime/delays.h"

#include <array>
#include <charconv>
#include <chrono>
#include <thread>

namespace ringside {

namespace {

struct Place
{
    std::string_view name;
    Delay Delays::*member;
};

constexpr std::array kPlaces = {Place{"decode", &Delays::decode}, Place{"copy", &Delays::copy},
                                Place{"hook", &Delays::hook}, Place{"all-reduce", &Delays::allReduce},
                                Place{"optimizer", &Delays::optimizer}};

/// At its end, or all of it if it is short, a pause keeps its core awake: what a core has lost when it idled, its clock
/// and its caches, would be measured as the time of whatever comes next.
constexpr std::chrono::milliseconds kAwake{50};

Delay pausing(int milliseconds)
{
    return [pause = std::chrono::milliseconds(milliseconds)] {
        const auto end = std::chrono::steady_clock::now() + pause;
        std::this_thread::sleep_until(end - kAwake);
        while (std::chrono::steady_clock::now() < end)
            ;
    };
}

Result<void> addDelay(Delays& delays, std::string_view text)
{
    const auto equals = text.find('=');
    int milliseconds = 0;
    if (equals != std::string_view::npos)
        std::from_chars(text.data() + equals + 1, text.data() + text.size(), milliseconds);
    for (const auto& place : kPlaces)
        if (text.substr(0, equals) == place.name && milliseconds > 0 && milliseconds <= 60'000) {
            delays.*place.member = pausing(milliseconds);
            return {};
        }
    return fail(ErrorCode::usage, fmt::format("“{}” is not a delay.", text),
                "Write PLACE=MILLISECONDS with decode, copy, hook, all-reduce or optimizer.");
}

} // namespace

Result<Delays> parseDelays(const std::vector<std::string>& texts)
{
    Delays delays;
    for (const auto& text : texts)
        TRY(addDelay(delays, text));
    return delays;
}

} // namespace ringside
