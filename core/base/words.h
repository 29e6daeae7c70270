// SPDX-License-Identifier: MIT
// Texts for people, in their language: English as in the sources until a program installs a translator. The
// window does. The command line and the agent stay English, and so does whatever is stored, sent or exported: that is
// put together by fmt::format, or under Words::InEnglish where the window shows the same texts.
//
// lupdate finds the texts (translations/CMakeLists.txt). It wants "Words::" in full and the text as a literal; right
// behind it neither another literal, which it would read as a comment, nor another call of these, which it would not
// see. tests/words.sh looks for both. A translation may turn the arguments round ("{1} {0}").
#pragma once

#include "core/base/text.h"

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

namespace ringside {

/// All safe from any thread.
struct Words
{
    /// `text` in the user's language; as it is where there is no translation. A `count` of 0 or more asks for the form
    /// that the language has for it: `text` is the English plural then, `singular` the form for 1.
    using Translator = std::string (*)(std::string_view text, std::string_view singular, int count);

    /// For the whole program, since messages are composed far from where the language is known. nullptr: English.
    static void setTranslator(Translator translator);

    /// As fmt::format: tr("Batch: {} is not positive.", 0). Where the placeholders of a translation do not fit,
    /// English.
    template <class... Args> static std::string tr(fmt::format_string<Args...> english, Args&&... args)
    {
        const fmt::string_view text = english;
        return composed(translation({text.data(), text.size()}), text, fmt::make_format_args(args...));
    }

    /// counted("{} nodes", "{} node", 12480) is "12,480 nodes". The count is the first placeholder, `args` the others.
    template <class... Args>
    static std::string counted(fmt::format_string<const std::string&, Args...> plural,
                               fmt::format_string<const std::string&, Args...> singular, std::uint64_t count,
                               Args&&... args)
    {
        const fmt::string_view many = plural, one = singular;
        const std::string number = grouped(count);
        return composed(translation({many.data(), many.size()}, {one.data(), one.size()}, count),
                        count == 1 ? one : many, fmt::make_format_args(number, args...));
    }

    /// Marks a text of a table or of a message's part; the code that shows it calls translated().
    static constexpr const char* noop(const char* english) { return english; }
    static std::string translated(std::string_view marked);
    /// The same of a text with placeholders: they are numbered, and need not use all of `args`.
    template <class... Args>
    static std::string translated(std::string_view marked, const Args&... args) requires(sizeof...(Args) > 0)
    {
        return composed(translation(marked), {marked.data(), marked.size()}, fmt::make_format_args(args...));
    }

    /// While one lives, this thread's texts are English: for what is stored, sent or exported. They may be nested.
    class InEnglish
    {
    public:
        InEnglish();
        ~InEnglish();
        InEnglish(const InEnglish&) = delete;
        InEnglish& operator=(const InEnglish&) = delete;
    };

private:
    /// nullopt where English is spoken.
    static std::optional<std::string> translation(std::string_view text);
    static std::optional<std::string> translation(std::string_view plural, std::string_view singular,
                                                  std::uint64_t count);

    /// Inline, as all of fmt is: the worker sees the fmt of libtorch, whose types are others.
    static std::string composed(const std::optional<std::string>& translation, fmt::string_view english,
                                fmt::format_args args)
    {
        try {
            return fmt::vformat(translation ? fmt::string_view(*translation) : english, args);
        } catch (const fmt::format_error&) { // a translator's slip must not cost the message
            return fmt::vformat(english, args);
        }
    }
};

} // namespace ringside
