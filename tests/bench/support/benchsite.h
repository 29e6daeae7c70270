// SPDX-License-Identifier: MIT
// A site behind a real sshd of this machine and a line as long as one likes; its folder is another one than ours.
#pragma once

#include "core/conductor/conductor.h"
#include "tests/bench/support/delayproxy.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/built.h"
#include "tests/support/temporaryfolder.h"

#include <chrono>

namespace ringside::bench {

class BenchSite
{
public:
    /// Ends the program, with the reason, where no sshd can be started.
    BenchSite();

    static constexpr const char* kName = "alder";

    void setRoundTrip(std::chrono::milliseconds roundTrip) { m_proxy.setRoundTrip(roundTrip); }
    /// The folder of the site's files.
    fs::path root() const { return m_folder / "there"; }
    /// The folder of the benchmark's own files on this side.
    const fs::path& folder() const { return m_folder.path(); }
    /// Returns the folder of the site's description.
    fs::path sites() const { return m_folder / "config/ringside/sites"; }
    /// Its description: where Ringside's files lie there, and the worker that is there already.
    void describe(const fs::path& root, const fs::path& worker = test::testProgram("testworker")) const;
    /// The one site of this program's user, for whatever reads XDG_CONFIG_HOME and XDG_DATA_HOME.
    void makeUsers() const;
    /// A conductor's, on a database of its own.
    ConductorOptions options(const std::string& store = "lab.db") const;
    /// For SshHost, over the same line.
    SshAddress address() const;
    /// The ssh configuration of that, for OpenSSH's own programs; the host's name is kName.
    fs::path sshConfig() const { return m_sshd.file("client/.ssh/config"); }

private:
    test::TemporaryFolder m_folder;
    test::Sshd m_sshd;
    DelayProxy m_proxy;
};

} // namespace ringside::bench
