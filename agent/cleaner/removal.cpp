// SPDX-License-Identifier: MIT
#include "agent/cleaner/removal.h"

#include "agent/cleaner/inventory.h"
#include "agent/cleaner/stored.h"
#include "agent/runner/folderclaim.h"
#include "agent/runner/planfile.h"
#include "core/base/ids.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <unistd.h>

namespace ringside::cleaner {

namespace {

using wire::Item;
using wire::ItemKind;

constexpr const char* kGone = ".gone-";

/// The time for the relay of a command that has just ended to notice it and end, too: it is another process of the same
/// agent. On a loaded login node that takes seconds; one that serves another app stays, and its agent with it.
constexpr std::chrono::milliseconds kEndingLimit{5'000};
constexpr std::chrono::milliseconds kEndingLook{50};

/// An answer to whether a campaign is busy holds as long.
constexpr std::chrono::seconds kAnswerHolds{5};

/// Returns true if it is certainly not there; false also if a folder on the way to it cannot be looked through.
bool isGone(const fs::path& path)
{
    std::error_code problem;
    return fs::status(path, problem).type() == fs::file_type::not_found;
}

class Removal
{
public:
    Removal(fs::path root, fs::path self, const wire::DeleteRequest& request)
        : m_root(std::move(root))
        , m_self(std::move(self))
        , m_store(request.store)
        , m_stored(m_root, request.stored)
        , m_installed(inventory(m_root, Sizes::leftOut, m_store))
    {
        m_reply.requestId = request.requestId;
    }

    /// Runs before campaigns: a run is known to be over by its campaign. Workers before torches, which they still need.
    wire::DeleteReply carryOut(const wire::DeleteRequest& request)
    {
        for (const auto& run : request.runs)
            remove({ItemKind::run, run.str()});
        for (const auto& campaign : request.campaigns)
            remove({ItemKind::campaign, campaign.str()});
        std::vector<Item> items = request.items;
        awaitEnding(items);
        const auto isOurs = [this](const Item& item) { return item.kind == ItemKind::agent && isSelf(item); };
        std::ranges::stable_sort(items, {}, [&](const Item& item) { return std::pair(isOurs(item), item.kind); });
        for (const auto& item : items) { // few, each of which may take minutes, and fewer campaigns hold what is left
            m_installed = inventory(m_root, Sizes::leftOut, m_store);
            remove(item);
        }
        finishEarlier();
        if (std::ranges::any_of(items, isOurs) && isGone(m_self))
            leave();
        return std::move(m_reply);
    }

private:
    struct Answer
    {
        Reason busy;
        std::chrono::steady_clock::time_point until = {};
    };

    /// True if it is the agent that runs here: a program's file may be removed while it runs.
    bool isSelf(const Item& item) const { return isBelow(m_self, pathOf(m_root, item)); }

    /// Until none of the agents that are to go runs, kEndingLimit at most for all of them.
    void awaitEnding(const std::vector<Item>& items) const
    {
        const auto runs = [this](const Item& item) {
            return item.kind == ItemKind::agent && isItemName(item) && isRunningBelow(pathOf(m_root, item));
        };
        const auto end = std::chrono::steady_clock::now() + kEndingLimit;
        while (std::ranges::any_of(items, runs) && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(kEndingLook);
    }

    /// Those of systems that are gone, and the files that earlier versions locked in their place.
    void removeEngineLeases()
    {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(layout::enginesFolder(m_root), ignored)) {
            const fs::path name = entry.path().stem(); // .NAME of .NAME.leases
            const fs::path engine = entry.path().parent_path() / name.string().substr(1);
            if (!name.string().starts_with('.') || !isGone(engine))
                continue;
            if (entry.path().extension() == ".lock")
                fs::remove(entry.path(), ignored);
            if (entry.path() == runner::FolderClaim::leasesOf(engine))
                eraseLeases(engine);
        }
    }

    /// An installation may begin meanwhile, and make the folder again.
    void eraseLeases(const fs::path& engine)
    {
        const auto claim = runner::FolderClaim::takeLeases(engine);
        if (claim && isGone(engine))
            (void)erase(runner::FolderClaim::leasesOf(engine));
    }

    /// No program works here any more: removes empty folders, and once there is no campaign the runners' lock and the
    /// drivers, which an agent lays down anew where it needs them. A link in place of a folder is a person's, and
    /// stays.
    void leave()
    {
        const auto removeEmpty = [](const fs::path& folder) { (void)::rmdir(folder.c_str()); };
        std::error_code ignored;
        for (const auto& version : fs::directory_iterator(layout::binFolder(m_root), ignored))
            removeEmpty(version.path());
        removeEngineLeases();
        for (const fs::path& folder :
             {layout::binFolder(m_root), layout::workersFolder(m_root), layout::torchFolder(m_root),
              layout::enginesFolder(m_root), m_root / "runs", layout::campaignsFolder(m_root)})
            removeEmpty(folder);
        if (isGone(layout::campaignsFolder(m_root))) {
            fs::remove(layout::campaignLockFile(m_root), ignored);
            fs::remove_all(layout::driversFolder(m_root), ignored);
        }
        removeEmpty(m_root);
    }

    void remove(const Item& item)
    {
        const fs::path path = pathOf(m_root, item);
        if (item.name.empty() || isGone(path))
            return;
        Reason reason = whyNot(item, path);
        if (reason.empty())
            reason = item.kind == ItemKind::engine ? eraseClaimed(path) : erase(path);
        if (!reason.empty())
            m_reply.refused.push_back({path.lexically_relative(m_root).string(), reason});
    }

    Reason whyNot(const Item& item, const fs::path& path)
    {
        std::error_code problem;
        if ((void)fs::status(path, problem); problem)
            return because(why::kNotSeen, {{"said", problem.message()}});
        const auto known = std::ranges::find(m_installed, item, &wire::InstalledItem::item);
        if (known == m_installed.end())
            return because(why::kNotRingsides);
        if (isForeign(*known))
            return because(why::kOtherStore);
        if (known->inUse)
            return known->reason;
        if (Reason busy = whyBusyByNow(item, path); !busy.empty())
            return busy;
        const bool hasSamples = item.kind == ItemKind::run || item.kind == ItemKind::campaign;
        const Reason missing = hasSamples ? m_stored.missingBelow(path) : Reason();
        return missing.empty() && item.kind == ItemKind::campaign ? missingOfRuns(path) : missing;
    }

    bool isForeign(const wire::InstalledItem& item) const
    {
        return !m_store.empty() && !item.store.empty() && item.store != m_store;
    }

    /// A campaign leads to its runs: without it their data would never be collected.
    Reason missingOfRuns(const fs::path& campaign) const
    {
        const auto plan = runner::readPlan(campaign);
        for (std::size_t i = 0; plan && i < plan->runs.size(); ++i)
            if (Reason missing = m_stored.missingBelow(layout::runFolder(m_root, plan->runs[i].id)); !missing.empty()) {
                missing.add("run", plan->runs[i].id.str());
                return missing;
            }
        return {};
    }

    /// The inventory of runs and campaigns may be minutes old; that of the other things was just taken.
    Reason whyBusyByNow(const Item& item, const fs::path& path)
    {
        if (item.kind == ItemKind::campaign)
            return whyBusy(path);
        const auto run = RunId::parse(item.name);
        return item.kind == ItemKind::run && run ? whoIsAtIt(*run) : Reason();
    }

    /// Campaigns may have come meanwhile.
    Reason whoIsAtIt(const RunId& run)
    {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(layout::campaignsFolder(m_root), ignored)) {
            const auto campaign = CampaignId::parse(entry.path().filename().string());
            if (!campaign || !runsOf(*campaign).contains(run))
                continue;
            if (const Reason& busy = whyBusyLately(*campaign); !busy.empty())
                return busy;
        }
        return {};
    }

    /// Runs of one campaign follow each other, and to ask for each would read its journal and ask its scheduler as
    /// often.
    const Reason& whyBusyLately(const CampaignId& campaign)
    {
        Answer& answer = m_answers[campaign];
        if (answer.until <= std::chrono::steady_clock::now()) {
            answer.busy = whyBusy(layout::campaignFolder(m_root, campaign));
            answer.until = std::chrono::steady_clock::now() + kAnswerHolds;
        }
        return answer.busy;
    }

    /// A plan does not change; one that could not be read is read again.
    const std::set<RunId>& runsOf(const CampaignId& campaign)
    {
        std::set<RunId>& runs = m_runs[campaign];
        const auto plan =
            runs.empty() ? runner::readPlan(layout::campaignFolder(m_root, campaign)) : Result<CampaignPlan>();
        for (std::size_t i = 0; plan && i < plan->runs.size(); ++i)
            runs.insert(plan->runs[i].id);
        return runs;
    }

    /// Nothing is being installed into it, and who begins to meanwhile finds it gone. A full disk has no room for a
    /// claim, not for that of an installation either.
    Reason eraseClaimed(const fs::path& path)
    {
        const auto claim = runner::FolderClaim::take(path);
        if (claim)
            return erase(path);
        const bool isFull = claim.error().code == ErrorCode::noSpace;
        return isFull && !runner::FolderClaim::isTaken(path) ? erase(path) : becauseOf(claim.error());
    }

    Reason erase(const fs::path& path)
    {
        const std::uint64_t bytes = bytesBelow(path);
        const fs::path gone = path.parent_path() / (kGone + randomUuid());
        std::error_code problem;
        fs::rename(path, gone, problem);
        if (!problem)
            fs::remove_all(gone, problem);
        if (problem)
            return because(why::kNotDeleted, {{"said", problem.message()}});
        m_reply.freedBytes += bytes;
        return {};
    }

    /// Finishes an interrupted removal.
    void finishEarlier()
    {
        std::error_code ignored;
        std::vector<fs::path> folders = {layout::workersFolder(m_root),   layout::torchFolder(m_root),
                                         layout::enginesFolder(m_root),   m_root / "runs",
                                         layout::campaignsFolder(m_root), m_root};
        for (const auto& version : fs::directory_iterator(layout::binFolder(m_root), ignored))
            folders.push_back(version.path());
        for (const fs::path& folder : folders)
            for (const auto& entry : fs::directory_iterator(folder, ignored))
                if (entry.path().filename().string().starts_with(kGone))
                    fs::remove_all(entry.path(), ignored);
    }

    fs::path m_root;
    fs::path m_self;
    StoreId m_store;
    StoredFiles m_stored;
    std::vector<wire::InstalledItem> m_installed;
    std::map<CampaignId, std::set<RunId>> m_runs; ///< by their plans, as far as these were read
    std::map<CampaignId, Answer> m_answers;
    wire::DeleteReply m_reply;
};

} // namespace

wire::DeleteReply remove(const fs::path& root, const fs::path& self, const wire::DeleteRequest& request)
{
    return Removal(root, self, request).carryOut(request);
}

} // namespace ringside::cleaner
