// SPDX-License-Identifier: MIT
// The flags of a run by name, in the order in which they are listed. Names in files: never reused.
#pragma once

namespace ringside::store::runflag {

inline constexpr const char* kDisturbed = "disturbed";   ///< by other programs, or it read or all-reduced unusually
inline constexpr const char* kThrottled = "throttled";   ///< a GPU, by heat or its supply
inline constexpr const char* kIncomplete = "incomplete"; ///< samples are missing
inline constexpr const char* kUnobserved = "unobserved"; ///< nothing shows whether it was disturbed
inline constexpr const char* kNan = "nan";               ///< a loss was not a number
inline constexpr const char* kShort = "short";           ///< measured for less than stats/window.h asks for
inline constexpr const char* kEmulated = "emulated";     ///< layers were paced, not computed

} // namespace ringside::store::runflag
