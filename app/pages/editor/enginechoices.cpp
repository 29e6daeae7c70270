// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/enginechoices.h"

#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "core/adapters/offer.h"
#include "core/base/sequences.h"
#include "core/spec/schema.h"

#include <QCoreApplication>
#include <algorithm>

namespace ringside {

namespace {

struct EngineWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::EngineWords)
};

using adapters::EngineOffer;
using adapters::EngineState;

InstalledEngines installedOn(const spec::SiteLimits& site)
{
    InstalledEngines installed;
    for (const auto& [name, version] : *site.engines)
        installed[name].version = version;
    for (const auto& [name, python] : site.goneInterpreters)
        installed[name] = {.version = {}, .python = python, .isGone = true};
    return installed;
}

LevelChoice withOffer(LevelChoice choice, const EngineOffer& offer, const std::string& site)
{
    const bool isThere = !offer.version.empty() || !offer.python.empty();
    choice.isMissing = offer.state != EngineState::ready;
    if (!offer.version.empty())
        choice.label += QLatin1Char(' ') + toQt(offer.version);
    if (!choice.isMissing)
        return choice;
    choice.label =
        (isThere ? EngineWords::tr("%1 (install it again)") : EngineWords::tr("%1 (not installed)")).arg(choice.label);
    choice.help = toQt((isThere ? offer.reason + ' ' : std::string()) + spec::installationHint(offer.name, site));
    return choice;
}

} // namespace

std::vector<LevelChoice> engineChoices(const spec::SiteLimits& site, const std::string& name)
{
    std::vector<EngineOffer> offers;
    if (site.engines)
        offers = adapters::engineOffers(adapters::usersAdapters(), installedOn(site));
    auto choices = mapped(spec::offeredLevels(*spec::findSetting("engine")), [&](const spec::Level& level) {
        const LevelChoice choice{.word = toQt(level.word), .label = coreText(level.label)};
        const auto offer = std::ranges::find(offers, level.word, &EngineOffer::name);
        return offer == offers.end() ? choice : withOffer(choice, *offer, name);
    });
    std::ranges::stable_partition(choices, std::logical_not(), &LevelChoice::isMissing);
    return choices;
}

} // namespace ringside
