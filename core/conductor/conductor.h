// SPDX-License-Identifier: MIT
// Carries out experiments: store -> campaigns -> relay -> samples -> store. Owns one thread per site and one ingest
// thread, which is the only writer of the store.
#pragma once

#include "core/conductor/completion.h"
#include "core/conductor/conductoroptions.h"
#include "core/conductor/controlorder.h"
#include "core/conductor/sink.h"
#include "core/planning/launch.h"
#include "core/spec/experiment.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ringside::imports {
struct Import;
struct Imported;
} // namespace ringside::imports

namespace ringside {

/// Every request returns at once and is completed by its value.
class Conductor
{
public:
    /// Opens the store for writing (ErrorCode::busy names who holds it), starts the threads, picks up whatever runs.
    /// Blocking: milliseconds; a migration takes longer. `sink` must outlive the conductor.
    static Result<std::unique_ptr<Conductor>> open(const ConductorOptions& options, Sink& sink);
    /// Stops watching and joins the threads (at most some seconds). Campaigns go on by themselves.
    ~Conductor();

    /// Stores a revision; an existing name is revised, runs of cells that are gone stay stored and are no longer in the
    /// matrix.
    void saveExperiment(const spec::Experiment& experiment, Completion<> done);
    void setStarred(const std::string& experiment, bool starred, Completion<> done);
    void setArchived(const std::string& experiment, bool archived, Completion<> done);
    /// Fails with busy while a campaign of it has not ended, other than a cancelled one whose site is described no
    /// longer.
    void deleteExperiment(const std::string& experiment, Completion<> done);
    /// Logs that were read become runs (imports::storeImport). Their rows, with rates, go to the sink soon after.
    void importLogs(std::shared_ptr<const imports::Import> import, Completion<imports::Imported> done);
    /// Gets the site ready; the value is what a launch would submit. Stores and submits nothing.
    void preview(const LaunchRequest& request, Completion<LaunchPreview> done);
    /// Gets the site ready, saves the experiment, plans what is missing and stores it, all or nothing; completed once
    /// the site has it, or when it waits there for another campaign.
    void launch(const LaunchRequest& request, Completion<> done);
    /// Written down for a site that is described no longer, too; what has not been handed over to it ends.
    void control(const ControlOrder& order, Completion<> done);
    /// Brings states and samples of everything on every site that is described up to date. Completed once these sites
    /// have what was ordered before, the successor of a dead runner among it, or have refused it, which is an error.
    void collect(Completion<> done);
    /// Connects to a site, asking a person where need be, and gets it ready; the sink observes every step. With
    /// `computeNode` a node is asked, too, which waits in the queue.
    void prepareSite(const std::string& site, bool computeNode, Completion<> done);
    /// Ends the tests of a site that `prepareSite` has begun: they end with cancelled, what they had not come to counts
    /// as not tried. Completed at once.
    void stopTest(const std::string& site, Completion<> done);
    /// Ends the line to a site until it is asked for again. Campaigns go on there. Completed once the sink has observed
    /// the end.
    void disconnectSite(const std::string& site, Completion<> done);
    /// Lists what Ringside has put on a site.
    void listInstalled(const std::string& site, Completion<std::vector<wire::InstalledItem>> done);
    /// Removes those of the list that are not in use there, and no spool or journal that is not stored.
    void removeInstalled(const std::string& site, const std::vector<wire::Item>& items,
                         Completion<wire::DeleteReply> done);
    /// The systems that are installed on a site.
    void listEngines(const std::string& site, Completion<InstalledEngines> done);
    /// Installs one there, runs it, or cancels its installation. `progress` may be empty. A removal is that of an item.
    /// Fails with busy where one that is there would be changed while a campaign needs it that has not ended.
    void askEngine(const std::string& site, const wire::EngineRequest& request, OnEngineProgress progress,
                   Completion<InstalledEngine> done);
    /// Streams the logs of this run, and that of its job, through the sink, from their beginning, until another run is
    /// asked for. Completed once all that is there was sent; with notFound if the site no longer has the run's
    /// campaign.
    void followLog(const RunId& run, Completion<> done);

private:
    struct Parts;
    explicit Conductor(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

} // namespace ringside
