// SPDX-License-Identifier: MIT
#include "tests/faults/faults.h"

#include "core/base/clock.h"

#include <algorithm>
#include <csignal>
#include <thread>

namespace ringside::test {

namespace {
constexpr const char* kLongCut = "link cut for long";
}

const std::vector<Faults::Kind>& Faults::all()
{
    // Longer than 20 s: a rank that writes nothing for that long is lost, unless it cannot write.
    static const std::vector<Kind> kinds{
        {"app suspended", &Faults::suspendApp, &Faults::resumeApp, 1'000, 8'000},
        {"app killed", &Faults::killApp},
        {"link cut", &Faults::cutLink, &Faults::mendLink, 1'000, 15'000},
        // Longer than the 30 s of silence after which the app gives up a line, and signs in anew.
        {kLongCut, &Faults::cutLink, &Faults::mendLink, 35'000, 45'000},
        {"relay killed", &Faults::killRelay},
        {"runner killed", &Faults::killRunner},
        {"rank killed", &Faults::killRank},
        {"node crashed", &Faults::crashNode, &Faults::reviveNode, 500, 8'000},
        {"slurmctld restarted", &Faults::stopController, &Faults::startController, 1, 20'000},
        {"sshd restarted", &Faults::restartSshd},
        {"job requeued", &Faults::requeueJob},
        {"disk full", &Faults::fillDisk, &Faults::freeDisk, 2'000, 30'000},
    };
    return kinds;
}

Faults::Faults(const DemoCluster& cluster, App& app, std::uint64_t seed)
    : m_cluster(cluster)
    , m_app(app)
    , m_random(seed)
    , m_beganNs(monotonicNs())
{
}

bool Faults::isPossible(const Kind& kind, const DemoCluster& cluster)
{
    return kind.begin != &Faults::fillDisk || cluster.hasDisk();
}

std::vector<std::string> Faults::kinds(const DemoCluster& cluster)
{
    std::vector<std::string> names;
    for (const Kind& kind : all())
        if (isPossible(kind, cluster))
            names.emplace_back(kind.name);
    return names;
}

void Faults::fillBag()
{
    for (const Kind& kind : all())
        if (isPossible(kind, m_cluster))
            m_bag.push_back(&kind);
    std::ranges::shuffle(m_bag, m_random);
}

bool Faults::next()
{
    if (m_bag.empty())
        fillBag();
    for (auto each = m_bag.begin(); each != m_bag.end(); ++each) {
        const Kind& kind = **each;
        if (isOn(kind) || !(this->*kind.begin)())
            continue;
        m_bag.erase(each);
        ++m_counts[kind.name];
        tell(kind.name);
        if (kind.end)
            m_endNs[&kind] =
                monotonicNs() +
                1'000'000 * (kind.shortestMs + static_cast<std::int64_t>(
                                                   random(static_cast<std::size_t>(kind.longestMs - kind.shortestMs))));
        return true;
    }
    return false;
}

void Faults::endDue()
{
    std::erase_if(m_endNs, [this](const auto& each) {
        if (monotonicNs() < each.second)
            return false;
        (this->*each.first->end)();
        tell(std::string("no more ") + each.first->name);
        return true;
    });
}

void Faults::awaitLongCut()
{
    while (std::ranges::any_of(m_endNs, [](const auto& each) { return each.first->name == kLongCut; })) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        endDue();
    }
}

void Faults::endAll()
{
    for (auto& [kind, endNs] : m_endNs)
        endNs = 0;
    endDue();
    for (const char* node : {"n1", "n2", "n3"}) // fails where it is in service
        m_cluster.on("head", {"scontrol", "update", std::string("node=") + node, "state=resume"});
}

void Faults::tell(const std::string& what)
{
    m_story += fmt::format("{:7.1f} s  {}\n", static_cast<double>(monotonicNs() - m_beganNs) * 1e-9, what);
}

// ---- at home

bool Faults::suspendApp()
{
    m_app.signal(SIGSTOP);
    return m_app.runs();
}

void Faults::resumeApp()
{
    m_app.signal(SIGCONT);
}

bool Faults::killApp()
{
    const bool ran = m_app.runs();
    m_app.kill();
    return ran;
}

bool Faults::cutLink()
{
    if (m_isCut)
        return false; // the fault that cut it mends it
    m_isCut = m_cluster.link({"outside", "cut"});
    return m_isCut;
}

void Faults::mendLink()
{
    m_isCut = false;
    CHECK(m_cluster.link({"outside", "mend"}));
}

// ---- on the cluster

/// True if there was one. What runs as root on a host is not looked at, this command's own processes included.
bool Faults::kill(const std::string& host, const std::string& pattern) const
{
    return !m_cluster.on(host, {"pkill", "-KILL", "--echo", "-u", "ringside-demo", "-f", pattern}).empty();
}

bool Faults::killOnANode(const std::string& pattern)
{
    const std::size_t first = random(3);
    for (std::size_t i = 0; i < 3; ++i)
        if (kill(fmt::format("n{}", 1 + (first + i) % 3), pattern))
            return true;
    return false;
}

bool Faults::killRelay()
{
    return kill("login", "ringside-agent relay");
}

bool Faults::killRunner()
{
    return killOnANode("ringside-agent run ");
}

bool Faults::killRank()
{
    return killOnANode(fmt::format("^{}/bin/testworker", DemoCluster::kHome));
}

std::string Faults::runningJob() const
{
    for (const jobs::JobReport& job : m_cluster.jobs())
        if (job.state == JobState::running)
            return job.id;
    return {};
}

bool Faults::crashNode()
{
    m_crashed = aNode();
    return !runningJob().empty() && m_cluster.control({"crash", m_crashed});
}

void Faults::reviveNode()
{
    CHECK(m_cluster.control({"revive", m_crashed}));
}

bool Faults::stopController()
{
    return m_cluster.control({"stop", "slurmctld"});
}

void Faults::startController()
{
    CHECK(m_cluster.control({"start", "slurmctld"}));
}

/// With the sessions that it serves, as an update of the whole node would.
bool Faults::restartSshd()
{
    m_cluster.on("login", {"pkill", "-KILL", "-u", "ringside-demo", "-x", "sshd"});
    return m_cluster.control({"restart", "sshd"});
}

bool Faults::requeueJob()
{
    const std::string job = runningJob();
    return !job.empty() && m_cluster.on("login", {"sh", "-c", "scontrol requeue \"$0\" && echo done", job}) == "done\n";
}

bool Faults::fillDisk()
{
    return m_cluster.control({"fill"});
}

void Faults::freeDisk()
{
    CHECK(m_cluster.control({"free"}));
}

} // namespace ringside::test
