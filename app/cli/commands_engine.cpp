// SPDX-License-Identifier: GPL-3.0-or-later
// engine list, check, install, remove.
#include "app/cli/commands.h"

#include "app/cli/answer.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/redrawnline.h"
#include "app/cli/steps.h"
#include "app/cli/watcher.h"
#include "core/adapters/offer.h"
#include "core/base/privatefolder.h"
#include "core/base/say.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/conductor/cleanup.h"
#include "core/enginecheck/enginecheck.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/sites/sitebook.h"

#include <atomic>
#include <cstdio>
#include <stop_token>
#include <thread>

namespace ringside::cli {

namespace {

/// An installation has an hour or two (EngineRequest), a removal some minutes.
constexpr auto kEngineLimit = std::chrono::minutes(130);

Json toJson(const adapters::Option& option)
{
    Json standard;
    if (!option.standardFrom.empty())
        standard = "{" + option.standardFrom + "}";
    else if (option.standard)
        standard = ringside::toJson(*option.standard);
    return {{"name", option.key},      {"type", nameOf(option.type)}, {"default", standard},
            {"levels", option.levels}, {"about", option.description}, {"source", textOrNull(option.source)}};
}

Json toJson(const adapters::EngineOffer& offer)
{
    Json json{{"name", offer.name},
              {"title", offer.title},
              {"version", textOrNull(offer.version)},
              {"state", nameOf(offer.state)},
              {"reason", textOrNull(offer.reason)},
              {"python", textOrNull(offer.python)}};
    if (offer.adapter) {
        json["versions"] = textOrNull(offer.adapter->versions.text());
        json["licence"] = textOrNull(offer.adapter->licence);
        json["options"] =
            mapped<Json>(offer.adapter->options, [](const adapters::Option& option) { return toJson(option); });
    }
    if (offer.adapter && offer.adapter->installation) {
        json["bytes"] = offer.adapter->installation->bytes;
        json["seconds"] = offer.adapter->installation->seconds;
        json["from"] = offer.adapter->installation->from;
    }
    return json;
}

std::vector<std::string> rowOf(const adapters::EngineOffer& offer)
{
    const auto* installation = offer.adapter && offer.adapter->installation ? &*offer.adapter->installation : nullptr;
    return {offer.name,
            offer.title,
            offer.version.empty() ? "–" : offer.version,
            offer.adapter ? offer.adapter->versions.text() : "",
            installation && !installation->takesWhatIsThere() ? humanBytes(installation->bytes) : "",
            offer.adapter ? offer.adapter->licence : "",
            offer.reason.empty() ? std::string(nameOf(offer.state)) : plainText(offer.reason)};
}

/// The conductor of a command, and its reports. Nothing of it is to be stored: a window on the user's database may be
/// open.
struct Site
{
    PrivateFolder folder;
    Watcher watcher;
    std::unique_ptr<Conductor> conductor;

