// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/checkedfile.h"

#include "core/conductor/localsite.h"
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

} // namespace

CheckedFile checkText(const std::string& text, const std::string& wish, const fs::path& worker)
{
    const std::string name = siteFor(text, wish);
    const spec::SiteLimits site = name == spec::kLocalSite ? localSite(worker) : unknownSite(name);
    CheckedFile checked{spec::checkExperiment(text, site), name};
    const auto& checks = checked.outcome.checks;
    const bool isRead = checked.outcome.experiment.has_value(); // or nothing is said about the site
    if (isRead && site.worker && std::count_if(checks.begin(), checks.end(), isBlocking) == 1)
        checked.refusal = ErrorCode::unavailable;
    return checked;
}

Result<CheckedFile> readChecked(const std::string& file, const std::string& wish, const fs::path& worker)
{
    TRY_ASSIGN(const std::string text, readFile(file, spec::kMaxExperimentBytes).map_error(asUsage));
    return checkText(text, wish, worker);
}

Result<CheckedFile> readForLaunch(const std::string& file, const std::string& site, const fs::path& worker)
{
    TRY_ASSIGN(CheckedFile checked, readChecked(file, site, worker));
    const auto blocking = std::ranges::count_if(checked.outcome.checks, isBlocking);
    for (const spec::Check& check : checked.outcome.checks) {
        const std::string line = spec::toText(check, file);
        if (isBlocking(check)) // the gravest come first
            return fail(checked.refusal, line,
                        blocking == 1 ? ""
                                      : fmt::format("It is one of {} problems; “check” lists them all.", blocking));
        fmt::print(stderr, "{}: {}\n", spec::nameOf(check.severity), line);
    }
    return checked;
}

} // namespace ringside::cli
