// SPDX-License-Identifier: MIT
// A form of lines, written as the line itself with fields in the places of its numbers (README.md beside this file):
//
//     Epoch[{epoch}] Batch{ |}[{first_iteration}-{iteration}] Speed: {items_per_second} samples/sec
//
// Text behind "{?}" is looked for anywhere behind the place where the pattern begins, whatever its order, and may be
// missing. What stands before that place may be another program's, such as a progress bar without an end:
//
//     Epoch(train) [{epoch}][{iteration}/ {?} time: {seconds_per_iteration}{?} loss: {loss}
//
// A pattern is matched from left to right without going back, so no line, however hostile, costs more than its length
// (times kMostStarts). Pure; a pattern may be matched from several threads.
#pragma once

#include "core/base/error.h"
#include "core/logs/fields.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// A pattern's first text is looked for in so many places of a line.
inline constexpr int kMostStarts = 8;

enum class LineBreak
{
    none,
    possible, ///< between two words: it may be a line of another kind
    certain   ///< in a word of the form, in a bracket, or behind a time or a rate
};

class LinePattern
{
public:
    /// Or what is wrong with it, in which column, and what to write (usage).
    static Result<LinePattern> parse(std::string_view text);

    /// Returns whether the line, or a part of it, has this form; only then are its fields added to `values`.
    bool match(std::string_view line, LineValues& values) const;

    /// Returns whether match() would be true.
    bool fits(std::string_view line) const;
    /// The longest text that every line of this form holds; never empty.
    std::string_view key() const { return m_key; }
    const std::string& text() const { return m_text; }
    /// The text with which every line of this form begins, behind what may stand before it; empty where it begins with
    /// something else.
    std::string_view head() const;
    /// Returns whether a line of this form begins here and ends before it is whole, at a byte that is no text at the
    /// latest. Lines that begin alike and go on otherwise do not.
    LineBreak breakOf(std::string_view line) const;
    bool has(Quantity quantity) const { return (m_quantities & bitOf(quantity)) != 0; }

private:
    friend class PatternParser;

    enum class Kind
    {
        text,
        blanks,  ///< one or more
        number,  ///< `field`
        choice,  ///< one of `choices`, the first that fits
        skipped, ///< anything, up to the first place of `text`
        word,    ///< anything up to a blank
        rest,    ///< anything to the end
        end
    };
    struct Part
    {
        Kind kind = Kind::text;
        std::string text = {};
        std::size_t rarest = 0; ///< where the character of the text stands that is rarest in lines
        std::vector<std::string> choices = {};
        const FieldRow* field = nullptr;
        bool afterBlank = false; ///< of `skipped`: a blank stands before the text
    };

    template <class Try> bool anyStart(const char* at, const char* end, Try tryAt) const;
    /// Returns where it begins in the line; null: nowhere.
    const char* matchHead(const char* at, const char* end, LineValues& values) const;
    bool matchAt(const char* at, const char* end, LineValues& values) const;
    LineBreak breakAt(const char* start, const char* end) const;
    static const char* find(const Part& part, const char* at, const char* end);
    static bool take(const Part& part, const char*& at, const char* end, LineValues& values);

    std::string m_text;
    std::string m_key;
    std::uint64_t m_quantities = 0; ///< bitOf() its fields, those that may be missing included
    bool m_isAnchored = false;      ///< at the line's beginning
    std::vector<Part> m_parts;
    std::vector<LinePattern> m_optional;
};

} // namespace ringside::logs
