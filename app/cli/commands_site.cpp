// SPDX-License-Identifier: GPL-3.0-or-later
// site list, add, remove, test, clean.
#include "app/cli/commands.h"

#include "app/cli/allowtorch.h"
#include "app/cli/answer.h"
#include "app/cli/json.h"
#include "app/cli/output.h"
#include "app/cli/steps.h"
#include "app/cli/watcher.h"
#include "core/base/say.h"
#include "core/base/sequences.h"
#include "core/base/shellquote.h"
#include "core/base/text.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/sites/findings.h"
#include "core/sites/sitebook.h"
#include "core/store/queries.h"

#include <algorithm>

namespace ringside::cli {

namespace {

Json toJson(const SiteBook::Entry& entry)
{
    Json json{{"name", entry.name}};
    if (!entry.site)
        return json["error"] = entry.site.error().text(), json;
    json["host"] = entry.site->host;
    json["scheduler"] = entry.site->scheduler;
    json["root"] = entry.site->root;
    return json;
}

std::string lineOf(const SiteBook::Entry& entry)
{
    return entry.site ? fmt::format("{}  {}", leftAligned(entry.name, 16), entry.site->host)
                      : fmt::format("{}  {}", leftAligned(entry.name, 16), entry.site.error().text());
}

Json toJson(const wire::InstalledItem& item)
{
    return {{"path", item.path},
            {"bytes", item.bytes},
            {"used", item.usedNs},
            {"in_use", item.inUse},
            {"about", aboutOf(item)},
            {"reason", textOrNull(jobs::sentenceOf(item.reason))},
            {"reason_code", textOrNull(item.reason.code)}};
}

Exit printInstalled(const Context& context, const std::vector<wire::InstalledItem>& installed)
{
    const Json json = mapped<Json>(installed, [&](const wire::InstalledItem& item) { return toJson(item); });
    if (context.json)
        return print(json), Exit::done;
    for (const wire::InstalledItem& item : installed)
        printText("{}  {}  {}  {}\n", rightAligned(humanBytes(item.bytes), 10), leftAligned(clockText(item.usedNs), 16),
                  item.path, item.inUse ? jobs::sentenceOf(item.reason) : aboutOf(item));
    if (installed.empty())
        sayErrorLine("There is nothing of Ringside there.");
    else
        sayErrorLine("--yes removes what is no longer needed.");
    return Exit::done;
}

/// In use now, and perhaps free in a moment: a torch once its worker has gone, an agent once the relay of the command
/// before has ended. The site decides.
bool mayBecomeFree(const wire::InstalledItem& item)
{
    return item.item.kind == wire::ItemKind::torch || item.item.kind == wire::ItemKind::agent;
}

Json testedJson(const Steps& steps, const std::vector<SiteFact>& found, const Result<void>& tested)
{
    Json json = steps.toJson();
    json["found"] = mapped<Json>(found, [](const SiteFact& fact) -> Json {
        return {{"fact", fact.label}, {"text", fact.text}};
    });
    json["error"] = tested ? Json() : cli::toJson(tested.error());
    return json;
}

void printFound(const std::vector<SiteFact>& found)
{
    for (const SiteFact& fact : found)
        printText("{}  {}\n", leftAligned(fact.label, 16), fact.text);
}

std::vector<wire::Item> removable(const std::vector<wire::InstalledItem>& installed)
{
    std::vector<wire::Item> items;
    for (const wire::InstalledItem& item : installed)
        if (!item.inUse || mayBecomeFree(item))
            items.push_back(item.item);
    return items;
}

Json keptJson(const wire::Refusal& refusal)
{
    return {{"path", refusal.path},
            {"reason", jobs::sentenceOf(refusal.reason)},
            {"reason_code", textOrNull(refusal.reason.code)}};
}

Exit printRemoved(const Context& context, const std::vector<wire::InstalledItem>& installed,
                  const wire::DeleteReply& reply)
{
    std::vector<wire::Refusal> kept = reply.refused;
    for (const wire::InstalledItem& item : installed)
        if (item.inUse && !mayBecomeFree(item))
            kept.push_back({item.path, item.reason});
    if (context.json)
        return print({{"freed_bytes", reply.freedBytes}, {"kept", mapped<Json>(kept, keptJson)}}), Exit::done;
    printText("{} freed.\n", humanBytes(reply.freedBytes));
    for (const wire::Refusal& each : kept)
        printText("kept: {}  {}\n", each.path, jobs::sentenceOf(each.reason));
    return Exit::done;
}

/// True of a site whose file cannot be read, too.
bool isDescribed(const SiteBook& book, const std::string& name)
{
    return std::ranges::count(book.all(), name, &SiteBook::Entry::name) > 0;
}

/// Campaigns know their site by its name: without its file nothing could fetch what they do, or cancel them.
Result<void> requireIdle(const Context& context, const std::string& site)
{
    if (!requireStore(context))
        return {};
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    const auto campaign = std::ranges::find(unfinished, site, &store::CampaignRow::site);
    if (campaign == unfinished.end())
        return {};
    const std::string cancel = commandLine(context, "cancel", "--experiment " + shellQuote(campaign->experiment));
    return fail(ErrorCode::busy, fmt::format("Runs of “{}” on {} have not ended.", campaign->experiment, site),
                fmt::format("“{}” ends them. Repeat this once “{}” has their samples.", cancel,
                            commandLine(context, "collect")));
}

} // namespace

Exit listSites(const Context& context)
{
    TRY_OR_EXIT(const SiteBook book, SiteBook::ofUser());
    Json json = Json::array();
    for (const SiteBook::Entry& entry : book.all()) {
        json.push_back(toJson(entry));
        if (!context.json)
            printText("{}\n", lineOf(entry));
    }
    if (context.json)
        print(json);
    else if (json.empty())
        sayErrorLine("There is no site yet but this computer, “local”. “ringside-cli site add NAME HOST” adds one.");
    return Exit::done;
}

Exit addSite(const SiteOptions& options)
{
    Site site;
    site.name = options.name;
    if (const auto taken = takeHost(site, options.host.empty() ? options.name : options.host); !taken)
        return report(taken.error());
    TRY_OR_EXIT(const SiteBook book, SiteBook::ofUser());
    if (isDescribed(book, options.name))
        return report({ErrorCode::exists, fmt::format("There is a site “{}” already.", options.name),
                       fmt::format("“ringside-cli site remove {}” forgets it.", options.name)});
    if (!options.root.empty())
        site.root = options.root;
    site.job.partition = options.partition;
    site.installTorch = options.installTorch;
    if (const auto saved = book.save(site); !saved)
        return report(saved.error());
    sayError("“{}” is in {}. “ringside-cli site test {}” tries it.", site.name, book.folder().string(), site.name);
    return Exit::done;
}

Exit removeSite(const Context& context, const SiteOptions& options)
{
    TRY_OR_EXIT(const SiteBook book, SiteBook::ofUser());
    if (options.name == spec::kLocalSite)
        return report(Error{ErrorCode::usage, "“local” is this computer, which is always there.",
                            "Name a site of “ringside-cli site list”."});
    if (const auto known = book.find(options.name); !known && !isDescribed(book, options.name))
        return report(known.error());
    if (const auto idle = requireIdle(context, options.name); !idle)
        return report(idle.error());
    const auto removed = book.remove(options.name);
    return removed ? Exit::done : report(removed.error());
}

Exit testSite(const Context& context, const SiteOptions& options)
{
    TRY_OR_EXIT(const ConductorOptions programs, conductorOptions(context));
    Watcher watcher;
    TRY_OR_EXIT(const std::unique_ptr<Conductor> conductor, openConductor(programs, watcher));
    if (options.installTorch)
        if (const auto allowed = allowTorch(options.name); !allowed)
            return report(allowed.error());
    Steps steps(options.name);
    const auto tested = await(watcher, {kSiteLimit, &steps}, [&](Completion<> done) {
        conductor->prepareSite(options.name, options.computeNode, std::move(done));
    });
    steps.close();
    const std::vector<SiteFact> found = watcher.found(options.name);
    if (context.json)
        print(testedJson(steps, found, tested));
    else
        printFound(found);
    return tested ? Exit::done : report(tested.error());
}

Exit cleanSite(const Context& context, const SiteOptions& options)
{
    TRY_OR_EXIT(const ConductorOptions programs, conductorOptions(context));
    Watcher watcher;
    TRY_OR_EXIT(const std::unique_ptr<Conductor> conductor, openConductor(programs, watcher));
    using Items = std::vector<wire::InstalledItem>;
    TRY_OR_EXIT(const Items installed, await<Items>(watcher, {kSiteLimit}, [&](Completion<Items> done) {
                    conductor->listInstalled(options.name, std::move(done));
                }));
    if (!options.yes)
        return printInstalled(context, installed);
    using Reply = wire::DeleteReply;
    TRY_OR_EXIT(const Reply reply, await<Reply>(watcher, {kSiteLimit}, [&](Completion<Reply> done) {
                    conductor->removeInstalled(options.name, removable(installed), std::move(done));
                }));
    return printRemoved(context, installed, reply);
}

} // namespace ringside::cli
