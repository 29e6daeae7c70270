// SPDX-License-Identifier: MIT
#include "core/jobs/jobreport.h"

#include <tuple>

namespace ringside::jobs {

namespace {

constexpr std::string_view kTagPrefix = "ringside:";

} // namespace

bool waits(JobState state)
{
    return state == JobState::pending || state == JobState::requeued;
}

const JobReport* jobOf(const std::vector<JobReport>& reports, const CampaignId& campaign, const std::string& job)
{
    const auto merit = [&](const JobReport& report) {
        return std::tuple(!isOver(report.state), report.id == job, report.id.size(), std::string_view(report.id));
    };
    const auto isIts = [&](const JobReport& report) { // an id may be given out again, a tag is its own
        return report.campaign && !campaign.empty() ? *report.campaign == campaign : report.id == job;
    };
    const JobReport* best = nullptr;
    for (const JobReport& report : reports)
        if (isIts(report) && (!best || merit(*best) < merit(report)))
            best = &report;
    return best;
}

std::string tagOf(const CampaignId& campaign)
{
    return std::string(kTagPrefix) + campaign.str();
}

std::optional<CampaignId> campaignOf(std::string_view tag)
{
    if (!tag.starts_with(kTagPrefix))
        return std::nullopt;
    const auto id = CampaignId::parse(tag.substr(kTagPrefix.size()));
    return id ? std::optional(*id) : std::nullopt;
}

} // namespace ringside::jobs