    Result<void> open(const Context& context)
    {
        TRY(folder.make());
        TRY_ASSIGN(ConductorOptions programs, conductorOptions(context));
        programs.store = folder.path() / "engines.db";
        TRY_ASSIGN(conductor, openConductor(programs, watcher));
        return {};
    }
    Result<InstalledEngines> engines(const std::string& site)
    {
        return await<InstalledEngines>(watcher, {kSiteLimit}, [&](Completion<InstalledEngines> done) {
            conductor->listEngines(site, std::move(done));
        });
    }
    Result<InstalledEngine> ask(const std::string& site, const wire::EngineRequest& request,
                                const OnEngineProgress& progress, const std::atomic<bool>* stop)
    {
        return await<InstalledEngine>(watcher, {kEngineLimit, nullptr, stop}, [&](Completion<InstalledEngine> done) {
            conductor->askEngine(site, request, progress, std::move(done));
        });
    }
};

/// Returns why a system stays by the store, which knows campaigns that the site does not. Empty without a store.
Result<Reason> whyStoreKeeps(const Context& context, const std::string& site, const wire::Item& item)
{
    const auto there = requireStore(context);
    if (!there && context.store.empty())
        return Reason{};
    TRY(there);
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY_ASSIGN(const SiteBook book, SiteBook::ofUser());
    TRY_ASSIGN(const Unfinished unfinished, unfinishedAt(db, book.onRootOf(site)));
    return unfinished.whyKept(item);
}

/// On a terminal one line that is redrawn; else a line for each step, and of it one each second at most, where it says
/// something else.
class InstallLine
{
public:
    void show(const wire::BuildProgress& progress)
    {
        const auto now = std::chrono::steady_clock::now();
        const bool isSameStep = progress.percent == m_percent;
        if (isSameStep && progress.text == m_text)
            return;
        if (!m_line.isTerminal() && isSameStep && now - m_told < std::chrono::seconds(1))
            return;
        m_told = now;
        m_percent = progress.percent;
        m_text = progress.text;
        const std::string line = fmt::format("{:3} %  {}", progress.percent, progress.text);
        if (m_line.isTerminal())
            m_line.draw(line);
        else
            sayErrorLine(line);
    }

private:
    RedrawnLine m_line;
    int m_percent = -1;
    std::string m_text;
    std::chrono::steady_clock::time_point m_told;
};

/// Passes on a Ctrl+C of which a signal handler can leave no more than a mark.
class StopOnInterrupt
{
public:
    StopOnInterrupt()
        : m_watch([this](const std::stop_token& over) {
            while (!over.stop_requested() && !interrupted())
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            if (interrupted())
                m_stop.request_stop();
        })
    {
        watchForInterrupt();
    }
    std::stop_token token() const { return m_stop.get_token(); }

private:
    std::stop_source m_stop;
    std::jthread m_watch; ///< last: it asks m_stop
};

std::string placeOf(const std::string& site)
{
    return site == spec::kLocalSite ? "this computer" : site;
}

/// Prints the terms to agree to; a folder of wheels or an interpreter that is there is the user's own.
void tellOffer(const EngineOptions& options, const adapters::Adapter& adapter)
{
    const bool isThere = adapter.installation->takesWhatIsThere();
    const std::string there = options.python.empty() ? ""
                              : isThere              ? fmt::format("run by {}, ", plainText(options.python))
                                        : fmt::format("that of {}, where it has it; else ", plainText(options.python));
    sayError("{} for {}: {}{}.\n{}", adapter.title, placeOf(options.site), there, adapters::installationWords(adapter),
             isThere ? "Only a note of where it is and of its version is written, into Ringside's folder there."
                     : "It is put below Ringside's folder there, and nothing elsewhere.");
}

/// Returns what this computer has of the system. Other sites are not asked, since a user might have to sign in for
/// that.
std::optional<InstalledEngine> installedHere(const EngineOptions& options)
{
    const auto root = options.site == spec::kLocalSite ? dataFolder() : Result<fs::path>(fs::path());
    const InstalledEngines installed = root && !root->empty() ? installedEngines(*root) : InstalledEngines();
    const auto found = installed.find(options.name);
    return found == installed.end() || found->second.isGone ? std::nullopt : std::optional(found->second);
}

/// Shows what --yes would do, and does nothing.
Exit offerOnly(const EngineOptions& options, const adapters::Adapter& adapter, const Installation& installation)
{
    const auto there = installedHere(options);
    const std::string already = there ? fmt::format("{}{}{} is installed already: {}. ", adapter.title,
                                                    there->version.empty() ? "" : " ", there->version, there->python)
                                      : std::string();
    const bool stays = there && options.python.empty() && options.modules.empty() && isAsWanted(*there, installation);
    if (stays)
        return report({ErrorCode::usage, already + "Nothing was installed.",
                       fmt::format("--yes would leave it as it is. To install it anew, remove it first: "
                                   "“ringside-cli engine remove {}”.",
                                   options.name)});
    tellOffer(options, adapter);
    return report({ErrorCode::usage, already + "Nothing was installed.",
                   there ? "--yes installs it anew." : "--yes installs it."});
}

/// Ends the installation, too, wherever it goes on.
Exit cancelInstallation(Site& site, const EngineOptions& options)
{
    wire::EngineRequest request;
    request.name = options.name;
    request.action = wire::EngineAction::cancel;
    const auto cancelled = site.ask(options.site, request, {}, nullptr);
    if (!cancelled && cancelled.error().code == ErrorCode::notFound) {
        sayError(
            "The installation had ended before it could be cancelled. “ringside-cli engine list” shows whether {} is "
            "installed.",
            options.name);
        return Exit::someFailed;
    }
    if (!cancelled)
        return report(cancelled.error());
    sayError("Cancelled. What was downloaded is kept for the next try; “ringside-cli engine remove {}” frees it.",
             options.name);
    return Exit::someFailed;
}

} // namespace

Exit listEngines(const Context& context, const EngineOptions& options)
{
    Site site;
    if (const auto opened = site.open(context); !opened)
        return report(opened.error());
    TRY_OR_EXIT(const InstalledEngines installed, site.engines(options.site));
    const auto offers = adapters::engineOffers(adapters::usersAdapters(), installed);
    if (context.json)
        return print(Json(mapped<Json>(offers, [](const adapters::EngineOffer& offer) { return toJson(offer); }))),
               Exit::done;
    printTable({{"Name"}, {"System"}, {"Installed"}, {"Versions"}, {"Size", true}, {"Licence"}, {"State"}},
               mapped(offers, rowOf));
    return Exit::done;
}

Exit installEngine(const Context& context, const EngineOptions& options)
{
    const adapters::AdapterBook& book = adapters::usersAdapters();
    TRY_OR_EXIT(const std::optional<Installation> installation, adapters::installationOf(book, options.name));
    const adapters::Adapter& adapter = *book.find(options.name);
    if (!installation)
        return report({ErrorCode::usage, fmt::format("{} needs no installation.", adapter.title),
                       fmt::format("“ringside-cli engine check {}” tries it.", options.name)});
    if (!options.yes)
        return offerOnly(options, adapter, *installation);
    tellOffer(options, adapter);
    Site site;
    if (const auto opened = site.open(context); !opened)
        return report(opened.error());
    wire::EngineRequest request;
    request.name = options.name;
    request.installation = installationToJson(*installation);
    request.python = options.python;
    request.wheels = options.wheels;
    request.modules = options.modules;
    TRY_OR_EXIT(request.whyKept, whyStoreKeeps(context, options.site, {wire::ItemKind::engine, options.name}));
    watchForInterrupt();
    const auto line = std::make_shared<InstallLine>(); // printed until the conductor is gone
    const auto installed = site.ask(
        options.site, request, [line](const wire::BuildProgress& progress) { line->show(progress); }, &interrupted());
    if (!installed && interrupted() && installed.error().code == ErrorCode::cancelled)
        return cancelInstallation(site, options);
    if (!installed)
        return report(installed.error());
    if (context.json)
        return print({{"name", options.name},
                      {"version", textOrNull(installed->version)},
                      {"python", installed->python}}),
               Exit::done;
    printText("{}{}{} is installed: {}\n", adapter.title, installed->version.empty() ? "" : " ", installed->version,
              installed->python);
    return Exit::done;
}

Exit removeEngine(const Context& context, const EngineOptions& options)
{
    Site site;
    if (const auto opened = site.open(context); !opened)
        return report(opened.error());
    using Items = std::vector<wire::InstalledItem>;
    const wire::Item item{wire::ItemKind::engine, options.name};
    TRY_OR_EXIT(const Items items, await<Items>(site.watcher, {kSiteLimit}, [&](Completion<Items> done) {
                    site.conductor->listInstalled(options.site, std::move(done));
                }));
    if (std::ranges::find(items, item, &wire::InstalledItem::item) == items.end())
        return report({ErrorCode::notFound,
                       fmt::format("“{}” is not installed on {}.", plainText(options.name), placeOf(options.site)),
                       {}});
    TRY_OR_EXIT(Reason whyKept, whyStoreKeeps(context, options.site, item));
    wire::DeleteReply reply;
    if (whyKept.empty()) {
        TRY_OR_EXIT(reply,
                    await<wire::DeleteReply>(site.watcher, {kSiteLimit}, [&](Completion<wire::DeleteReply> done) {
                        site.conductor->removeInstalled(options.site, {item}, std::move(done));
                    }));
        if (!reply.refused.empty())
            whyKept = reply.refused[0].reason;
    }
    if (!whyKept.empty())
        return report({ErrorCode::busy, fmt::format("{} stays. {}", options.name, jobs::sentenceOf(whyKept)), {}});
    if (context.json)
        return print({{"freed_bytes", reply.freedBytes}}), Exit::done;
    printText("{} freed.\n", humanBytes(reply.freedBytes));
    return Exit::done;
}

Exit checkEngine(const Context& context, const EngineOptions& options)
{
    TRY_OR_EXIT(const std::optional<Installation> installation,
                adapters::installationOf(adapters::usersAdapters(), options.name));
    TRY_OR_EXIT(const ConductorOptions programs, conductorOptions(context));
    Json json = Json::array();
    const auto tell = [&](const EngineCheckStep& step) {
        json.push_back({{"step", step.title}, {"ok", step.isWell}, {"text", step.text}});
        if (!context.json)
            printText("{} {}  {}\n", step.isWell ? "✓" : "✗", leftAligned(step.title, 12), step.text);
        std::fflush(stdout);
    };
    Steps steps(options.site);
    const StopOnInterrupt stop;
    const auto checked = ringside::checkEngine(
        {programs, options.site, options.name, installation, tell, [&](const SiteStep& step) { steps.update(step); }},
        stop.token());
    if (context.json)
        print(json);
    if (!checked)
        return report(checked.error());
    return *checked ? Exit::done : Exit::someFailed;
}

} // namespace ringside::cli
