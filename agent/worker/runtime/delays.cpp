// SPDX-License-Identifier: MIT
#include "agent/worker/runtime/delays.h"

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

namespace ringside {

namespace {

struct Place
{
    std::string_view name;
    Delay Delays::*member;
};

constexpr std::array kPlaces = {Place{"decode", &Delays::decode},        Place{"copy", &Delays::copy},
                                Place{"forward", &Delays::forward},      Place{"hook", &Delays::hook},
                                Place{"all-reduce", &Delays::allReduce}, Place{"optimizer", &Delays::optimizer}};

/// In its second half, at most so long, a pause keeps its core awake: what a core has lost when it idled, its clock and
/// its caches, would be measured as the time of whatever comes next. Not in the first: where a rank has one core, a
/// communication thread that spins would keep the compute thread from ending backward.
constexpr std::chrono::milliseconds kAwake{50};
constexpr int kLongestMs = 600'000;

void pauseFor(std::chrono::milliseconds pause)
{
    const auto end = std::chrono::steady_clock::now() + pause;
    std::this_thread::sleep_until(end - std::min(kAwake, pause / 2));
    while (std::chrono::steady_clock::now() < end)
        ;
}

/// By how often the place was passed before.
using When = bool (*)(int times, int at);

bool always(int, int)
{
    return true;
}
bool once(int times, int at)
{
    return times == at;
}
bool everySecond(int times, int)
{
    return times % 2 == 1;
}

/// What stands behind the milliseconds.
struct Rhythm
{
    When when = always;
    int at = 0;
};

std::optional<Rhythm> rhythmOf(std::string_view text)
{
    if (text.empty())
        return Rhythm{};
    if (text == "%")
        return Rhythm{everySecond};
    int at = 0;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), at);
    if (text.front() != '@' || error != std::errc() || end != text.data() + text.size() || at < 0)
        return std::nullopt;
    return Rhythm{once, at};
}

Delay pausing(int milliseconds, Rhythm rhythm)
{
    const auto times = std::make_shared<std::atomic<int>>(0);
    return [pause = std::chrono::milliseconds(milliseconds), rhythm, times] {
        if (rhythm.when((*times)++, rhythm.at))
            pauseFor(pause);
    };
}

Result<void> addDelay(Delays& delays, std::string_view text)
{
    const auto equals = text.find('=');
    int milliseconds = 0;
    const char* end = text.data() + text.size();
    const char* behind = end;
    if (equals != std::string_view::npos)
        behind = std::from_chars(text.data() + equals + 1, end, milliseconds).ptr;
    const auto rhythm = rhythmOf({behind, end});
    for (const auto& place : kPlaces)
        if (text.substr(0, equals) == place.name && rhythm && milliseconds > 0 && milliseconds <= kLongestMs) {
            delays.*place.member = pausing(milliseconds, *rhythm);
            return {};
        }
    return fail(ErrorCode::usage, fmt::format("“{}” is not a delay.", text),
                "Write PLACE=MILLISECONDS with decode, copy, forward, hook, all-reduce or optimizer.");
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
