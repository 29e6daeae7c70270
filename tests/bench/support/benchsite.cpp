// SPDX-License-Identifier: MIT
#include "tests/bench/support/benchsite.h"

#include "core/sites/sitebook.h"
#include "tests/bench/support/numbers.h"
#include "tests/support/built.h"

#include <fstream>

namespace ringside::bench {

BenchSite::BenchSite()
    : m_sshd({"Subsystem sftp internal-sftp", {"ed25519"}, {}, {}}) // what scp speaks
    , m_proxy(m_sshd.port())
{
    if (!m_sshd.problem().empty()) {
        fmt::print(stderr, "{}\n", m_sshd.problem());
        std::exit(1);
    }
    m_sshd.trust();
    std::ofstream(m_sshd.knownHosts(), std::ios::app)
        << "[127.0.0.1]:" << m_proxy.port() << " " << m_sshd.hostKey() << "\n";
    (void)address();
    fs::create_directories(sites());
    describe(root());
}

void BenchSite::describe(const fs::path& root, const fs::path& worker) const
{
    Site site;
    site.name = kName;
    site.host = kName;
    site.sshConfig = sshConfig();
    site.root = root.string();
    site.worker = worker.string();
    site.scheduler = std::string(kNoScheduler);
    must(SiteBook(sites()).save(site));
}

void BenchSite::makeUsers() const
{
    ::setenv("XDG_CONFIG_HOME", (folder() / "config").c_str(), 1);
    ::setenv("XDG_DATA_HOME", folder().c_str(), 1);
}

ConductorOptions BenchSite::options(const std::string& store) const
{
    ConductorOptions options;
    options.store = folder() / store;
    options.localRoot = folder() / "here";
    options.agent = test::builtProgram("ringside-agent");
    options.worker = test::testProgram("testworker");
    options.sites = sites();
    return options;
}

SshAddress BenchSite::address() const
{
    return m_sshd.address(fmt::format("HostName 127.0.0.1\nPort {}", m_proxy.port()));
}

} // namespace ringside::bench
