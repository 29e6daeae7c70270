// SPDX-License-Identifier: MIT
// A real sshd on 127.0.0.1 with its own configuration, keys and, for root, its own password file and PAM: the machine's
// are never touched.
#pragma once

#include "core/remote/ssh/sshhost.h"
#include "tests/support/temporaryfolder.h"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace ringside::test {

struct SshdOptions
{
    std::string config;                           ///< further lines of sshd_config
    std::vector<std::string> hostKeys{"ed25519"}; ///< types
    std::string pamLine;                          ///< of the auth stack; not empty: UsePAM yes. Root only
    std::vector<std::string> shells;              ///< a user "<shell>-user" for each, e.g. "dash-user". Root only
    bool isForeign = false; ///< says that it is an aarch64, and runs programs of it by qemu-user. Root only
};

class Sshd
{
public:
    /// A key pair of the user is made in `folder`/id_ed25519 and let in.
    explicit Sshd(SshdOptions options = {});
    ~Sshd();
    Sshd(const Sshd&) = delete;
    Sshd& operator=(const Sshd&) = delete;

    /// Returns why it does not run; empty if it does.
    const std::string& problem() const { return m_problem; }
    int port() const { return m_port; }
    const fs::path& folder() const { return m_folder.path(); }
    fs::path file(const std::string& name) const { return m_folder / name; }
    fs::path knownHosts() const { return file("known_hosts"); }

    /// The host key is on record, as after a first visit.
    void trust() const;
    /// Writes a configuration of ssh that leads here under the name "alder", with further lines for that host.
    fs::path clientConfig(const std::string& lines = {}) const;
    SshAddress address(const std::string& lines = {}) const;
    /// The public host key of a type, as ssh-keygen prints it.
    std::string hostKey(const std::string& type = "ed25519") const;
    /// Returns what sshd logged so far: some lines come after the connection that they are about has ended, or are
    /// lost.
    std::string log() const;
    /// Waits up to 20 seconds for words in what it logged beyond the first `from` bytes. It answers a client before it
    /// logs what the answer was, so call this while the connection stands.
    bool logs(std::string_view words, std::size_t from = 0) const;
    /// Returns how many connections were made to it.
    std::size_t connections() const;

    /// Sends a signal to the sshd processes that serve connections; not to the commands that they started.
    void signalSessions(int signal) const;
    /// Ends and starts it again, on the same port with new host keys.
    void changeHostKeys(const std::vector<std::string>& types);

private:
    void makeKeys(const std::vector<std::string>& types);
    void writeConfig();
    void start();
    void runServer() const;
    void stop();
    std::vector<pid_t> descendants() const;

    SshdOptions m_options;
    TemporaryFolder m_folder;
    std::string m_problem;
    int m_port = 0;
    pid_t m_pid = -1;
};

/// Runs a command of sh; throws if it fails.
void shell(const std::string& command);
/// The name of the user who runs this test.
std::string ownUser();

} // namespace ringside::test
