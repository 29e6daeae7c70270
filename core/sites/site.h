// SPDX-License-Identifier: MIT
// A site as a person describes it: how to get there, where Ringside's files lie, what starts jobs. A value and its
// file.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/jobs/scheduler.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside {

inline constexpr int kSiteFormat = 1;

/// The scheduler of a site's jobs: one of the table (core/jobs/schedulers), or one of these two.
inline constexpr std::string_view kAutomaticScheduler = "auto"; ///< the one that the probe finds, else none
inline constexpr std::string_view kNoScheduler = "none"; ///< the runner is started at once on the host that is dialled

/// The launcher of the ranks of an attempt that has several: one of the table (core/jobs/launchers), "mpirun" for that
/// of whichever MPI is there, or this.
inline constexpr std::string_view kAutomaticLauncher = "auto"; ///< that of the scheduler, else mpirun

struct Site
{
    std::string name;   ///< unique; of letters, digits, "-", "_" and "."
    std::string host;   ///< an alias of the ssh configuration, or a host name
    std::string user;   ///< empty: as the configuration says
    int port = 0;       ///< 0: as the configuration says
    fs::path sshConfig; ///< in the place of ~/.ssh/config; empty: that one

    std::string root = ".ringside"; ///< on the site; relative to the home folder. Login and compute nodes both see it.
    std::string agent;              ///< a ringside-agent that is there already; empty: Ringside brings its own
    std::string worker;             ///< a ringside-worker that is there already; empty: built on the site
    std::string torch;              ///< folder of libtorch or of Python's torch; empty: looked for
    bool installTorch = false;      ///< where none is found, one is installed below the root, for Ringside alone

    std::string scheduler = std::string(kAutomaticScheduler);
    std::string launcher = std::string(kAutomaticLauncher);
    bool jobPerRun = false;           ///< else all runs of a campaign interleaved in one job
    jobs::JobSettings job;            ///< of every job here, in its scheduler's words; nodes and ranks come from runs
    std::vector<std::string> hosts;   ///< without a scheduler: where ranks are started; empty: the host that is dialled
    std::vector<std::string> modules; ///< of the module system, loaded in this order before anything is built or run
    std::vector<std::string> launchPrefix; ///< put before the worker: "apptainer", "exec", "image.sif"

    bool operator==(const Site&) const = default;
};

/// Takes the host as people write it: "kim@alder", "alder:2222". Fails with usage for a text that is none; then the
/// site stays as it is.
Result<void> takeHost(Site& site, std::string_view text);
/// The text that takeHost() takes; empty if the site has no host.
std::string hostText(const Site& site);

/// All values of `scheduler`.
std::vector<std::string> schedulerNames();
/// All values of `launcher`.
std::vector<std::string> launcherNames();

/// Says what is wrong with it, as a sentence that names the field; nothing is connected to.
Result<void> checkSite(const Site& site);

/// The site of a file's text, checked; the message names `file`, line and column. Unknown keys are refused with a
/// suggestion.
Result<Site> siteFromToml(std::string_view text, std::string_view file);
/// The text from which siteFromToml() reads the same site; defaults are left out.
std::string siteToToml(const Site& site);

} // namespace ringside
