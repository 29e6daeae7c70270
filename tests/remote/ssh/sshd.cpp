// SPDX-License-Identifier: MIT
#include "tests/remote/ssh/sshd.h"

#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "tests/support/built.h"
#include "tests/support/loopback.h"
#include "tests/support/processstat.h"
#include "tests/support/runningtime.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <pwd.h>
#include <sched.h>
#include <set>
#include <sstream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ringside::test {

namespace {

constexpr const char* kSshd = "/usr/sbin/sshd";
constexpr const char* kEmulator = "/usr/bin/qemu-aarch64-static";
constexpr std::int64_t kStartLimitNs = 10'000'000'000;

int freePort()
{
    const Descriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    ::bind(probe.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

bool answers(int port)
{
    const Descriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(port);
    return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

std::string textOf(const fs::path& path)
{
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Every user stays who they are; the namespace is there to hold settings of its own.
void enterUserNamespace()
{
    const auto all = [](const char* map) { std::ofstream(map) << "0 0 4294967295"; };
    int done[2];
    if (::pipe2(done, O_CLOEXEC) != 0)
        ::_exit(126);
    const pid_t self = ::getpid();
    const pid_t writer = ::fork(); // a namespace's maps are written from outside of it
    if (writer == 0) {
        char byte;
        (void)!::read(done[0], &byte, 1);
        all(fmt::format("/proc/{}/uid_map", self).c_str());
        all(fmt::format("/proc/{}/gid_map", self).c_str());
        ::_exit(0);
    }
    const bool entered = ::unshare(CLONE_NEWUSER) == 0;
    (void)!::write(done[1], "x", 1);
    ::waitpid(writer, nullptr, 0);
    if (!entered)
        ::_exit(126);
}

/// Since Linux 6.7 a user namespace has interpreters of its own, which leaves the machine's as they are.
std::string foreignSetup(const fs::path& folder)
{
    const fs::path uname = folder / "uname";
    std::ofstream(uname) << "#!/bin/sh\ncase $1 in -m) echo aarch64 ;; *) echo Linux ;; esac\n";
    fs::permissions(uname, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec |
                               fs::perms::group_read | fs::perms::others_read);
    const std::string elf = R"(\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00)";
    const std::string mask = R"(\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff)";
    return fmt::format("mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && "
                       "printf %s ':aarch64:M::{}:{}:{}:OCF' >/proc/sys/fs/binfmt_misc/register && "
                       "mount --bind {} /usr/bin/uname && ",
                       elf, mask, kEmulator, uname.string());
}

} // namespace

void shell(const std::string& command)
{
    if (std::system(command.c_str()) != 0)
        throw std::runtime_error("failed: " + command);
}

std::string ownUser()
{
    const passwd* entry = ::getpwuid(::getuid());
    return entry ? entry->pw_name : "";
}

Sshd::Sshd(SshdOptions options)
    : m_options(std::move(options))
    , m_port(freePort())
{
    const bool needsRoot = !m_options.pamLine.empty() || !m_options.shells.empty() || m_options.isForeign;
    if (::access(kSshd, X_OK) != 0)
        m_problem = "openssh-server is not installed";
    else if (needsRoot && ::geteuid() != 0)
        m_problem = "users and PAM of its own need root";
    else if (!m_options.pamLine.empty() && !fs::exists(testProgram("pam_asktwice.so")))
        throw std::runtime_error(
            "libpam0g-dev was not there when the tests were configured: installers/dependencies.sh "
            "--for test installs it; then build them again");
    else if (m_options.isForeign && ::access(kEmulator, X_OK) != 0)
        m_problem = "qemu-user-static is not installed";
    if (!m_problem.empty())
        return;
    shell(fmt::format("ssh-keygen -q -t ed25519 -N '' -f {0}/id_ed25519 && cp {0}/id_ed25519.pub {0}/authorized_keys "
                      "&& mkdir {0}/home {0}/pam.d && chmod 755 {0} && chmod 777 {0}/home",
                      folder().string()));
    makeKeys(m_options.hostKeys);
    writeConfig();
    start();
}

Sshd::~Sshd()
{
    stop();
}

void Sshd::makeKeys(const std::vector<std::string>& types)
{
    for (const std::string& type : types)
        shell(
            fmt::format("rm -f {0}/host_{1}* && ssh-keygen -q -t {1} -N '' -f {0}/host_{1}", folder().string(), type));
}

/// With a home of its own: what the tester's shell does at its start is none of ours, and killing it may harm.
void Sshd::writeConfig()
{
    std::ofstream config(file("sshd_config"));
    config << m_options.config << "\n"; // the first value holds
    config << "PasswordAuthentication no\n";
    if (m_options.pamLine.empty())
        config << "KbdInteractiveAuthentication no\n";
    config << "ListenAddress 127.0.0.1\nPort " << m_port << "\nPidFile none\nStrictModes no\nPermitRootLogin yes\n"
           << "UsePAM " << (m_options.pamLine.empty() ? "no" : "yes") << "\nAuthorizedKeysFile "
           << file("authorized_keys").string() << "\nSetEnv HOME=" << file("home").string()
           << "\nMaxSessions 40\nMaxStartups 50\nLogLevel VERBOSE\n";
    for (const std::string& type : m_options.hostKeys)
        config << "HostKey " << file("host_" + type).string() << "\n";
    std::ofstream(file("pam.d/sshd")) << m_options.pamLine
                                      << "\naccount required pam_permit.so\nsession required pam_permit.so\n";
    std::ofstream users(file("passwd"));
    users << textOf("/etc/passwd");
    for (const std::string& name : m_options.shells)
        users << name << "-user:*:54321:54321::" << file("home").string() << ":/bin/" << name << "\n";
}

/// As root in a mount namespace of its own, where the files above stand in for those of /etc.
void Sshd::runServer() const
{
    const std::string run = fmt::format("exec {} -D -e -f {}", kSshd, file("sshd_config").string());
    if (::geteuid() != 0)
        ::execlp("sh", "sh", "-c", run.c_str(), nullptr);
    std::string setup =
        fmt::format("mount -t tmpfs none /run && mkdir -p /run/sshd && mount --bind {0}/passwd /etc/passwd && "
                    "mount --bind {0}/pam.d /etc/pam.d && ",
                    folder().string());
    if (m_options.isForeign) {
        enterUserNamespace();
        setup += foreignSetup(folder());
    }
    ::execlp("unshare", "unshare", "-m", "sh", "-c", (setup + run).c_str(), nullptr);
}

void Sshd::start()
{
    m_pid = ::fork();
    if (m_pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM); // a test that is killed leaves nothing behind
        const int log = ::open(file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(log, 1);
        ::dup2(log, 2);
        runServer();
        ::_exit(127);
    }
    const std::int64_t untilNs = monotonicNs() + kStartLimitNs;
    while (!answers(m_port) && ::waitpid(m_pid, nullptr, WNOHANG) == 0 && monotonicNs() < untilNs)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (!answers(m_port))
        m_problem = "sshd does not start: " + log();
}

void Sshd::stop()
{
    if (m_pid <= 0)
        return;
    for (const pid_t pid : descendants())
        ::kill(pid, SIGKILL);
    ::kill(m_pid, SIGTERM);
    ::waitpid(m_pid, nullptr, 0);
    m_pid = -1;
}

void Sshd::changeHostKeys(const std::vector<std::string>& types)
{
    stop();
    m_options.hostKeys = types;
    makeKeys(types);
    writeConfig();
    start();
    if (!m_problem.empty())
        throw std::runtime_error(m_problem);
}

std::string Sshd::hostKey(const std::string& type) const
{
    const std::string text = textOf(file("host_" + type + ".pub"));
    return text.substr(0, text.rfind(' '));
}

std::string Sshd::log() const
{
    return textOf(file("log"));
}

bool Sshd::logs(std::string_view words, std::size_t from) const
{
    return eventually(std::chrono::seconds(20), [&] { return log().find(words, from) != std::string::npos; });
}

std::size_t Sshd::connections() const
{
    const std::string text = log();
    std::size_t count = 0;
    for (auto at = text.find("Connection from "); at != std::string::npos; at = text.find("Connection from ", at + 1))
        ++count;
    return count;
}

void Sshd::trust() const
{
    std::ofstream known(knownHosts());
    for (const std::string& type : m_options.hostKeys)
        known << "[127.0.0.1]:" << m_port << " " << hostKey(type) << "\n";
}

fs::path Sshd::clientConfig(const std::string& lines) const
{
    fs::create_directories(file("client/.ssh"));
    const fs::path path = file("client/.ssh/config");
    std::ofstream config(path);
    config << "Host alder\n"
           << lines << "\nHostName 127.0.0.1\nPort " << m_port << "\nUser " << ownUser() << "\nIdentityAgent none\n"
           << "IdentityFile " << file("id_ed25519").string() << "\nUserKnownHostsFile " << knownHosts().string()
           << "\nGlobalKnownHostsFile none\n";
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write); // whatever the umask of a test
    return path;
}

SshAddress Sshd::address(const std::string& lines) const
{
    return {{"alder", "", 0}, clientConfig(lines)};
}

std::vector<pid_t> Sshd::descendants() const
{
    std::set<pid_t> family{m_pid};
    for (std::size_t before = 0; before != family.size();) { // children of children, wherever they stand in /proc
        before = family.size();
        for (const auto& entry : fs::directory_iterator("/proc"))
            if (const auto pid = static_cast<pid_t>(std::atol(entry.path().filename().c_str())); pid > 0)
                if (family.contains(readProcessStat(pid).value_or(ProcessStat{}).parent))
                    family.insert(pid);
    }
    family.erase(m_pid);
    return {family.begin(), family.end()};
}

void Sshd::signalSessions(int signal) const
{
    for (const pid_t pid : descendants())
        if (textOf(fmt::format("/proc/{}/comm", pid)) == "sshd\n")
            ::kill(pid, signal);
}

} // namespace ringside::test
