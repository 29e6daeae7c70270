// SPDX-License-Identifier: MIT
// The systems that runs trained with, and the frameworks that these compute with, by facts of the groups. English, the
// language of exports. Pure; any thread.
#pragma once

#include "core/report/comparison.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

/// Returns whether a fact is the version of a framework: "torch".
bool isFramework(std::string_view fact);

/// Returns whether a fact is the version of the system itself that these settings name, which fact "system" has, too:
/// "torch" of PyTorch.
bool isOfSystem(std::string_view fact, const Settings& settings);

/// "Horovod 0.28.1 with torch 2.0.1+cu117", for each version of its system that it was measured with. Empty: Ringside's
/// own engine, or not known.
std::vector<std::string> systemTexts(const Group& group);

/// "0.28.1 with torch 2.0.1+cu117": the same without the name, of several versions all; "torch 2.11.0" of Ringside's
/// own engine. Empty: not known, or one system has all of the groups, so that the caption says it.
std::string versionText(const Comparison& comparison, const Group& group);
/// Returns whether that is known of any group.
bool haveVersions(const Comparison& comparison);

/// Facts that both report and that are not the same.
spec::Differences factsThatDiffer(const Group& base, const Group& group);
/// Those of them that are frameworks.
spec::Differences frameworksThatDiffer(const Group& base, const Group& group);

} // namespace ringside::report
