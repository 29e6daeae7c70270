// SPDX-License-Identifier: MIT
#include "core/base/words.h"

#include <atomic>

namespace ringside {

namespace {

constexpr int kNoCount = -1;

std::atomic<Words::Translator> installed = nullptr;
thread_local int scopesInEnglish = 0;

/// nullptr where English is spoken.
Words::Translator translatorHere()
{
    return scopesInEnglish > 0 ? nullptr : installed.load();
}

/// Rules look at a number's last digits, so a large one retains these.
int countForRule(std::uint64_t count)
{
    constexpr std::uint64_t kLarge = 1'000'000'000;
    return static_cast<int>(count < kLarge ? count : kLarge + count % kLarge);
}

} // namespace

void Words::setTranslator(Translator translator)
{
    installed = translator;
}

Words::InEnglish::InEnglish()
{
    ++scopesInEnglish;
}

Words::InEnglish::~InEnglish()
{
    --scopesInEnglish;
}

std::string Words::translated(std::string_view marked)
{
    return marked.empty() ? std::string() : translation(marked).value_or(std::string(marked));
}

std::optional<std::string> Words::translation(std::string_view text)
{
    const Translator translator = translatorHere();
    return translator ? std::optional(translator(text, {}, kNoCount)) : std::nullopt;
}

std::optional<std::string> Words::translation(std::string_view plural, std::string_view singular, std::uint64_t count)
{
    const Translator translator = translatorHere();
    auto found = translator ? std::optional(translator(plural, singular, countForRule(count))) : std::nullopt;
    return found == plural ? std::nullopt : found; // not translated: English has a singular, too
}

} // namespace ringside
