// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/rankgroup.h"

#include "core/base/child.h"
#include "core/base/environment.h"
#include "core/base/files.h"
#include "core/base/findprogram.h"
#include "core/base/rankvariables.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kLook{10};

/// Ranks bind themselves, share memory without kernel help (containers forbid it), and give way while they wait. Set in
/// variables, of which each mpirun knows its own: their options differ.
std::map<std::string, std::string> wordsForMpirun(std::chrono::seconds grace)
{
    const std::string seconds = std::to_string(grace.count());
    return {{"OMPI_MCA_pml", "^cm,ucx"}, // leaves ob1, and what only counts its messages
            {"OMPI_MCA_btl", "self,vader,tcp"},
            {"OMPI_MCA_mpi_yield_when_idle", "1"},
            // Open MPI 4
            {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
            {"OMPI_MCA_hwloc_base_binding_policy", "none"},
            {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
            {"OMPI_MCA_odls_base_sigkill_timeout", seconds},
            // Open MPI 5
            {"PRTE_MCA_rmaps_default_mapping_policy", "slot:OVERSUBSCRIBE"},
            {"PRTE_MCA_hwloc_default_binding_policy", "none"},
            {"OMPI_MCA_smsc", "^cma,knem,xpmem"},
            // Intel MPI; MPICH does not bind
            {"I_MPI_PIN", "off"}};
}

/// One for each group: where several mpiruns share one, each removes at its end what another is about to use. Its path
/// is short, as Open MPI's sockets need it.
Result<std::string> makeFolder()
{
    std::string folder = "/tmp/ringside-ranks-XXXXXX";
    if (!::mkdtemp(folder.data()))
        return tl::unexpected(systemError("cannot create a folder in", "/tmp", errno));
    return folder;
}

std::vector<std::string> childEnvironment(const std::string& folder)
{
    std::vector<std::string> variables = inheritedEnvironment();
    setVariables(variables, {{"TMPDIR", folder}});
    if (geteuid() == 0)
        setVariables(variables, {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
    return variables;
}

} // namespace

Result<RankGroup> RankGroup::start(int ranks, const std::vector<std::string>& command, Meeting meeting,
                                   std::chrono::seconds grace)
{
    RankGroup group;
    TRY_ASSIGN(group.m_folder, makeFolder());
    if (meeting == Meeting::tcp) {
        TRY(group.spawnOverTcp(ranks, command));
        return group;
    }
    auto variables = childEnvironment(group.m_folder);
    if (ranks == 1) {
        TRY(group.spawn(command, std::move(variables)));
        return group;
    }
    std::vector<std::string> arguments{"mpirun", "-n", std::to_string(ranks)};
    arguments.insert(arguments.end(), command.begin(), command.end());
    setVariables(variables, wordsForMpirun(grace));
    TRY(group.spawn(std::move(arguments), std::move(variables)));
    return group;
}

Result<void> RankGroup::spawn(std::vector<std::string> arguments, std::vector<std::string> variables)
{
    if (findProgram(arguments.front()).empty())
        return fail(ErrorCode::notFound, fmt::format("{} is not there, or may not be executed.", arguments.front()),
                    "Install an MPI (Debian: openmpi-bin), or load its module.");
    TRY_ASSIGN(const pid_t child, startChild({.arguments = std::move(arguments),
                                              .environment = std::move(variables),
                                              .input = STDIN_FILENO,
                                              .output = STDOUT_FILENO,
                                              .errors = STDERR_FILENO,
                                              .group = ChildStart::Group::ours}));
    m_pids.push_back(child);
    return {};
}

Result<void> RankGroup::spawnOverTcp(int ranks, const std::vector<std::string>& command)
{
    for (int rank = 0; rank < ranks; ++rank) {
        auto variables = childEnvironment(m_folder);
        setVariables(variables, {{kTcpRankVariable, std::to_string(rank)},
                                 {kTcpRanksVariable, std::to_string(ranks)},
                                 {kTcpMeetingVariable, m_folder + "/meeting"}});
        TRY(spawn(command, std::move(variables)));
    }
    return {};
}

RankGroup::RankGroup(RankGroup&& other) noexcept
    : m_pids(std::exchange(other.m_pids, {}))
    , m_code(other.m_code)
    , m_folder(std::exchange(other.m_folder, {}))
{
}

RankGroup::~RankGroup()
{
    for (const pid_t pid : m_pids) {
        if (pid <= 0)
            continue;
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }
    std::error_code ignored;
    if (!m_folder.empty())
        fs::remove_all(m_folder, ignored);
}

Result<int> RankGroup::wait(std::chrono::milliseconds limit)
{
    const auto deadline = std::chrono::steady_clock::now() + limit;
    for (pid_t& pid : m_pids) {
        int status = 0;
        while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
            if (std::chrono::steady_clock::now() >= deadline)
                return fail(
                    ErrorCode::timeout,
                    fmt::format("The ranks did not end within {:.0f} s.", static_cast<double>(limit.count()) / 1e3),
                    "If other programs keep the cores busy, try again later.");
            std::this_thread::sleep_for(kLook);
        }
        pid = -1;
        m_code = m_code == 0 ? exitCodeOf(status) : m_code;
    }
    return m_code;
}

} // namespace ringside
