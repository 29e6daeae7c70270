// SPDX-License-Identifier: GPL-3.0-or-later
// Names that core has in English, in the words of the window.
#pragma once

#include "core/protocol/reason.h"
#include "core/report/items.h"
#include "core/spec/schema.h"

#include <QString>
#include <set>
#include <string>
#include <string_view>

namespace ringside {

/// Translates a text that core marks with Words::noop; as it is where there is no translation.
QString coreText(std::string_view english);

/// Returns why a run ended so, what it waits for, or why something stays on a site, as a sentence or two of plain text;
/// empty for an empty reason.
QString reasonText(const Reason& reason);

/// The unit of a setting's number, where its label does not name it: "ms"; empty beside "Cores per rank". That of a
/// batch is what is trained with.
QString unitBeside(const spec::Setting& setting, report::Items items = report::Items::mixed);
/// "Time of a layer (ms)".
QString labelWithUnit(const spec::Setting& setting);

/// "This computer" for the site "local", "Imported" for that of imported runs; others by their name.
QString siteName(std::string_view site);
/// Names of the sites that runs are on, in the order of the names; that of `planned` if there are no runs.
QString siteNames(const std::set<std::string>& ofRuns, std::string_view planned);
/// The same within a sentence: "this computer".
QString siteInSentence(std::string_view site);

} // namespace ringside
