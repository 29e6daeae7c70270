// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/runwords.h"

#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "core/store/runflag.h"

#include <algorithm>

namespace ringside {

namespace {

namespace runflag = store::runflag;

constexpr std::pair<Cause, const char*> kReasons[] = {
    {Cause::outOfMemory, QT_TRANSLATE_NOOP("ringside::RunWords", "Out of memory")},
    {Cause::lostRank, QT_TRANSLATE_NOOP("ringside::RunWords", "Lost rank")},
    {Cause::hung, QT_TRANSLATE_NOOP("ringside::RunWords", "Hung")},
    {Cause::data, QT_TRANSLATE_NOOP("ringside::RunWords", "Data")},
    {Cause::notANumber, QT_TRANSLATE_NOOP("ringside::RunWords", "Loss is NaN")},
    {Cause::settings, QT_TRANSLATE_NOOP("ringside::RunWords", "Settings")},
    {Cause::launch, QT_TRANSLATE_NOOP("ringside::RunWords", "Not started")},
    {Cause::timeLimit, QT_TRANSLATE_NOOP("ringside::RunWords", "Time limit")},
    {Cause::runnerLost, QT_TRANSLATE_NOOP("ringside::RunWords", "Lost runner")},
    {Cause::crashed, QT_TRANSLATE_NOOP("ringside::RunWords", "Crashed")}};

QString reasonOf(const store::RunRow& run)
{
    return run.reason ? reasonText(*run.reason) : QString();
}

} // namespace

QString RunWords::shortReason(Cause cause)
{
    const auto found = std::ranges::find(kReasons, cause, [](const auto& reason) { return reason.first; });
    return found == std::end(kReasons) ? tr("Failed") : tr(found->second);
}

StateLook RunWords::look(const store::RunRow& run)
{
    if (run.held)
        return StateWords::held();
    return StateWords::look(run.state, run.since,
                            run.state == RunState::failed ? std::optional(toUtf8(shortReason(run.cause)))
                                                          : std::nullopt);
}

QString RunWords::stateTip(const store::RunRow& run)
{
    QStringList lines;
    if (run.held)
        lines << tr("No further run is started until you continue.");
    if (const QString reason = reasonOf(run); !reason.isEmpty())
        lines << reason;
    if (run.attempt > 1)
        lines << tr("This is attempt %1; the earlier ones are kept.").arg(run.attempt);
    return lines.join(QLatin1Char('\n'));
}

QString RunWords::why(const store::RunRow& run)
{
    QStringList lines;
    const bool wentWrong = run.state == RunState::failed || run.state == RunState::unknown;
    if (const QString reason = reasonOf(run); run.state == RunState::cancelled && !reason.isEmpty())
        lines << reason; // which says so
    else if (wentWrong && !reason.isEmpty())
        lines << tr("%1: %2", "Lost rank: Rank 3 on n7 gave no sign of life").arg(look(run).word, reason);
    if (!run.flags.empty())
        lines << flags(run);
    return lines.join(QLatin1Char('\n'));
}

QString RunWords::flags(const store::RunRow& run)
{
    QStringList words;
    for (const std::string& flag : run.flags) {
        if (flag == runflag::kDisturbed)
            words << tr("Disturbed: other programs used %1 during the run, or it read or all-reduced unusually fast or "
                        "slowly.")
                         .arg(siteInSentence(run.site));
        else if (flag == runflag::kThrottled)
            words << tr("Throttled: a GPU slowed itself down, because of heat or its power supply.");
        else if (flag == runflag::kIncomplete)
            words << tr("Samples are incomplete.");
        else if (flag == runflag::kUnobserved)
            words << tr("Unobserved: nothing was recorded that would show whether other programs disturbed it.");
        else if (flag == runflag::kNan)
            words << tr("A loss was not a number.");
        else if (flag == runflag::kShort)
            words << tr("Short: measured for less than 5 s or 30 iterations.");
        else if (flag == runflag::kEmulated)
            words << tr("Emulated: layers were paced, not computed.");
        else
            words << toQt(flag);
    }
    return words.join(QLatin1Char('\n'));
}

StateLook RunWords::flagLook(const store::RunRow& run)
{
    const auto has = [&](const char* flag) { return std::ranges::find(run.flags, flag) != run.flags.end(); };
    const std::size_t mild =
        has(runflag::kIncomplete) + has(runflag::kEmulated) + has(runflag::kShort) + has(runflag::kUnobserved);
    if (run.flags.size() > mild)
        return {QStringLiteral("warning"), Ink::warning, flags(run)};
    return has(runflag::kIncomplete) ? StateLook{QStringLiteral("half-circle"), Ink::warning, flags(run)}
                                     : StateLook{QStringLiteral("info"), Ink::text2, flags(run)};
}

} // namespace ringside
