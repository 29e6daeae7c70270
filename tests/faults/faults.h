// SPDX-License-Identifier: MIT
// Faults between a laptop and a cluster, made for real and chosen by a seed.
#pragma once

#include "tests/faults/app.h"

#include <map>
#include <random>

namespace ringside::test {

class Faults
{
public:
    /// Times that each kind was done, by its name.
    using Counts = std::map<std::string, int>;

    Faults(const DemoCluster& cluster, App& app, std::uint64_t seed);

    /// Does one that can be done now: each kind once, in an order that the seed chooses, before any comes again. Those
    /// that last (a full disk, a cut link) go on meanwhile. False if there is no victim at the moment.
    bool next();
    /// Ends those that have lasted long enough.
    void endDue();
    /// Waits for the end of a cut that is to last longer than any silence that the app bears.
    void awaitLongCut();
    /// Ends all of them. What an administrator does is done, too: nodes are back in service.
    void endAll();

    std::size_t random(std::size_t below) { return m_random() % below; }
    const Counts& counts() const { return m_counts; }
    /// In their order, with the seconds since the beginning.
    const std::string& story() const { return m_story; }
    static std::vector<std::string> kinds(const DemoCluster& cluster);

private:
    struct Kind
    {
        const char* name;
        bool (Faults::*begin)();
        void (Faults::*end)() = nullptr; ///< of one that lasts
        int shortestMs = 0, longestMs = 0;
    };
    static const std::vector<Kind>& all();
    static bool isPossible(const Kind& kind, const DemoCluster& cluster);
    void fillBag();
    void tell(const std::string& what);
    bool isOn(const Kind& kind) const { return m_endNs.contains(&kind); }

    bool suspendApp();
    void resumeApp();
    bool killApp();
    bool cutLink();
    void mendLink();
    bool killRelay();
    bool killRunner();
    bool killRank();
    bool crashNode();
    void reviveNode();
    bool stopController();
    void startController();
    bool restartSshd();
    bool requeueJob();
    bool fillDisk();
    void freeDisk();

    std::string runningJob() const;
    bool kill(const std::string& host, const std::string& pattern) const;
    bool killOnANode(const std::string& pattern);
    std::string aNode() { return fmt::format("n{}", 1 + random(3)); }

    const DemoCluster& m_cluster;
    App& m_app;
    std::mt19937_64 m_random;
    std::int64_t m_beganNs;
    std::vector<const Kind*> m_bag;
    std::map<const Kind*, std::int64_t> m_endNs; ///< those that last, and until when
    bool m_isCut = false;
    std::string m_crashed;
    Counts m_counts;
    std::string m_story;
};

} // namespace ringside::test
