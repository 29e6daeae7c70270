// SPDX-License-Identifier: MIT
// The time of day that loggers write before a line's text. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ringside::logs {

struct Stamp
{
    double seconds = 0;    ///< since some midnight; differences within a log mean something, nothing else
    double halfStep = 0.5; ///< half of its last digit's unit, s
    bool hasYear = true;
};

/// glog's "I0404 16:54:47.249" and "I20261121 08:43:44.803", "2026-11-21 08:43:44,123", the same with a T between,
/// in brackets or not, and with a level before it ("INFO 2026-…"); "11/21 08:43:44" of MMEngine and Detectron2.
std::optional<Stamp> findStamp(std::string_view line);

/// Returns the length of a stamp that no program wrote but what carried its output, with the blank behind it: that of
/// kubectl, docker and CI ("2026-11-21T08:43:44.123456789Z "), or of ts ("Nov 21 08:43:44 "). 0: the line has none.
std::size_t foreignStamp(std::string_view line);

/// Returns s from one stamp to a later one of the same log; a date without a year may have passed New Year.
double secondsBetween(const Stamp& earlier, const Stamp& later);

} // namespace ringside::logs
