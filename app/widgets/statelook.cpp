// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/statelook.h"

#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/numbers.h"

namespace ringside {

namespace {

struct Look
{
    const char* icon;
    Ink ink;
    const char* word;
};

constexpr Look kLooks[] = {{"clock", Ink::queued, QT_TRANSLATE_NOOP("ringside::StateWords", "Queued")},
                           {"clock", Ink::queued, QT_TRANSLATE_NOOP("ringside::StateWords", "Starting")},
                           {"play", Ink::running, QT_TRANSLATE_NOOP("ringside::StateWords", "Running")},
                           {"tick", Ink::done, QT_TRANSLATE_NOOP("ringside::StateWords", "Done")},
                           {"cross", Ink::failed, QT_TRANSLATE_NOOP("ringside::StateWords", "Failed")},
                           {"ban", Ink::cancelled, QT_TRANSLATE_NOOP("ringside::StateWords", "Cancelled")},
                           {"cycle", Ink::requeued, QT_TRANSLATE_NOOP("ringside::StateWords", "Requeued")},
                           {"question", Ink::unknown, QT_TRANSLATE_NOOP("ringside::StateWords", "Unknown")}};
static_assert(std::size(kLooks) == std::size_t(RunState::unknown) + 1);

} // namespace

StateLook StateWords::look(RunState state, std::int64_t since, const std::optional<std::string>& reason)
{
    const Look& usual = kLooks[std::size_t(state)];
    StateLook look{QString::fromLatin1(usual.icon), usual.ink, tr(usual.word)};
    if (state == RunState::failed && reason && !reason->empty())
        look.word = coreText(*reason);
    if (state == RunState::unknown && since > 0)
        look.word = tr("Unknown since %1").arg(Numbers::timeOfDay(since));
    return look;
}

StateLook StateWords::held()
{
    return {QStringLiteral("pause"), Ink::queued, tr("Held")};
}

} // namespace ringside
