// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/monitormessages.h"

#include "app/pages/monitor/runwords.h"
#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/numbers.h"
#include "core/spec/experiment.h"

#include <QCoreApplication>
#include <utility>

namespace ringside {

namespace {

struct MonitorWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::MonitorWords)
};

} // namespace

Message trialMessage(const store::RunRow& trial, std::function<void()> goBack)
{
    Message message{.severity = Severity::info,
                    .button = MonitorWords::tr("Back to the editor"),
                    .act = std::move(goBack),
                    .topic = kTrialTopic};
    if (!isFinal(trial.state)) {
        message.text =
            MonitorWords::tr("A trial: the smallest configuration once, kept apart from the results. Cancel… ends it.");
    } else if (trial.state == RunState::done) {
        message.severity = Severity::done;
        message.text = MonitorWords::tr("The trial is done. It is kept apart from the results.");
    } else {
        message.severity = trial.state == RunState::failed ? Severity::error : Severity::info;
        message.text = MonitorWords::tr("The trial has ended. %1").arg(RunWords::why(trial));
    }
    return message;
}

Message refusalMessage(const Error& error)
{
    return {.severity = error.code == ErrorCode::notFound ? Severity::info : Severity::error,
            .text = messageOf(error),
            .details = detailsOf(error),
            .topic = kRefusalTopic};
}

QString waitText(const store::RunRow& run)
{
    if (!isWaiting(run.state) || run.held || !run.reason || isOrdinaryWait(*run.reason))
        return {};
    return reasonText(*run.reason);
}

Message lossMessage(const SiteStatus& site, std::function<void()> reconnect, std::function<void()> showSite)
{
    const QString name = siteInSentence(site.name);
    if (site.contact == SiteStatus::Contact::refused)
        return {
            .severity = Severity::error,
            .text =
                MonitorWords::tr("%1 is refused for its host key. Its runs continue; nothing is fetched.").arg(name),
            .button = MonitorWords::tr("Show why"),
            .act = std::move(showSite),
            .topic = kLossTopic};
    Message message{.severity = Severity::warning,
                    .text = MonitorWords::tr("No contact with %1 since %2. Its runs continue; samples will be fetched.")
                                .arg(name, Numbers::timeOfDay(site.since)),
                    .topic = kLossTopic};
    if (site.name != spec::kLocalSite) { // a relay here is started again by itself
        message.button = MonitorWords::tr("Reconnect");
        message.act = std::move(reconnect);
    }
    return message;
}

QString contextLine(const RunModel& model, const std::map<CampaignId, std::string>& jobs, const RunId& shown)
{
    const store::RunRow* run = model.running(shown);
    if (!run)
        run = model.next();
    const QString site = siteName(run ? run->site : model.runs().begin()->second.site);
    if (!run)
        return site;
    const auto job = jobs.find(run->campaign);
    const QString waits = waitText(*run);
    const QString what = !waits.isEmpty()    ? waits
                         : job == jobs.end() ? QString()
                                             : MonitorWords::tr("job %1").arg(toQt(job->second));
    return what.isEmpty() ? site : MonitorWords::tr("%1 · %2", "site, its job").arg(site, what);
}

} // namespace ringside
