// SPDX-License-Identifier: MIT
// Lists the systems with tables that a site has, and those that it could have. Pure.
#pragma once

#include "core/adapters/adapterbook.h"
#include "core/protocol/installedengine.h"
#include "core/protocol/names.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::adapters {

enum class EngineState
{
    ready,       ///< installed, in a version that its table is for, or in need of no installation
    installable, ///< and not installed
    missing      ///< it cannot be had, or not be used
};
constexpr auto namesOf(EngineState)
{
    return std::to_array<std::string_view>({"ready", "installable", "missing"});
}

struct EngineOffer
{
    std::string name;
    std::string title;   ///< of a table that cannot be read: its name
    std::string version; ///< that is installed; empty: none
    std::string python;  ///< its interpreter
    EngineState state = EngineState::missing;
    std::string reason;               ///< why it is not ready, or has no version; a sentence
    const Adapter* adapter = nullptr; ///< null where its table cannot be read; the book outlives this
};

/// Covers all tables, in the order of their names.
std::vector<EngineOffer> engineOffers(const AdapterBook& book, const InstalledEngines& installed);

/// Returns the installation of one that a site is to have: with the range of versions that its table is for; nothing:
/// it needs none. Fails with what is wrong with its name or its table (notFound, usage).
Result<std::optional<Installation>> installationOf(const AdapterBook& book, const std::string& name);

/// "900 MB on disk, about 1 min, BSD-3-Clause, from the Python package index": what a person agrees to. For one that
/// needs an installation.
std::string installationWords(const Adapter& adapter);

} // namespace ringside::adapters
