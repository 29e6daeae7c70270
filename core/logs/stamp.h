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
    double period = 0;     ///< s after which it comes again: a year or a day where it tells none; 0: never
};

/// glog's "I0404 16:54:47.249" and "I20261121 08:43:44.803", "2026-11-21 08:43:44,123", the same with a T between,
/// in brackets or not, and with a level before it ("INFO 2026-…"); "11/21 08:43:44" of MMEngine and Detectron2; at the
/// beginning of the line "Nov 21 08:43:44" of ts and syslog, "Sat Nov 21 08:43:44 2026" of mpirun, and "[08:43:44]".
std::optional<Stamp> findStamp(std::string_view line);

/// Returns the length of a stamp that no program wrote but what carried its output, with the blank behind it: that of
/// kubectl, docker and CI ("2026-11-21T08:43:44.123456789Z "), of ts ("Nov 21 08:43:44 "), or of mpirun, whose tag
/// follows at once ("Sat Nov 21 08:43:44 2026"). 0: the line has none.
std::size_t foreignStamp(std::string_view line);

/// Returns s from one stamp to a later one of the same log; a date without a year may have passed New Year,
/// and a time without a date midnight.
double secondsBetween(const Stamp& earlier, const Stamp& later);

} // namespace ringside::logs
