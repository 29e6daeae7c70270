// SPDX-License-Identifier: MIT
// Sites of this user, and one of them behind a real sshd.
#pragma once

#include "tests/cli/clifixture.h"
#include "tests/remote/ssh/sshd.h"

#include <pwd.h>
#include <unistd.h>

namespace ringside::test {

struct SitesFixture : CliFixture
{
    SitesFixture() { environment["XDG_CONFIG_HOME"] = (folder / "config").string(); }

    fs::path file(const std::string& name) const { return folder / "config/ringside/sites" / (name + ".toml"); }
};

/// The site "alder" behind an sshd of its own, with a worker that is there already.
struct AlderFixture : SitesFixture
{
    AlderFixture()
    {
        sshd.trust();
        sshd.clientConfig();
        describe(testProgram("testworker"));
    }

    static bool hasBash()
    {
        const passwd* user = ::getpwuid(::getuid());
        return user && std::string_view(user->pw_shell).ends_with("/bash");
    }

    void describe(const std::string& worker) const
    {
        fs::create_directories(file("alder").parent_path());
        write("config/ringside/sites/alder.toml", "format = 1\nname = \"alder\"\nhost = \"alder\"\nssh_config = \"" +
                                                      sshd.file("client/.ssh/config").string() + "\"\nroot = \"" +
                                                      (folder / "there").string() + "\"\nscheduler = \"none\"\n" +
                                                      (worker.empty() ? "" : "worker = \"" + worker + "\"\n"));
    }

    Sshd sshd;
};

} // namespace ringside::test
