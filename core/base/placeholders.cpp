// SPDX-License-Identifier: MIT
#include "core/base/placeholders.h"

#include "core/base/words.h"

#include <fmt/format.h>

namespace ringside {

namespace {

/// Text without names, or a name.
struct Piece
{
    std::string_view text;
    bool isName = false;
};

tl::unexpected<Error> wrong(std::string_view text, std::size_t place, std::string_view what)
{
    return fail(ErrorCode::usage, Words::tr("“{}”, column {}: {}", text, place + 1, what),
                Words::tr("Write “{{{{” or “}}}}” for a brace itself."));
}

/// Calls `use` with one piece after the other; a doubled brace is a piece of one.
template <class Use> Result<void> forEachPiece(std::string_view text, const Use& use)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t brace = std::min(text.find_first_of("{}", at), text.size());
        if (brace > at)
            use(Piece{text.substr(at, brace - at)});
        if (brace == text.size())
            break;
        const bool isDoubled = brace + 1 < text.size() && text[brace + 1] == text[brace];
        const std::size_t end = isDoubled || text[brace] == '}' ? brace : text.find_first_of("{}", brace + 1);
        if (isDoubled)
            use(Piece{text.substr(brace, 1)});
        else if (text[brace] == '}')
            return wrong(text, brace, Words::tr("this brace closes nothing."));
        else if (end == std::string_view::npos || text[end] == '{')
            return wrong(text, brace, Words::tr("this brace is not closed."));
        else
            use(Piece{text.substr(brace + 1, end - brace - 1), true});
        at = end + (isDoubled ? 2 : 1);
    }
    return {};
}

} // namespace

Result<std::vector<std::string>> placeholdersOf(std::string_view text)
{
    std::vector<std::string> names;
    TRY(forEachPiece(text, [&](const Piece& piece) {
        if (piece.isName)
            names.emplace_back(piece.text);
    }));
    return names;
}

std::optional<std::string> onlyPlaceholder(std::string_view text)
{
    const auto names = placeholdersOf(text);
    const bool isOnly = names && names->size() == 1 && !names->front().empty() && text == "{" + names->front() + "}";
    return isOnly ? std::optional(names->front()) : std::nullopt;
}

std::string partlyFilled(std::string_view text, const PlaceholderValue& valueOf)
{
    std::string result;
    const auto add = [&](const Piece& piece) {
        const auto value = piece.isName ? valueOf(piece.text) : std::string(piece.text);
        result += value ? escaped(*value) : fmt::format("{{{}}}", piece.text);
    };
    return forEachPiece(text, add) ? result : std::string(text);
}

Result<std::string> filled(std::string_view text, const PlaceholderValue& valueOf)
{
    std::string result;
    std::optional<std::string> unknown;
    TRY(forEachPiece(text, [&](const Piece& piece) {
        const auto value = piece.isName ? valueOf(piece.text) : std::string(piece.text);
        if (!value && !unknown)
            unknown = piece.text;
        result += value.value_or("");
    }));
    if (unknown)
        return fail(ErrorCode::usage, Words::tr("“{}”: there is no value for “{}”.", text, *unknown));
    return result;
}

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : text)
        result.append(c == '{' || c == '}' ? 2 : 1, c);
    return result;
}

} // namespace ringside
