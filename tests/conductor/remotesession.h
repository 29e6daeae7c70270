// SPDX-License-Identifier: MIT
// The conductor of a workstation, and a site behind a real sshd.
#pragma once

#include "core/sites/sitebook.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/remote/ssh/person.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/built.h"

#include <algorithm>

namespace ringside::test {

inline const std::string kSite = "alder";

/// The conductor of a workstation, and the site "alder", whose root is a folder of its own.
struct Session : ConductorFixture
{
    explicit Session(bool trusted = true, SshdOptions sshdOptions = {})
        : sshd(std::move(sshdOptions))
    {
        if (trusted)
            sshd.trust();
        sshd.clientConfig();
        Site site;
        site.name = kSite;
        site.host = "alder";
        site.sshConfig = sshd.file("client/.ssh/config");
        site.root = thereRoot.string();
        site.worker = testProgram("testworker");
        must(SiteBook(folder / "sites").save(site));
    }

    void start()
    {
        ConductorOptions with = options();
        with.sites = folder / "sites";
        with.interaction = &person;
        if (!agent.empty())
            with.agent = agent;
        conductor = must(WaitingConductor::open(with, sink));
    }

    Result<void> launch(const spec::Experiment& what) { return conductor->launch(launchOf(what, kSite)); }

    bool waitForEnd(std::size_t count)
    {
        return sink.waitUntil([&] {
            return sink.rows.size() == count &&
                   std::ranges::all_of(sink.rows, [](const auto& row) { return isFinal(row.second.state); });
        });
    }

    bool hasContact(SiteStatus::Contact contact)
    {
        return std::ranges::any_of(
            sink.sites, [&](const SiteStatus& status) { return status.name == kSite && status.contact == contact; });
    }

    fs::path thereRoot = folder / "there";
    fs::path agent; ///< of the workstation; those for other architectures lie beside it. Empty: the build's
    Sshd sshd;
    Person person;
    RecordingSink sink;
    std::unique_ptr<WaitingConductor> conductor;
};

} // namespace ringside::test
