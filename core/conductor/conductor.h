// SPDX-License-Identifier: MIT
// Carries out experiments: store -> campaigns -> relay -> samples -> store. Owns one thread per site and one ingest
// thread, which is the only writer of the store. Commands return at once; their end comes through the sink with the
// same ticket.
#pragma once

#include "core/base/files.h"
#include "core/conductor/sink.h"
#include "core/remote/interaction.h"
#include "core/spec/experiment.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

struct ConductorOptions
{
    fs::path store;     ///< database file; made if missing
    fs::path localRoot; ///< root of the site "local"; empty: dataFolder()
    fs::path agent;     ///< ringside-agent of this build
    fs::path worker;    ///< ringside-worker of this build
    fs::path sites;     ///< folder of the sites' files; empty: the user's (SiteBook::ofUser)
    /// Asked while a site is connected to for a person's command; outlives the conductor. Null: nobody is there.
    Interaction* interaction = nullptr;
};

struct LaunchRequest
{
    std::string experiment;
    std::string site = "local";
    bool retryFailed = false;     ///< also runs that failed of their own
    bool trial = false;           ///< the smallest configuration once, 20 iterations, kept apart
    std::vector<RunId> only = {}; ///< empty: everything that is missing
    bool byHand = false;          ///< under Slurm: everything but the submission, which a person does
    /// The id that a preview showed, so that what it showed is what is submitted.
    std::optional<CampaignId> campaign = {};
};

enum class ControlAction
{
    hold,
    proceed,
    cancelRun,
    cancelWaiting,
    cancelAll
};

struct ControlRequest
{
    ControlAction action = ControlAction::cancelAll;
    std::string experiment;   ///< whose campaign; empty with cancelRun
    std::optional<RunId> run; ///< with cancelRun
};

class Conductor
{
public:
    /// Opens the store for writing (ErrorCode::busy names who holds it), starts the threads, picks up whatever runs.
    /// Blocking: milliseconds; a migration takes longer. `sink` must outlive the conductor.
    static Result<std::unique_ptr<Conductor>> open(const ConductorOptions& options, Sink& sink);
    /// Stops watching and joins the threads (at most some seconds). Campaigns go on by themselves.
    ~Conductor();

    /// Keeps a revision; an existing name is revised, runs of cells that are gone are kept and no longer in the matrix.
    Ticket saveExperiment(const spec::Experiment& experiment);
    Ticket setStarred(const std::string& experiment, bool starred);
    Ticket setArchived(const std::string& experiment, bool archived);
    Ticket deleteExperiment(const std::string& experiment);
    /// Gets the site ready and tells through the sink what a launch would submit, of this experiment, stored like this
    /// or not; without one, of the stored one that the request names. Stores and submits nothing.
    Ticket preview(const LaunchRequest& request, const std::optional<spec::Experiment>& experiment = {});
    Ticket launch(const LaunchRequest& request);
    Ticket control(const ControlRequest& request);
    /// Brings states and samples of everything on every site up to date; done when that is so.
    Ticket collect();
    /// Connects to a site, asking a person where need be, and gets it ready: every step is told through the sink.
    /// With `computeNode` a node is asked, too, which waits in the queue.
    Ticket prepareSite(const std::string& site, bool computeNode = false);
    /// Ends the tests of a site that `prepareSite` has begun: they end with cancelled, what they had not come to counts
    /// as not tried. Answered at once.
    Ticket stopTest(const std::string& site);
    /// Ends the line to a site until it is asked for again. Campaigns go on there.
    Ticket disconnectSite(const std::string& site);
    /// What Ringside has put on a site comes through the sink.
    Ticket listInstalled(const std::string& site);
    /// Removes those of the list that nobody needs there, and no spool or journal that is not stored.
    Ticket removeInstalled(const std::string& site, const std::vector<wire::Item>& items);
    /// Streams the logs of this run, and that of its job, through the sink, from their beginning, until another run is
    /// asked for. Answered once all that is there was sent; with notFound if the site no longer has the run's campaign.
    Ticket followLog(const RunId& run);

private:
    struct Parts;
    explicit Conductor(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

} // namespace ringside
