// SPDX-License-Identifier: MIT
// The tables of sentences, each for the reasons of one origin. A further code is a constant in core/protocol/reason.h
// and an entry in one of them.
#pragma once

#include "core/protocol/reason.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside::jobs {

struct Sentence
{
    using Make = std::string (*)(const Reason&);

    /// The same whatever it is about; marked for translation.
    constexpr Sentence(std::string_view ofCode, const char* always)
        : code(ofCode)
        , text(always)
    {
    }
    constexpr Sentence(std::string_view ofCode, Make maker, std::string_view argument = {})
        : code(ofCode)
        , make(maker)
        , needs(argument)
    {
    }

    std::string_view code;
    const char* text = nullptr;
    Make make = nullptr;         ///< where there is no text
    std::string_view needs = {}; ///< an argument without which there is none; empty: all can be absent
};

/// Sentences for the ends of attempts.
std::span<const Sentence> attemptSentences();
/// Sentences for attempts that were not started, and for those whose processes guards kept from training.
std::span<const Sentence> launchSentences();
/// Sentences for the states of campaigns, and for what their runs wait for.
std::span<const Sentence> waitSentences();
/// Sentences for what stays on a site when that is cleaned up.
std::span<const Sentence> keptSentences();
/// A job of a scheduler (why::kJob), as seen at `nowNs` of the wall clock: a start that is over is no guess.
std::string jobSentence(const Reason& reason, std::int64_t nowNs);

/// The process that a reason is about: "Rank 3 on n7".
std::string process(const Reason& reason);
/// Adds to the sentence about a process those that ended at the same moment, if there were any.
std::string withOthers(std::string sentence, const Reason& reason);
/// Adds a full stop, unless the text ends with one.
std::string ended(std::string text);
/// An argument that came from elsewhere, as plain text, whatever its type.
std::string plainWord(const Reason& reason, std::string_view argument);
/// For people; of one that is not known here its name.
std::string schedulerTitle(const Reason& reason);

} // namespace ringside::jobs
