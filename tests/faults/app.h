// SPDX-License-Identifier: MIT
// The app of a user who runs an experiment on the demo cluster: ringside-cli, in a process of its own.
#pragma once

#include "tests/relay/democluster.h"

#include <cstdint>

namespace ringside::test {

class App
{
public:
    /// Files of the user below `folder`. `seed` chooses what starts the ranks.
    App(const DemoCluster& cluster, const fs::path& folder, std::uint64_t seed);

    /// "ringside-cli run", unless it runs: does what is missing.
    void start();
    bool runs();
    void signal(int number) const { m_process.signal(number); }
    void kill();

    const fs::path& store() const { return m_store; }
    /// The site's root as this machine names it.
    const fs::path& root() const { return m_root; }
    /// Returns the last part of its output.
    std::string lastWords() const;

    static constexpr int kRuns = 6;         ///< two on each of one, two and three nodes
    static constexpr int kIterations = 400; ///< of every rank, some 10 ms each

private:
    void describeSite(const DemoCluster& cluster, std::uint64_t seed) const;
    void writeExperiment() const;

    fs::path m_folder;
    fs::path m_store;
    fs::path m_root;
    fs::path m_rootThere;
    Process m_process;
};

} // namespace ringside::test
