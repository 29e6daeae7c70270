// SPDX-License-Identifier: MIT
#include "tests/faults/app.h"

#include "core/base/ids.h"
#include "core/sites/sitebook.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/support/built.h"
#include "tests/support/lenetexperiment.h"

#include <csignal>

namespace ringside::test {

using std::chrono::milliseconds;

namespace {

constexpr const char* kSite = "demo";
constexpr std::size_t kWordsShown = 4000;

} // namespace

App::App(const DemoCluster& cluster, const fs::path& folder, std::uint64_t seed)
    : m_folder(folder)
    , m_store(folder / "lab.db")
{
    const std::string name = "faults-" + randomUuid().substr(0, 8);
    m_root = cluster.home() / name;
    m_rootThere = fs::path(DemoCluster::kHome) / name;
    describeSite(cluster, seed);
    writeExperiment();
}

void App::describeSite(const DemoCluster& cluster, std::uint64_t seed) const
{
    ringside::Site site;
    site.name = kSite;
    site.host = "demo";
    site.sshConfig = cluster.sshConfig();
    site.root = m_rootThere.string();
    site.worker = std::string(DemoCluster::kHome) + "/bin/testworker";
    site.scheduler = "slurm";
    site.launcher = seed % 2 == 0 ? "mpirun" : "srun";
    must(SiteBook(m_folder / "config/ringside/sites").save(site));
}

void App::writeExperiment() const
{
    must(
        writeFileAtomically(m_folder / "faults.toml", lenetExperiment("faults", "ranks = [1, 2, 3]", 2, kIterations, R"(
[[when]]
match = { ranks = 2 }
set   = { nodes = 2 }
[[when]]
match = { ranks = 3 }
set   = { nodes = 3 }
)")));
}

void App::start()
{
    if (runs())
        return;
    const std::vector<std::string> environment{
        "HOME=" + m_folder.string(), "XDG_CONFIG_HOME=" + (m_folder / "config").string(),
        "XDG_DATA_HOME=" + (m_folder / "data").string(), "RINGSIDE_WORKER=" + testProgram("testworker")};
    m_process = Process({builtProgram("ringside-cli"), "run", (m_folder / "faults.toml").string(), "--site", kSite,
                         "--store", m_store.string()},
                        environment, m_folder / "app.log");
}

bool App::runs()
{
    (void)m_process.wait(milliseconds(0));
    return m_process.pid() > 0;
}

void App::kill()
{
    m_process.signal(SIGKILL);
    (void)m_process.wait(milliseconds(10'000));
}

std::string App::lastWords() const
{
    const std::string all = readFile(m_folder / "app.log").value_or("");
    return all.substr(all.size() > kWordsShown ? all.size() - kWordsShown : 0);
}

} // namespace ringside::test
