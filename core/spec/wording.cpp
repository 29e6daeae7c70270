// SPDX-License-Identifier: MIT
#include "core/spec/wording.h"

#include "core/base/text.h"
#include "core/spec/schema.h"

#include <algorithm>

namespace ringside::spec {

namespace {

constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kLongestList = 12;

std::string cut(std::string text)
{
    if (text.size() <= kLongestQuote)
        return text;
    std::size_t end = kLongestQuote;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end; // not inside a UTF-8 sequence
    return text.substr(0, end) + "…";
}

} // namespace

std::string quoted(std::string_view text)
{
    std::string plain = plainText(text);
    std::replace(plain.begin(), plain.end(), '\n', ' ');
    return Words::tr("“{}”", cut(std::move(plain)));
}

std::string listed(const std::vector<std::string>& words)
{
    if (words.size() < 2)
        return words.empty() ? std::string{} : words.front();
    std::string others = words.front();
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
        others.append(", ").append(words[i]);
    return Words::tr("{} and {}", others, words.back());
}

std::string about(std::string_view key, std::string_view message)
{
    return Words::tr("{}: {}", shownLabelOf(key), message);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known)
{
    std::string text;
    if (const auto close = closestWord(word, known))
        text = Words::tr("Did you mean {}?", quoted(*close));
    if (!known.empty() && known.size() <= kLongestList)
        text.append(text.empty() ? "" : " ").append(Words::tr("Known: {}.", listed(known)));
    return text;
}

} // namespace ringside::spec
