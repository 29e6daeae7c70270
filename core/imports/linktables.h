// SPDX-License-Identifier: MIT
// Tables of links as calibrations: what was understood of one before it is stored, and as what. Pure.
#pragma once

#include "core/imports/answers.h"
#include "core/imports/reading.h"
#include "core/protocol/calibration.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::imports {

/// Calibrations count more ranks than this as damage.
inline constexpr std::int64_t kMostLinkRanks = 1'000'000;

struct LinkPreview
{
    std::size_t table = 0; ///< of ReadLog::tables
    std::optional<std::int64_t> ranks = {}, nodes = {};
    std::vector<std::string> missing = {}; ///< what the user has to say first (questionFor())
    bool isUnplaced = false;               ///< the nodes that the user says are those of more ranks: it is left out
    std::vector<logs::Finding> findings = {};
    Settings settings = {};                      ///< of its configuration: only what was printed or said
    std::optional<Calibration> calibration = {}; ///< of one link; nothing: something is missing, or no row is used
    std::vector<std::uint64_t> lines = {};       ///< of each of its times, the first where a size comes again
};

/// Adds what `answers` say to what is known of each table. Nodes are those of all ranks, so for a table of fewer ranks
/// they are known only where there is one node. Where a size comes again, its time is the median.
std::vector<LinkPreview> linkPreviewsOf(const ReadLog& log, const Answers& answers);

/// "all-reduce", in the user's language.
std::string operationText(logs::TableOf operation);
/// Says which ranks the times are of, and whether in place: "of the slowest rank, in place".
std::string timesText(const logs::LinkTable& table);

/// facts.json of its run. `title`: of the program that printed it.
std::string factsOf(const LinkPreview& link, const std::string& title);

} // namespace ringside::imports
