// SPDX-License-Identifier: MIT
#include "agent/cleaner/inventory.h"

#include "agent/runner/folderclaim.h"
#include "agent/runner/lease.h"
#include "core/base/files.h"
#include "core/base/regularfile.h"
#include "core/base/text.h"
#include "core/protocol/installedengine.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace ringside::cleaner {

namespace {

using wire::InstalledItem;
using wire::Item;
using wire::ItemKind;

constexpr std::uint64_t kMaxWorkerFile = 4u << 20;

/// Names of what lies in a folder, sorted.
std::vector<std::string> namesIn(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

/// Each connection runs one of its own, which ends within seconds and needs nothing that clean-up removes.
bool isProbe(const fs::path& process)
{
    constexpr std::uint64_t kMostRead = 64u << 10; // a longer command is no probe
    const std::string command = readFile(process / "cmdline", kMostRead).value_or("");
    return command.substr(command.find('\0') + 1).starts_with(std::string_view("probe\0", 6));
}

/// The programs that run now, of this user on this machine, but for the relay that was asked, its long request, which
/// is this process, and probes.
std::vector<fs::path> runningPrograms()
{
    std::vector<fs::path> programs;
    std::error_code ignored;
    const std::string own = std::to_string(::getpid()), relay = std::to_string(::getppid());
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename(); // of a process its number; beside them lies “self”
        if (name == own || name == relay || !std::ranges::all_of(name, isDigit))
            continue;
        const fs::path program = fs::read_symlink(entry.path() / "exe", ignored);
        if (!ignored && !isProbe(entry.path()))
            programs.push_back(program);
    }
    return programs;
}

/// By their names alone.
bool isNamedBelow(const fs::path& path, const fs::path& folder)
{
    const auto relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

/// Without links, as the kernel names programs; one that cannot be followed stays.
fs::path real(const fs::path& path)
{
    std::error_code problem;
    const fs::path followed = fs::weakly_canonical(path, problem);
    return problem ? path : followed;
}

bool isAnyBelow(const std::vector<fs::path>& programs, const fs::path& folder)
{
    const fs::path followed = real(folder);
    return std::ranges::any_of(programs, [&](const fs::path& program) { return isNamedBelow(program, followed); });
}

/// An ingredient of a worker, by name.
std::string ingredient(const fs::path& worker, const char* name)
{
    const auto text = readRegularFile(layout::workerFile(worker), kMaxWorkerFile);
    const auto json = nlohmann::json::parse(text.value_or(""), nullptr, false);
    const auto pointer = nlohmann::json::json_pointer("/from") / name;
    const bool isText = json.is_object() && json.contains(pointer) && json[pointer].is_string();
    return isText ? plainText(json[pointer].get<std::string>()) : "";
}

bool isBeingBuilt(const fs::path& worker)
{
    const auto owner = runner::latestOwner(worker);
    const auto self = runner::thisOwner();
    return !owner || !self || (*owner && lifeOf(**owner, *self) != runner::Life::dead);
}

Reason naming(const CampaignView& campaign, std::string_view code)
{
    return because(code, {{"campaign", campaign.id.str()}, {"experiment", campaign.experiment}});
}

class Inventory
{
public:
    Inventory(fs::path root, Sizes sizes, const StoreId& asker = {})
        : m_root(std::move(root))
        , m_sizes(sizes)
        , m_campaigns(campaignViews(m_root, asker))
        , m_running(runningPrograms())
    {
    }

    std::vector<InstalledItem> take()
    {
        addAgents();
        addWorkers();
        for (const auto& name : namesIn(layout::torchFolder(m_root)))
            add({ItemKind::torch, name}, name, whoBuiltWith(name));
        addEngines();
        add({ItemKind::data, layout::dataFolder(m_root).filename().string()}, "", anyBusy());
        addCampaigns();
        addRuns();
        return std::move(m_items);
    }

    Reason whoNeedsEngine(const std::string& name) const
    {
        return orWhoMayNeed(whoMentions(layout::enginesFolder(m_root) / name, &CampaignView::engines));
    }

private:
    /// Adds it if it is there; `reason` is why it is in use, or empty.
    InstalledItem* add(const Item& item, const std::string& about, const Reason& reason)
    {
        const fs::path path = pathOf(m_root, item);
        std::error_code ignored;
        if (!isItemName(item) || !fs::exists(path, ignored))
            return nullptr;
        InstalledItem installed;
        installed.item = item;
        installed.path = path.lexically_relative(m_root).string();
        installed.bytes = m_sizes == Sizes::summed ? bytesBelow(path) : 0;
        installed.usedNs = modifiedNs(path);
        installed.inUse = !reason.empty();
        installed.reason = reason;
        installed.about = about;
        m_items.push_back(std::move(installed));
        return &m_items.back();
    }

    void addAgents()
    {
        for (const auto& version : namesIn(layout::binFolder(m_root)))
            for (const auto& build : namesIn(layout::binFolder(m_root) / version)) {
                const Item item{ItemKind::agent, version + "/" + build};
                add(item, version, whoRuns(pathOf(m_root, item)));
            }
    }

    void addWorkers()
    {
        for (const auto& name : namesIn(layout::workersFolder(m_root))) {
            const bool isSource = name.starts_with("source-");
            const fs::path folder = layout::workersFolder(m_root) / name;
            auto* added =
                add({isSource ? ItemKind::source : ItemKind::worker, name},
                    isSource ? "" : "torch " + ingredient(folder, "torch"), isSource ? Reason() : whoNeeds(folder));
            if (added && !isSource)
                added->usedNs = std::max(added->usedNs, modifiedNs(layout::workerFile(folder)));
        }
    }

    /// Nothing is reported about leftovers of an interrupted installation.
    void addEngines()
    {
        const auto known = installedEngines(m_root);
        for (const auto& name : namesIn(layout::enginesFolder(m_root))) {
            const auto found = known.find(name);
            const bool isWhole = found != known.end();
            std::string about = isWhole ? name : "";
            if (isWhole && !found->second.version.empty())
                about += " " + plainText(found->second.version);
            const bool isInstalling =
                isEngineName(name) && runner::FolderClaim::isTaken(layout::enginesFolder(m_root) / name);
            add({ItemKind::engine, name}, about, isInstalling ? because(why::kBeingInstalled) : whoNeedsEngine(name));
        }
    }

    void addCampaigns()
    {
        for (const auto& campaign : m_campaigns)
            if (auto* added = add({ItemKind::campaign, campaign.id.str()}, campaign.experiment, campaign.busy)) {
                added->usedNs = campaign.usedNs;
                added->store = campaign.store;
            }
    }

    void addRuns()
    {
        for (const auto& name : namesIn(m_root / "runs")) {
            const auto run = RunId::parse(name);
            if (!run)
                continue;
            const CampaignView* owner = nullptr;
            Reason reason;
            for (const auto& campaign : m_campaigns)
                if (campaign.runs.contains(*run)) {
                    owner = &campaign;
                    reason = reason.empty() ? campaign.busy : reason;
                }
            if (auto* added =
                    add({ItemKind::run, name}, owner ? owner->experiment : "", owner ? reason : orWhoMayNeed({}));
                added && owner)
                added->store = owner->store;
        }
    }

    Reason anyBusy() const
    {
        const auto busy = std::ranges::find_if(m_campaigns, [](const auto& view) { return !view.busy.empty(); });
        return busy == m_campaigns.end() ? Reason() : naming(*busy, why::kMayNeed);
    }

    /// A job that waits names the agent in its script: one queued by an older version finds its own.
    Reason whoRuns(const fs::path& folder) const
    {
        if (isAnyBelow(m_running, folder))
            return because(why::kProgramRuns);
        return whoMentions(folder, &CampaignView::script);
    }

    Reason whoNeeds(const fs::path& worker) const
    {
        if (isAnyBelow(m_running, worker))
            return because(why::kProgramRuns);
        return isBeingBuilt(worker) ? because(why::kBeingBuilt)
                                    : orWhoMayNeed(whoMentions(worker, &CampaignView::worker));
    }

    /// Looks for the whole path below the root: a name alone may occur in any other word, the root's too.
    Reason whoMentions(const fs::path& folder, std::string CampaignView::*text) const
    {
        const std::string path = "/" + folder.lexically_relative(m_root).string() + "/";
        for (const auto& campaign : m_campaigns)
            if (!campaign.busy.empty() && (campaign.*text).find(path) != std::string::npos)
                return naming(campaign, why::kNeededBy);
        return {};
    }

    Reason whoBuiltWith(const std::string& torch) const
    {
        for (const auto& key : namesIn(layout::workersFolder(m_root))) {
            const fs::path folder = ingredient(layout::workersFolder(m_root) / key, "torch_folder");
            if (isBelow(folder, layout::torchFolder(m_root) / torch))
                return because(why::kBuiltWith, {{"worker", key}});
        }
        return orWhoMayNeed({});
    }

    /// A campaign that is not over and cannot be read may need anything.
    Reason orWhoMayNeed(const Reason& who) const
    {
        const auto unread = std::ranges::find_if(
            m_campaigns, [](const auto& campaign) { return !campaign.busy.empty() && !campaign.isRead; });
        return who.empty() && unread != m_campaigns.end() ? naming(*unread, why::kMayNeed) : who;
    }

    fs::path m_root;
    Sizes m_sizes;
    std::vector<CampaignView> m_campaigns;
    std::vector<fs::path> m_running;
    std::vector<InstalledItem> m_items;
};

} // namespace

std::vector<InstalledItem> inventory(const fs::path& root, Sizes sizes, const StoreId& asker)
{
    return Inventory(root, sizes, asker).take();
}

bool isBelow(const fs::path& path, const fs::path& folder)
{
    return isNamedBelow(real(path), real(folder));
}

bool isRunningBelow(const fs::path& folder)
{
    return isAnyBelow(runningPrograms(), folder);
}

fs::path pathOf(const fs::path& root, const Item& item)
{
    switch (item.kind) {
    case ItemKind::agent:
        return layout::binFolder(root) / item.name;
    case ItemKind::worker:
    case ItemKind::source:
        return layout::workersFolder(root) / item.name;
    case ItemKind::torch:
        return layout::torchFolder(root) / item.name;
    case ItemKind::engine:
        return layout::enginesFolder(root) / item.name;
    case ItemKind::campaign:
        return layout::campaignsFolder(root) / item.name;
    case ItemKind::run:
        return root / "runs" / item.name;
    case ItemKind::data:
        break;
    }
    return layout::dataFolder(root);
}

std::uint64_t bytesBelow(const fs::path& path)
{
    std::uint64_t bytes = 0;
    std::error_code problem;
    if (fs::is_regular_file(path, problem))
        return fs::file_size(path, problem);
    for (fs::recursive_directory_iterator entry(path, problem), end; !problem && entry != end; entry.increment(problem))
        if (std::error_code vanished; entry->is_regular_file(vanished))
            bytes += entry->file_size(vanished);
    return bytes;
}

Reason whoNeedsEngine(const fs::path& root, const std::string& name)
{
    return Inventory(root, Sizes::leftOut).whoNeedsEngine(name);
}

} // namespace ringside::cleaner
