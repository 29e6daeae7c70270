// SPDX-License-Identifier: MIT
#include "core/conductor/sitepreparation.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <utility>

namespace ringside {

using Kind = SiteStep::Kind;
using State = SiteStep::State;

namespace {

/// The site offers it, and it has not been accepted yet.
bool canInstallTorch(const Site& site, const Error& error)
{
    return !site.installTorch && site.torch.empty() && error.hint.find(wire::kInstallTorchSetting) != std::string::npos;
}

} // namespace

SitePreparation::SitePreparation(SiteLink& link, RemoteAccess* remote, OnSiteStep onStep, PreparationLimits limits)
    : m_link(link)
    , m_remote(remote)
    , m_onStep(std::move(onStep))
    , m_limits(limits)
{
}

void SitePreparation::start(Completion<ReadySite> then, Scope scope)
{
    if (!m_link.isConnected())
        return then(tl::unexpected(m_link.lastError()));
    m_waiting.push_back({std::move(then), scope != Scope::launch});
    m_isTest |= scope != Scope::launch;
    m_wantsNode |= scope == Scope::computeNode;
    if (m_waiting.size() == 1)
        askProbe();
}

void SitePreparation::stopTests()
{
    if (m_outcome)
        return finish(std::move(*m_outcome)); // all steps have ended
    std::vector<Waiter> stopped;
    for (Waiter& waiter : std::exchange(m_waiting, {}))
        (waiter.isTest ? stopped : m_waiting).push_back(std::move(waiter));
    if (stopped.empty())
        return;
    m_isTest = m_wantsNode = false;
    const bool wasForNode = m_question == Question::node; // which no launch asks
    if (m_waiting.empty() || wasForNode)
        report(stepUnderWay(), State::notTried, Words::tr("stopped"),
               m_question == Question::worker ? Words::tr("The build continues there; the next test will find it.")
                                              : std::string());
    if (m_waiting.empty())
        finish({});
    else if (wasForNode)
        askWorker();
    for (const Waiter& waiter : stopped)
        waiter.then(fail(ErrorCode::cancelled, Words::tr("The test of {} was stopped.", m_link.name())));
}

/// The first contact asks what the site is; later ones only if that is asked anew.
void SitePreparation::onConnected()
{
    if (m_probed.empty() && m_request == 0)
        askProbe();
}

void SitePreparation::onDisconnected(const Error& error)
{
    if (m_outcome)
        return finish(std::move(*m_outcome)); // what is missing is only what a person might like to know
    if (m_request != 0 && !m_waiting.empty())
        report(stepUnderWay(), State::failed, error.message, error.hint);
    finish(tl::unexpected(error));
}

template <class Request> void SitePreparation::ask(Question question, Request request)
{
    m_question = question;
    m_awaitedSinceNs = monotonicNs();
    // These requests are small: one that fails has lost its line, which `receive` notices.
    m_request = m_link.ask(std::move(request)).value_or(m_link.nextRequest());
}

std::chrono::seconds SitePreparation::limit() const
{
    switch (m_question) {
    case Question::site:
        return m_limits.site;
    case Question::node:
        return m_limits.node;
    case Question::worker:
        return m_limits.worker;
    case Question::installed:
        break;
    }
    return m_limits.installed;
}

Error SitePreparation::overdue() const
{
    const auto seconds = limit().count();
    if (m_question == Question::node)
        return {ErrorCode::timeout, Words::tr("No compute node answered within {} s.", seconds),
                Words::tr("They may all be in use: test again later, or without one.")};
    if (m_question == Question::worker)
        return {ErrorCode::timeout, Words::tr("No output for {} min from the build of the worker there.", seconds / 60),
                Words::tr("The build continues there; the next test will find it.")};
    return {ErrorCode::timeout,
            Words::tr("{} answers, but has not reported within {} s what it is.", m_link.name(), seconds),
            Words::tr("Its agent may wait for a disk there: check that its folders respond, then test again.")};
}

void SitePreparation::tick()
{
    if (m_request == 0 || monotonicNs() - m_awaitedSinceNs < toNs(limit()))
        return;
    if (m_question == Question::node)
        handleNode(nodeFindingOf(overdue(), m_probed)); // the rest is asked all the same
    else
        onDisconnected(overdue());
}

void SitePreparation::askProbe()
{
    if (m_request != 0 && m_question == Question::site)
        return; // its answer is on its way
    m_beganNs = monotonicNs();
    ask(Question::site, wire::ProbeRequest{});
}

bool SitePreparation::handle(const wire::Message& message)
{
    if (m_request == 0 || wire::requestIdOf(message) != m_request)
        return false;
    if (const auto* probed = std::get_if<wire::ProbeReply>(&message))
        m_question == Question::node ? handleNodeProbe(probed->values) : handleProbe(*probed);
    else if (const auto* progress = std::get_if<wire::BuildProgress>(&message))
        handleProgress(*progress);
    else if (const auto* built = std::get_if<wire::BuildReply>(&message))
        handleWorker(*built);
    else if (const auto* installed = std::get_if<wire::InventoryReply>(&message))
        handleInstalled(installed->items);
    else if (const auto* error = std::get_if<wire::ErrorReply>(&message))
        handleError(*error);
    return true;
}

void SitePreparation::handleProbe(const wire::ProbeReply& reply)
{
    m_request = 0;
    m_probed = reply.values;
    describe();
    if (m_waiting.empty())
        return;
    const std::vector<ProbeFinding> findings = findingsOf(m_probed, m_remote->site());
    for (const ProbeFinding& finding : findings)
        if (finding.kind != Kind::mpi) // its turn comes after the compute node's
            report(finding);
    if (const auto error = obstacleIn(findings))
        return conclude(tl::unexpected(*error));
    askNode();
}

void SitePreparation::describe()
{
    std::vector<SiteFact> facts = factsOf(m_probed, m_remote ? m_remote->site() : Site{});
    for (const auto& more : {m_nodeFacts, m_installedFacts})
        facts.insert(facts.end(), more.begin(), more.end());
    m_link.describe(machineWords(m_probed), facts);
}

void SitePreparation::askNode()
{
    if (!m_wantsNode)
        return askWorker();
    m_beganNs = monotonicNs();
    const jobs::Scheduler* scheduler = schedulerOn(m_remote->site(), m_probed);
    if (!scheduler || !m_probed.contains(std::string(scheduler->name())))
        return handleNode({Kind::node, State::ok, Words::tr("none: jobs start on this host"), {}});
    m_onStep({m_link.name(),
              Kind::node,
              State::running,
              Words::tr("waits in the queue for a node, {} min at most", m_limits.node.count() / 60),
              {},
              {},
              std::nullopt});
    ask(Question::node,
        wire::NodeProbeRequest{0, scheduler->whereOptions(m_remote->site().job), std::string(scheduler->name())});
}

void SitePreparation::handleNodeProbe(const ProbeValues& values)
{
    m_nodeFacts = nodeFactsOf(values);
    describe();
    handleNode(nodeFindingOf(values, m_probed));
}

/// A problem of nodes does not prevent a worker from being built, unless it would lie where they do not see it.
void SitePreparation::handleNode(const ProbeFinding& finding)
{
    m_request = 0;
    report(finding);
    m_nodeTrouble = obstacleIn({finding});
    if (m_nodeTrouble && finding.rootIsUnseen)
        return conclude(tl::unexpected(Error(*m_nodeTrouble)));
    askWorker();
}

void SitePreparation::askWorker()
{
    for (const ProbeFinding& finding : findingsOf(m_probed, m_remote->site()))
        if (finding.kind == Kind::mpi)
            report(finding);
    m_beganNs = monotonicNs();
    if (!m_remote->site().worker.empty())
        return useGivenWorker();
    const auto source = m_remote->bringSource(m_link.root().string());
    if (!source) {
        report(Kind::worker, State::failed, source.error().message, source.error().hint);
        return conclude(tl::unexpected(source.error()));
    }
    wire::BuildRequest request;
    request.source = *source;
    request.torch = m_remote->site().torch;
    request.installTorch = m_remote->site().installTorch;
    request.modules = m_remote->site().modules;
    ask(Question::worker, std::move(request));
}

void SitePreparation::handleProgress(const wire::BuildProgress& progress)
{
    m_awaitedSinceNs = monotonicNs();
    SiteStep step{m_link.name(), Kind::worker, State::running, plainText(progress.text), {}, {}, progress.percent};
    step.log = progress.log;
    m_onStep(step);
}

/// The probe has run it, as a built one is run before it is used.
void SitePreparation::useGivenWorker()
{
    const ProbeFinding finding = givenWorkerOf(m_probed, m_remote->site());
    report(finding);
    if (const auto error = obstacleIn({finding}))
        return conclude(tl::unexpected(*error));
    useWorker(m_remote->site().worker);
}

void SitePreparation::handleWorker(const wire::BuildReply& reply)
{
    report(Kind::worker, State::ok, plainText(reply.worker));
    useWorker(reply.worker);
}

void SitePreparation::useWorker(const std::string& worker)
{
    ReadySite ready;
    ready.site = m_remote->site();
    ready.root = m_link.root().string();
    ready.agent = m_probed["agent"];
    ready.worker = worker;
    ready.scheduler = schedulerOn(ready.site, m_probed);
    ready.mpirunVersion = m_probed["mpirun"];
    ready.engines = enginesOf(m_probed);
    if (m_nodeTrouble)
        return conclude(tl::unexpected(*m_nodeTrouble));
    conclude(std::move(ready));
}

void SitePreparation::handleError(const wire::ErrorReply& reply)
{
    if (m_question == Question::node)
        return handleNode(nodeFindingOf(reply.error, m_probed));
    if (m_outcome)
        return finish(std::move(*m_outcome));
    SiteStep step = ended(stepUnderWay(), State::failed, reply.error.message, reply.error.hint);
    step.canInstallTorch = m_question == Question::worker && canInstallTorch(m_remote->site(), reply.error);
    m_onStep(step);
    conclude(tl::unexpected(reply.error));
}

void SitePreparation::handleInstalled(const std::vector<wire::InstalledItem>& items)
{
    m_installedFacts = installedFactsOf(items);
    describe();
    if (m_outcome)
        finish(std::move(*m_outcome));
}

void SitePreparation::conclude(Result<ReadySite> outcome)
{
    if (!m_isTest)
        return finish(std::move(outcome));
    m_outcome = std::move(outcome);
    ask(Question::installed, wire::InventoryRequest{});
}

void SitePreparation::finish(Result<ReadySite> outcome)
{
    m_request = 0;
    m_isTest = m_wantsNode = false;
    m_outcome.reset();
    m_nodeTrouble.reset();
    for (const Waiter& waiter : std::exchange(m_waiting, {}))
        waiter.then(outcome);
}

SiteStep::Kind SitePreparation::stepUnderWay() const
{
    return m_question == Question::worker ? Kind::worker : m_question == Question::node ? Kind::node : Kind::scheduler;
}

void SitePreparation::report(const ProbeFinding& finding)
{
    report(finding.kind, finding.state, finding.text, finding.hint);
}

void SitePreparation::report(Kind kind, State state, std::string text, std::string hint)
{
    m_onStep(ended(kind, state, std::move(text), std::move(hint)));
}

SiteStep SitePreparation::ended(Kind kind, State state, std::string text, std::string hint) const
{
    const auto took = std::chrono::nanoseconds(monotonicNs() - m_beganNs);
    return {m_link.name(),   kind,
            state,           std::move(text),
            std::move(hint), std::chrono::duration_cast<std::chrono::milliseconds>(took)};
}

} // namespace ringside
