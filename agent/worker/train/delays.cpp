// SPDX-License-Identifier: MIT
#include "agent/worker/train/delays.h"

#include "core/base/clock.h"
#include "core/base/parsenumber.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace ringside {

namespace {

/// A function that lasts for some time and does nothing.
using Delay = std::function<void()>;

struct Delays
{
    Delay decode = [] {}, copy = decode, forward = decode, hook = decode, allReduce = decode, optimizer = decode;
    std::array<Delay, kPhaseCount> phases; ///< indexed by Phase; empty: none
};

struct Place
{
    std::string_view name;
    Delay Delays::*member;
};

constexpr std::array kPlaces = {Place{"decode", &Delays::decode},        Place{"copy", &Delays::copy},
                                Place{"forward", &Delays::forward},      Place{"hook", &Delays::hook},
                                Place{"all-reduce", &Delays::allReduce}, Place{"optimizer", &Delays::optimizer}};

/// Returns nullptr for a name of none.
Delay* placeOf(Delays& delays, std::string_view name)
{
    const auto place = std::ranges::find(kPlaces, name, &Place::name);
    if (place != kPlaces.end())
        return &(delays.*place->member);
    const auto phase = phaseFromName(name);
    return phase ? &delays.phases[static_cast<std::size_t>(*phase)] : nullptr;
}

/// In its second half, at most so long, a pause does not let its core sleep: the cost of idling, in clock and caches,
/// would be measured as the time of the phase that follows. Not in the first: where a rank has one core, a spinning
/// communication thread would delay the end of backward.
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

/// The part behind the milliseconds.
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
    const auto at = parseNumber<int>(text.substr(1));
    if (text.front() != '@' || !at || *at < 0)
        return std::nullopt;
    return Rhythm{once, *at};
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
    Delay* const place = placeOf(delays, text.substr(0, equals));
    if (!place || !rhythm || milliseconds <= 0 || milliseconds > kLongestMs)
        return fail(ErrorCode::usage, fmt::format("“{}” is not a delay.", text),
                    "Write PLACE=MILLISECONDS with decode, copy, forward, hook, all-reduce, optimizer, or the name of "
                    "a phase.");
    *place = [before = *place, pause = pausing(milliseconds, *rhythm)] {
        if (before)
            before();
        pause();
    };
    return {};
}

class DelayedPhases : public PhaseObserver
{
public:
    explicit DelayedPhases(const std::array<Delay, kPhaseCount>& delays)
        : m_delays(delays)
    {
    }
    void entered(Phase phase) override
    {
        const Delay& delay = m_delays[static_cast<std::size_t>(phase)];
        if (delay && !std::exchange(m_isPassed[static_cast<std::size_t>(phase)], true))
            delay();
    }
    void turned() override { m_isPassed = {}; }

private:
    const std::array<Delay, kPhaseCount> m_delays;
    std::array<bool, kPhaseCount> m_isPassed{}; ///< in this iteration
};

class DelayedClassifier : public Classifier
{
public:
    DelayedClassifier(const ProblemSettings& settings, const Delays& delays)
        : Classifier(settings)
        , m_copy(delays.copy)
        , m_forward(delays.forward)
    {
        model().parameters().front().value.register_hook([hook = delays.hook](const at::Tensor&) { hook(); });
    }
    void load(const Batch& batch) override
    {
        Classifier::load(batch);
        m_copy();
    }
    at::Tensor forward() override
    {
        m_forward();
        return Classifier::forward();
    }

private:
    Delay m_copy, m_forward;
};

class DelayedSgd : public Sgd
{
public:
    DelayedSgd(const std::vector<Parameter>& parameters, const OptimizerSettings& settings, Delay delay)
        : Sgd(parameters, settings)
        , m_delay(std::move(delay))
    {
    }
    void step(const Layer& layer) override
    {
        Sgd::step(layer);
        m_delay();
    }

private:
    Delay m_delay;
};

class DelayedCarrier : public Carrier
{
public:
    DelayedCarrier(std::unique_ptr<Carrier> carrier, std::size_t units, Delay delay)
        : m_carrier(std::move(carrier))
        , m_units(units)
        , m_delay(std::move(delay))
    {
    }
    void await(std::span<const Payload> payloads) override { m_carrier->await(payloads); }
    Result<std::unique_ptr<Started>> start(const Units& units, std::span<const Payload> payloads) override
    {
        m_started += units.size();
        if (m_started % m_units == 0)
            m_delay();
        return m_carrier->start(units, payloads);
    }
    std::chrono::microseconds napAfter(std::chrono::nanoseconds sinceProgress) const override
    {
        return m_carrier->napAfter(sinceProgress);
    }
    bool endsInOrder() const override { return m_carrier->endsInOrder(); }
    bool isFinished() const override { return m_carrier->isFinished(); }

private:
    std::unique_ptr<Carrier> m_carrier;
    std::size_t m_units, m_started = 0;
    Delay m_delay;
};

/// Its duration counts as decoding.
LoadPicture delayedAtBatches(LoadPicture load, Delay delay, std::uint64_t batch)
{
    return [load = std::move(load), delay = std::move(delay), batch](std::uint64_t item, float* out) {
        const std::int64_t begin = monotonicNs();
        if (item % batch == 0)
            delay();
        const std::int64_t delayNs = monotonicNs() - begin;
        return load(item, out).map([delayNs](LoadedPicture picture) {
            picture.decodeNs += delayNs;
            return picture;
        });
    };
}

PartMakers makersWith(const Delays& delays)
{
    PartMakers makers;
    makers.observer = std::make_shared<DelayedPhases>(delays.phases);
    makers.data = [delay = delays.decode](DataSettings settings) {
        settings.around = [delay, batch = static_cast<std::uint64_t>(settings.batch)](LoadPicture load) {
            return delayedAtBatches(std::move(load), delay, batch);
        };
        return openBatchSource(settings);
    };
    makers.classifier = [delays](const ProblemSettings& settings) {
        return std::make_unique<DelayedClassifier>(settings, delays);
    };
    makers.optimizer = [delay = delays.optimizer](const auto& parameters, const auto& settings) {
        return std::make_unique<DelayedSgd>(parameters, settings, delay);
    };
    makers.aggregator = [delay = delays.allReduce](Aggregation aggregation) {
        aggregation.around = [delay](std::unique_ptr<Carrier> carrier, std::size_t units) {
            return delayed(std::move(carrier), units, delay);
        };
        return makeAggregator(aggregation);
    };
    return makers;
}

} // namespace

std::unique_ptr<Carrier> delayed(std::unique_ptr<Carrier> carrier, std::size_t units, std::function<void()> pause)
{
    return std::make_unique<DelayedCarrier>(std::move(carrier), units, std::move(pause));
}

Result<PartMakers> partsWith(const std::vector<std::string>& texts)
{
    Delays delays;
    for (const auto& text : texts)
        TRY(addDelay(delays, text));
    return texts.empty() ? PartMakers() : makersWith(delays);
}

} // namespace ringside
