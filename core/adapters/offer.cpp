// SPDX-License-Identifier: MIT
#include "core/adapters/offer.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>

namespace ringside::adapters {

namespace {

EngineOffer withState(EngineOffer offer, EngineState state, std::string reason = {})
{
    offer.state = state;
    offer.reason = std::move(reason);
    return offer;
}

EngineOffer offerOf(const AdapterBook::Entry& entry, const InstalledEngines& installed)
{
    EngineOffer offer;
    offer.name = offer.title = entry.name;
    const auto found = installed.find(entry.name);
    if (found != installed.end()) {
        offer.version = found->second.version;
        offer.python = found->second.python;
    }
    if (!entry.outcome.adapter)
        return withState(offer, EngineState::missing, entry.refusal());
    const Adapter& adapter = *entry.outcome.adapter;
    offer.title = adapter.title;
    offer.adapter = &adapter;
    if (adapter.engine.command.empty())
        return withState(offer, EngineState::missing, Words::tr("Its logs are read; it is not started."));
    if (!adapter.installation)
        return withState(offer, EngineState::ready, Words::tr("It needs no installation."));
    if (found != installed.end() && found->second.isGone)
        return withState(offer, EngineState::installable,
                         Words::tr("Its interpreter {} is gone: install it again.", offer.python));
    if (found != installed.end() && adapter.versions.mayContain(offer.version))
        return withState(offer, EngineState::ready,
                         offer.version.empty() ? Words::tr("It is run by {}.", offer.python) : std::string());
    return withState(offer, EngineState::installable,
                     found == installed.end()
                         ? Words::tr("not installed")
                         : Words::tr("{} is installed; the table is for {}.", offer.version, adapter.versions.text()));
}

} // namespace

std::vector<EngineOffer> engineOffers(const AdapterBook& book, const InstalledEngines& installed)
{
    return mapped(book.entries(), [&](const AdapterBook::Entry& entry) { return offerOf(entry, installed); });
}

Result<std::optional<Installation>> installationOf(const AdapterBook& book, const std::string& name)
{
    const auto entry = std::ranges::find(book.entries(), name, &AdapterBook::Entry::name);
    if (entry == book.entries().end()) {
        const auto meant = closestWord(name, mapped(book.entries(), &AdapterBook::Entry::name));
        return fail(ErrorCode::notFound, Words::tr("There is no system “{}”.", plainText(name)),
                    meant ? Words::tr("Did you mean “{}”?", *meant)
                          : Words::tr("“ringside-cli engine list” names them all."));
    }
    const EngineOffer offer = offerOf(*entry, {});
    if (!offer.adapter)
        return fail(ErrorCode::usage, Words::tr("The table of “{}” cannot be read: {}", offer.name, offer.reason),
                    Words::tr("Fix or remove the table."));
    if (offer.state == EngineState::missing)
        return fail(ErrorCode::usage,
                    Words::tr("{} can be neither installed nor checked. {}", offer.title, offer.reason));
    std::optional<Installation> installation = offer.adapter->installation;
    if (installation)
        installation->versions = offer.adapter->versions;
    return installation;
}

std::string installationWords(const Adapter& adapter)
{
    const Installation& installation = *adapter.installation;
    if (installation.takesWhatIsThere())
        return Words::tr("with what is there already; nothing is fetched");
    const std::string terms = Words::tr("{} on disk, about {}, licence {}, from {}", humanBytes(installation.bytes),
                                        humanDuration(installation.seconds), adapter.licence, installation.from);
    return installation.python.isAll() ? terms
                                       : Words::tr("{}; it needs a Python {} there, which it does not bring", terms,
                                                   installation.python.text());
}

} // namespace ringside::adapters
