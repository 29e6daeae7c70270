// SPDX-License-Identifier: MIT
// Observes the conductor for a window or a command line. Values only; the result of a request is not here but in its
// completion. Called on the conductor's threads; must return at once (post to your own thread) and must not call back
// into the conductor.
#pragma once

#include "core/protocol/installedengine.h"
#include "core/sites/sitestep.h"
#include "core/store/rows.h"
#include "core/wire/messages.h"

#include <functional>
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
    int attempt = 0; ///< 0: what the job printed besides all attempts
    int rank = -1;   ///< -1: of no rank: the job's, or the runner's own of the attempt
    std::string text;
};

/// Receives the progress of a system's installation; plain text. On the site's thread, by the rules of a sink.
using OnEngineProgress = std::function<void(const wire::BuildProgress&)>;

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
    /// Facts of a site, in the order to be read; after the first contact and each time it is asked anew.
    virtual void siteFound(const std::string& site, const std::vector<SiteFact>& facts) = 0;
    /// Something went wrong that belongs to no request.
    virtual void problem(const Error& error) = 0;
    /// New data from sites cannot be stored, and why (a problem, too); nullopt: it can again. Until then storing is
    /// tried again and again, and the requests that were made meanwhile wait.
    virtual void storageChanged(const std::optional<Error>& refusal) { (void)refusal; }
};

} // namespace ringside
