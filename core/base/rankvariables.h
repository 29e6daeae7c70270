// SPDX-License-Identifier: MIT
// The environment variables by which a process knows its attempt, and a rank its place among the others.
#pragma once

#include <string_view>

namespace ringside {

/// Marks an attempt's processes, with its folder: in the environment of all of them, inherited whatever sessions and
/// groups they make.
inline constexpr const char* kAttemptVariable = "RINGSIDE_ATTEMPT";

// Without MPI ranks find each other by those that begin with kTcp. The guard of a rank sets them.

inline constexpr const char* kTcpRankVariable = "RINGSIDE_RANK";
/// Among those of its host that the same starter began.
inline constexpr const char* kTcpLocalRankVariable = "RINGSIDE_LOCAL_RANK";
inline constexpr const char* kTcpRanksVariable = "RINGSIDE_RANKS";
/// A file that rank 0 writes and every rank sees: where rank 0 listens, and a secret of the attempt.
inline constexpr const char* kTcpMeetingVariable = "RINGSIDE_MEETING";
/// The network interface that ranks offer to each other; set by the rank itself, if at all.
inline constexpr const char* kTcpInterfaceVariable = "RINGSIDE_INTERFACE";

/// One of them is there in every process that was started as a rank: the guard's, Open MPI's, PMI's, PMIx's, PALS's.
inline constexpr const char* kSignsOfRank[] = {kTcpMeetingVariable, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK",
                                               "PALS_RANKID"};

/// They tell a process about its rank, and are kept from what it starts (environment.h): the guard's by name, those of
/// launchers by how they begin.
inline constexpr std::string_view kOwnRankVariables[] = {kTcpRankVariable, kTcpLocalRankVariable, kTcpRanksVariable,
                                                         kTcpMeetingVariable};
inline constexpr std::string_view kForeignRankVariables[] = {
    "OMPI_COMM_WORLD_", "MPI_LOCAL", "HYDI_", "PMI_", "PMIX_", "PALS_"};

} // namespace ringside
