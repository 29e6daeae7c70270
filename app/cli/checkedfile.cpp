// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/checkedfile.h"

#include "core/base/say.h"
#include "core/base/words.h"
#include "core/sites/localsite.h"
#include "core/sites/sitebook.h"
#include "core/spec/smallform.h"
#include "core/spec/validate.h"

#include <algorithm>

namespace ringside::cli {

namespace {

bool isBlocking(const spec::Check& check)
{
    return check.severity == spec::Severity::blocking;
}

Error asUsage(Error error)
{
    error.code = ErrorCode::usage;
    return error;
}

/// As the command line or the file says; a file that cannot be read says nothing.
std::string siteFor(const std::string& text, const std::string& wish)
{
    if (!wish.empty())
        return wish;
    const auto experiment = spec::parseExperiment(text);
    return experiment ? experiment->site : spec::kLocalSite;
}

/// A site that is not described, or whose description cannot be read, is a finding like another.
void checkSiteIsKnown(const std::string& name, spec::ParseOutcome& outcome)
{
    const auto known = SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.find(name); });
    if (known)
        return;
    const spec::Position at = spec::positionOf(outcome.positions, "site");
    outcome.checks.push_back({spec::Severity::blocking, "site", name, at.line, at.column,
                              Words::tr("Site: {}", known.error().message), known.error().hint});
    spec::sortByGravity(outcome.checks);
}

} // namespace

CheckedFile checkText(const std::string& text, const std::string& wish, const fs::path& worker, Asking asking)
{
    const std::string name = siteFor(text, wish);
    const spec::SiteLimits site = name == spec::kLocalSite ? localSite(worker, asking) : unknownSite(name);
    CheckedFile checked{spec::checkExperiment(text, site), name};
    if (name != spec::kLocalSite)
        checkSiteIsKnown(name, checked.outcome);
    const auto& checks = checked.outcome.checks;
    const bool isRead = checked.outcome.experiment.has_value(); // or nothing is known about the site
    if (isRead && site.worker && std::ranges::count_if(checks, isBlocking) == 1)
        checked.refusal = ErrorCode::unavailable;
    return checked;
}

Result<CheckedFile> readChecked(const std::string& file, const std::string& wish, const fs::path& worker, Asking asking,
                                bool isSmall)
{
    TRY_ASSIGN(const std::string text, readFile(file, spec::kMaxExperimentBytes).map_error(asUsage));
    const auto experiment = isSmall ? spec::readExperiment(text).experiment : std::nullopt;
    if (!experiment)
        return checkText(text, wish, worker, asking);
    const spec::SiteLimits here = localSite(worker, asking);
    CheckedFile checked =
        checkText(spec::writeExperiment(spec::smallForm(*experiment, here)), spec::kLocalSite, worker, asking);
    auto& checks = checked.outcome.checks;
    for (spec::Check& check : checks)
        check.line = check.column = 0; // the user's file has other lines
    const auto leftOut = spec::leftOutOfSmallForm(*experiment, here);
    checks.insert(checks.end(), leftOut.begin(), leftOut.end());
    spec::sortByGravity(checks);
    return checked;
}

Result<CheckedFile> readForLaunch(const std::string& file, const std::string& site, const fs::path& worker,
                                  bool isSmall)
{
    TRY_ASSIGN(CheckedFile checked, readChecked(file, site, worker, Asking::always, isSmall));
    const auto blocking = std::ranges::count_if(checked.outcome.checks, isBlocking);
    for (const spec::Check& check : checked.outcome.checks) {
        const std::string line = spec::toText(check, file);
        if (isBlocking(check)) // the gravest come first
            return fail(checked.refusal, line,
                        blocking == 1 ? ""
                                      : fmt::format("It is one of {} problems; “check” lists them all.", blocking));
        sayError("{}: {}", spec::nameOf(check.severity), line);
    }
    return checked;
}

} // namespace ringside::cli
