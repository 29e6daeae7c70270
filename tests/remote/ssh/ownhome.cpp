// SPDX-License-Identifier: MIT
#include "tests/remote/ssh/ownhome.h"

#include "tests/remote/ssh/sshd.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <sys/mount.h>
#include <unistd.h>

namespace ringside::test {

namespace {

void writeTo(const fs::path& path, const std::string& text)
{
    std::ofstream(path) << text;
    fs::permissions(path,
                    fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read);
}

/// Each user stays who they are.
void mapUser(unsigned user, unsigned group)
{
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << fmt::format("{0} {0} 1", user);
    std::ofstream("/proc/self/gid_map") << fmt::format("{0} {0} 1", group);
}

/// Once for the process; the reason if it cannot be.
std::string enterNamespace()
{
    const unsigned user = ::geteuid();
    const unsigned group = ::getegid();
    if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0)
        return fmt::format("there are no mount namespaces here: {}", std::strerror(errno));
    if (user != 0)
        mapUser(user, group);
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return fmt::format("mounts cannot be private here: {}", std::strerror(errno));
    return {};
}

std::string bind(const fs::path& from, const fs::path& to)
{
    return ::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) == 0
               ? std::string()
               : fmt::format("{} cannot be mounted: {}", to.string(), std::strerror(errno));
}

/// The password file of this machine, in which this user lives elsewhere.
std::string passwordFile(const std::string& user, const fs::path& home)
{
    std::ifstream in("/etc/passwd");
    std::string text = fmt::format("{}:x:{}:{}::{}:/bin/sh\n", user, ::getuid(), ::getgid(), home.string());
    for (std::string line; std::getline(in, line);)
        if (!line.starts_with(user + ":"))
            text += line + "\n";
    return text;
}

} // namespace

OwnHome::OwnHome()
{
    static const std::string kProblem = enterNamespace();
    m_problem = kProblem;
    if (!m_problem.empty())
        return;
    fs::create_directories(path() / ".ssh");
    writeTo(folder() / "passwd", passwordFile(ownUser(), path()));
    writeTo(folder() / "ssh_config", "");
    writeTo(folder() / "hosts", readFile("/etc/hosts").value_or(""));
    for (const auto& [from, to] : {std::pair("passwd", "/etc/passwd"), std::pair("ssh_config", "/etc/ssh/ssh_config"),
                                   std::pair("hosts", "/etc/hosts")}) {
        m_problem = bind(folder() / from, to);
        if (!m_problem.empty())
            return;
        m_mounted.emplace_back(to);
    }
}

/// On a file that is gone nothing else can be mounted.
OwnHome::~OwnHome()
{
    for (const fs::path& file : m_mounted)
        ::umount2(file.c_str(), MNT_DETACH);
}

fs::path OwnHome::write(const std::string& name, const std::string& text) const
{
    fs::create_directories((path() / name).parent_path());
    writeTo(path() / name, text);
    return path() / name;
}

void OwnHome::writeHosts(const std::string& text) const
{
    writeTo(folder() / "hosts", text); // in place, as below
}

void OwnHome::writeSystem(const std::string& text) const
{
    writeTo(folder() / "ssh_config", text); // in place: what is mounted is this file
}

fs::path OwnHome::enterForeignFolder() const
{
    const fs::path foreign = folder() / "foreign";
    fs::create_directories(foreign / ".ssh/conf.d");
    const std::string hostile = "Host *\n  HostName hostile.example.org\n  User mallory\n  Port 6666\n"
                                "  IdentityFile hostile\n  UserKnownHostsFile hostile\n  Match exec \"touch " +
                                (folder() / "executed").string() + "\"\n  Compression yes\n";
    for (const char* name : {".ssh/config", "config", "ssh_config", ".ssh/conf.d/a.conf", "more", "a.conf"})
        writeTo(foreign / name, hostile);
    writeTo(foreign / ".ssh/known_hosts", "* ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0qU1b9VZ0l0y0V0s3n0V0y0V0s3n0V0y0V"
                                          "0s3n0V0y\n");
    fs::current_path(foreign);
    return foreign;
}

} // namespace ringside::test
