// SPDX-License-Identifier: MIT
// What the conductor tells whoever watches: window or command line. Values only.
// Called on the conductor's threads; must return at once (post to your own thread) and must not call back into it.
#pragma once

#include "core/conductor/sitestep.h"
#include "core/store/rows.h"
#include "core/wire/messages.h"

#include <string>
#include <vector>

namespace ringside {

/// State of one site as far as it is known.
struct SiteStatus
{
    enum class Contact
    {
        never,
        connecting,
        connected,
        lost,
        needsPerson, ///< lost, and only a person can get it back: by signing in, or by mending what `text` says
        refused      ///< by us: the host showed a key that is revoked, or another than the one on record
    };
    std::string name; ///< "local" for this computer
    Contact contact = Contact::never;
    std::int64_t since = 0;
    std::string text; ///< "2 cores", "no answer for 30 s"
};

/// New samples of one rank that are already durable.
struct SampleBatch
{
    RunId run;
    int attempt = 0;
    int rank = 0;
    std::vector<Sample> samples;
};

struct TelemetryBatch
{
    RunId run;
    int attempt = 0;
    int rank = 0;
    std::vector<Telemetry> telemetry;
    std::vector<GpuTelemetry> gpuTelemetry; ///< of the GPU that the rank uses
};

struct ClockBatch
{
    RunId run;
    int attempt = 0;
    int rank = 0;
    std::vector<ClockOffset> clocks;
};

/// A piece of a log, already plain text; lines end with \n.
struct LogText
{
    RunId run;
    int attempt = 0; ///< 0: what the job said besides all attempts
    int rank = -1;   ///< -1: of no rank: the job's, or the runner's own of the attempt
    std::string text;
};

/// Identifies a command given to the conductor; its answer carries the same number.
using Ticket = std::uint64_t;

/// What a launch would submit.
struct LaunchPreview
{
    Ticket ticket = 0;        ///< of the command that asked for it
    CampaignId campaign = {}; ///< for the launch that is to be like this
    std::string site = {};
    std::size_t runs = 0;        ///< 0: nothing is missing, and there is no script
    std::size_t jobs = 1;        ///< as many scripts; the others do other runs, and are like this one
    double mostNodeSeconds = 0;  ///< of all jobs together, by their time limits; 0 without a scheduler
    std::string scheduler = {};  ///< "slurm"; empty: the runs start at once
    std::string scriptFile = {}; ///< where a launch puts it on the site; empty without a scheduler
    std::string script = {}; ///< byte for byte what is submitted; without a scheduler the runner's commands, with run
                             ///< ids of its own
};

class Sink
{
public:
    virtual ~Sink() = default;
    /// More of these experiments (names) changed than runsChanged() says: query again what you show.
    virtual void experimentsChanged(const std::vector<std::string>& names) = 0;
    /// The rows of runs that changed. They are all that is new of these runs; their experiments' counts follow from
    /// them, and experimentsChanged() is not called for it.
    virtual void runsChanged(const std::vector<store::RunRow>& rows) = 0;
    virtual void samplesArrived(const SampleBatch& batch) = 0;
    virtual void telemetryArrived(const TelemetryBatch& batch) = 0;
    virtual void clocksArrived(const ClockBatch& batch) = 0;
    virtual void logArrived(const LogText& text) = 0;
    virtual void siteChanged(const SiteStatus& status) = 0;
    /// While a site is connected to, tested or made ready.
    virtual void siteStepped(const SiteStep& step) = 0;
    /// What a site is, in the order to be read; after the first contact and each time it is asked anew.
    virtual void siteFound(const std::string& site, const std::vector<SiteFact>& facts) = 0;
    /// What Ringside has put on a site, and what became of a wish to remove some of it. Before the command's end.
    virtual void installedListed(const std::string& site, const std::vector<wire::InstalledItem>& items) = 0;
    virtual void installedRemoved(const std::string& site, const wire::DeleteReply& reply) = 0;
    /// Before the end of the command that asked for it.
    virtual void launchPreviewed(const LaunchPreview& preview) = 0;
    /// The end of a command; an error says why it was not carried out.
    virtual void commandDone(Ticket ticket, const Result<void>& result) = 0;
    /// Something went wrong that belongs to no command.
    virtual void problem(const Error& error) = 0;
    /// What arrives from sites cannot be stored, and why (a problem, too); nullopt: it can again. Until then it is
    /// tried again and again, and the commands that were given meanwhile wait.
    virtual void storageChanged(const std::optional<Error>& refusal) { (void)refusal; }
};

} // namespace ringside
