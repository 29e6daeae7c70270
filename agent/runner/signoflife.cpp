// SPDX-License-Identifier: MIT
#include "agent/runner/signoflife.h"

#include "agent/runner/history.h"
#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// By open, for NFS answers a bare stat from memory for up to a minute. 0 for what is not there.
std::int64_t writtenAt(const fs::path& path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info = {};
    if (::fstat(file.get(), &info) != 0)
        info = {};
    return std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

} // namespace

bool isSignOfLife(std::int64_t writtenAtNs)
{
    return wallNs() - writtenAtNs < kSignOfLifeNs;
}

std::int64_t lastSignOfLife(const fs::path& root, const CampaignId& campaign,
                            const std::vector<std::pair<RunId, int>>& attempts)
{
    const fs::path own = layout::campaignFolder(root, campaign);
    std::int64_t last = std::max(writtenAt(layout::journalFile(own)), writtenAt(layout::jobFile(own)));
    for (const auto& [run, attempt] : attempts) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(layout::attemptFolder(root, run, attempt), ignored)) {
            if (isSignOfLife(last))
                return last;
            if (entry.path().extension() == ".spool")
                last = std::max(last, writtenAt(entry.path()));
        }
    }
    return last;
}

bool isCancelUnheeded(const fs::path& campaign)
{
    const std::int64_t cancelledNs = writtenAt(layout::cancelFile(campaign));
    const auto id = CampaignId::parse(campaign.filename().string());
    const auto history = readHistory(campaign);
    if (cancelledNs == 0 || !id || !history)
        return false;
    const fs::path root = campaign.parent_path().parent_path();
    const std::int64_t last = std::max(cancelledNs, lastSignOfLife(root, *id, history->open));
    return wallNs() - last > std::chrono::nanoseconds(kUnheededCancel).count();
}

} // namespace ringside::runner
