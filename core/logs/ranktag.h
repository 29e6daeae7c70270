// SPDX-License-Identifier: MIT
// Reads what launchers write before each line of a rank's output: the rank. A stamp of what carried the output, which
// stands before it, is passed over. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::logs {

struct RankTag
{
    std::size_t length = 0; ///< of stamp and tag before the line's text; 0: the line has neither
    std::optional<int> rank = {};
};

/// Open MPI's "[1,3]<stdout>:", since version 5 "[prterun-node-100629@1,3]<stdout>: ", SageMaker's
/// "[1,mpirank:3,algo-1]<stdout>:", horovodrun's "[3]<stdout>:", "[3] " of Intel MPI and MPICH, "3: " of a scheduler's
/// launcher, "[rank3]:" and "[default3]:" of torchrun, "MPI Rank 3: " of CNTK.
RankTag rankTag(std::string_view line);

/// The tag that stands for a process behind a name, by its number (namenumbers.h). No launcher writes such a one: its
/// ranks lie below these numbers.
std::string namedTag(int number);

struct PodTag
{
    std::size_t length = 0;     ///< with the blank behind it; 0: the line has none
    std::string_view name = {}; ///< of pod and container: "trainer-0/main"; or a task's number
};

/// "[pod/trainer-0/main] " of kubectl logs --prefix, which stands before what rankTag() reads; or "3: " of a
/// scheduler's launcher before a tag of torchrun.
PodTag podTag(std::string_view line);

/// All tags and stamps before the line's text.
std::size_t tagsLength(std::string_view line);

/// Removes stamp and tag, and a second one that horovodrun writes behind the text when a line's end comes in a write of
/// its own.
std::optional<int> takeRankTag(std::string_view& line);

} // namespace ringside::logs
