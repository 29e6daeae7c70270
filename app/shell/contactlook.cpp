// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/contactlook.h"

#include "app/widgets/numbers.h"

namespace ringside {

StateLook ContactWords::look(const SiteStatus& status, bool wasReached)
{
    switch (status.contact) {
    case SiteStatus::Contact::connecting:
        return {QStringLiteral("circle"), Ink::text2, tr("connecting")};
    case SiteStatus::Contact::connected:
        return {QStringLiteral("dot"), Ink::done, tr("connected")};
    case SiteStatus::Contact::lost:
        return {QStringLiteral("question"), Ink::unknown,
                (wasReached ? tr("disconnected since %1") : tr("not reached, %1", "time of day"))
                    .arg(Numbers::timeOfDay(status.since))};
    case SiteStatus::Contact::needsPerson:
        return {QStringLiteral("question"), Ink::warning, tr("needs you")};
    case SiteStatus::Contact::refused:
        return {QStringLiteral("octagon"), Ink::failed, tr("refused (host key)")};
    case SiteStatus::Contact::never:
        break;
    }
    return {QStringLiteral("circle"), Ink::text2, {}};
}

} // namespace ringside
