// SPDX-License-Identifier: MIT
// A home for ssh: it looks where the password file says, and not at $HOME. In a mount namespace, /etc/passwd of this
// process and of what it starts is one that names a folder of the test; and /etc/hosts is one of the test.
#pragma once

#include "core/base/files.h"
#include "tests/support/temporaryfolder.h"

#include <string>
#include <vector>

namespace ringside::test {

class OwnHome
{
public:
    /// The home is `folder`/home, with a .ssh; the system's configuration of ssh is `folder`/ssh_config. Before the
    /// process has a second thread.
    OwnHome();
    ~OwnHome();
    OwnHome(const OwnHome&) = delete;
    OwnHome& operator=(const OwnHome&) = delete;

    /// Returns why there is none; empty if there is.
    const std::string& problem() const { return m_problem; }
    fs::path path() const { return m_folder / "home"; }
    fs::path folder() const { return m_folder.path(); }
    /// Writes a file of the home, private to the user.
    fs::path write(const std::string& name, const std::string& text) const;
    /// Writes the addresses of names, as /etc/hosts has them.
    void writeHosts(const std::string& text) const;
    /// Writes the system's configuration.
    void writeSystem(const std::string& text) const;
    /// A folder that is not home, in which this process is from now on, and in which every file that ssh could take
    /// for its own leads elsewhere.
    fs::path enterForeignFolder() const;

private:
    TemporaryFolder m_folder;
    std::string m_problem;
    std::vector<fs::path> m_mounted;
};

} // namespace ringside::test
