// SPDX-License-Identifier: MIT
// Lets ranks find each other without MPI: environment variables, set by the guard of a rank.
#pragma once

namespace ringside {

inline constexpr const char* kTcpRankVariable = "RINGSIDE_RANK";
/// Among those of its host that the same starter began.
inline constexpr const char* kTcpLocalRankVariable = "RINGSIDE_LOCAL_RANK";
inline constexpr const char* kTcpRanksVariable = "RINGSIDE_RANKS";
/// A file that rank 0 writes and every rank sees: where rank 0 listens, and a secret of the attempt.
inline constexpr const char* kTcpMeetingVariable = "RINGSIDE_MEETING";
/// The network interface that ranks offer to each other; set by the rank itself, if at all.
inline constexpr const char* kTcpInterfaceVariable = "RINGSIDE_INTERFACE";

} // namespace ringside
