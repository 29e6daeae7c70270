// SPDX-License-Identifier: MIT
#pragma once

#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/sshd.h"

#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/// libssh 0.10 lets go of the list of an agent's keys each time it asks for it. Its frames have no pointers to unwind
/// by, so that no caller can be named.
extern "C" const char* __lsan_default_suppressions()
{
    return "leak:ssh_buffer_new";
}
#endif

namespace ringside::test {

/// A real ssh-agent that holds some keys of an sshd's folder.
class SshAgent
{
public:
    SshAgent(const Sshd& sshd, const std::vector<std::string>& keys)
        : m_socket(sshd.file("agent.sock"))
    {
        m_pid = ::fork();
        if (m_pid == 0) {
            const int nowhere = ::open("/dev/null", O_RDWR); // should it outlive us, it holds no pipe open
            for (const int stream : {0, 1, 2})
                ::dup2(nowhere, stream);
            ::execlp("ssh-agent", "ssh-agent", "-D", "-a", m_socket.c_str(), nullptr);
            ::_exit(127);
        }
        for (int i = 0; i < 500 && !answers(); ++i) // its socket is there before it listens
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        for (const std::string& key : keys)
            shell(
                fmt::format("SSH_AUTH_SOCK={} ssh-add -q {} 2>/dev/null", m_socket.string(), sshd.file(key).string()));
    }
    ~SshAgent()
    {
        ::kill(m_pid, SIGKILL); // it may be frozen
        ::waitpid(m_pid, nullptr, 0);
        std::error_code ignored;
        fs::remove(m_socket, ignored); // or the next one could not bind it
    }
    std::string line() const { return "IdentityAgent " + m_socket.string(); }
    void freeze() const { ::kill(m_pid, SIGSTOP); }

private:
    bool answers() const
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        m_socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        ::close(fd);
        return connected;
    }

    fs::path m_socket;
    pid_t m_pid = -1;
};

} // namespace ringside::test
