// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/statelook.h"

#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/numbers.h"

namespace ringside {

namespace {

struct Shape
{
    const char16_t* icon;
    Ink ink;
};

Shape shapeOf(RunState state)
{
    switch (state) {
    case RunState::queued:
    case RunState::starting:
        return {u"clock", Ink::queued};
    case RunState::running:
        return {u"play", Ink::running};
    case RunState::done:
        return {u"tick", Ink::done};
    case RunState::failed:
        return {u"cross", Ink::failed};
    case RunState::cancelled:
        return {u"ban", Ink::cancelled};
    case RunState::requeued:
        return {u"cycle", Ink::requeued};
    case RunState::unknown:
        return {u"question", Ink::unknown};
    }
    return {u"question", Ink::unknown};
}

} // namespace

QString StateWords::word(RunState state)
{
    switch (state) {
    case RunState::queued:
        return tr("Queued");
    case RunState::starting:
        return tr("Starting");
    case RunState::running:
        return tr("Running");
    case RunState::done:
        return tr("Done");
    case RunState::failed:
        return tr("Failed");
    case RunState::cancelled:
        return tr("Cancelled");
    case RunState::requeued:
        return tr("Requeued");
    case RunState::unknown:
        return tr("Unknown");
    }
    return {};
}

StateLook StateWords::look(RunState state, std::int64_t since, const std::optional<std::string>& reason)
{
    const auto shape = shapeOf(state);
    StateLook look{QString::fromUtf16(shape.icon), shape.ink, word(state)};
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

StateLook StateWords::imported()
{
    return {QStringLiteral("import"), Ink::imported, tr("Imported")};
}

StateLook StateWords::disturbed()
{
    return {QStringLiteral("warning"), Ink::warning, tr("Disturbed")};
}

} // namespace ringside
