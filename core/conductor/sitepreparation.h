// SPDX-License-Identifier: MIT
// Gets a site ready to carry out campaigns: what it is (probe), and a worker that runs there, built if need be. The
// same steps are its connection test.
#pragma once

#include "core/conductor/completion.h"
#include "core/conductor/remoteaccess.h"
#include "core/conductor/sitelink.h"
#include "core/sites/findings.h"
#include "core/sites/readysite.h"

#include <map>
#include <vector>

namespace ringside {

/// Longest waits for an answer of a relay that lives. Each is longer than the relay's own wait, so that the relay can
/// report what delayed it.
struct PreparationLimits
{
    std::chrono::seconds site{150}; ///< what it is; the relay asks its programs for 120 s
    std::chrono::seconds node{210}; ///< what a compute node is; the relay asks for 180 s, of which 120 in a queue
    /// Between two signs of a build: a torch that is downloaded sends none, and may need all the time that a build has.
    std::chrono::seconds worker{wire::BuildRequest{}.limitSeconds + 60};
    std::chrono::seconds installed{120}; ///< what lies there, which is counted file by file
};

/// Used on the site's thread only.
class SitePreparation
{
public:
    /// A connection test reports more than a launch needs: what is installed there and, if wanted, what a compute node
    /// is, which waits in the queue.
    enum class Scope
    {
        launch,
        loginNode,
        computeNode
    };

    /// `remote` is null for this computer, of which only a description is wanted.
    SitePreparation(SiteLink& link, RemoteAccess* remote, OnSiteStep onStep, PreparationLimits limits = {});

    /// Begins, or joins what is under way. Needs contact; without, `then` gets the error of the last try. Not for this
    /// computer, which is ready.
    void start(Completion<ReadySite> then, Scope scope);
    /// Ends the tests that are under way without waiting for their answers. Launches that wait get the site ready all
    /// the same. Work that was begun there, such as a build, goes on.
    void stopTests();
    /// True while an answer of the relay is awaited.
    bool isUnderWay() const { return !m_waiting.empty(); }

    void onConnected();
    void onDisconnected(const Error& error);
    /// True if the message was an answer to a question of this.
    bool handle(const wire::Message& message);
    /// Waits no longer for an answer that is overdue. To be called every second or so.
    void tick();

private:
    enum class Question
    {
        site,
        node,
        worker,
        installed ///< the last one of a test, however that went
    };

    struct Waiter
    {
        Completion<ReadySite> then;
        bool isTest;
    };

    template <class Request> void ask(Question question, Request request);
    std::chrono::seconds limit() const;
    Error overdue() const;
    void askProbe();
    void handleProbe(const wire::ProbeReply& reply);
    void askNode();
    void handleNodeProbe(const ProbeValues& values);
    void handleNode(const ProbeFinding& finding);
    void askWorker();
    void handleProgress(const wire::BuildProgress& progress);
    void handleWorker(const wire::BuildReply& reply);
    void useGivenWorker();
    void useWorker(const std::string& worker);
    void handleError(const wire::ErrorReply& reply);
    void handleInstalled(const std::vector<wire::InstalledItem>& items);
    void describe();
    /// Calls `finish`, once a test has reported all its steps.
    void conclude(Result<ReadySite> outcome);
    void finish(Result<ReadySite> outcome);
    void report(SiteStep::Kind kind, SiteStep::State state, std::string text, std::string hint = {});
    void report(const ProbeFinding& finding);
    SiteStep ended(SiteStep::Kind kind, SiteStep::State state, std::string text, std::string hint) const;
    SiteStep::Kind stepUnderWay() const;

    SiteLink& m_link;
    RemoteAccess* m_remote;
    OnSiteStep m_onStep;
    PreparationLimits m_limits;
    std::uint32_t m_request = 0;          ///< whose answer is awaited; 0: none
    Question m_question = Question::site; ///< what that answer is about
    std::int64_t m_awaitedSinceNs = 0;    ///< when it was asked, or the last sign of it came
    bool m_isTest = false;
    bool m_wantsNode = false;
    std::optional<Result<ReadySite>> m_outcome; ///< while a test asks what is installed
    std::optional<Error> m_nodeTrouble;
    std::int64_t m_beganNs = 0; ///< of the step under way
    ProbeValues m_probed;
    std::vector<SiteFact> m_nodeFacts, m_installedFacts; ///< of the latest test
    std::vector<Waiter> m_waiting;
};

} // namespace ringside
