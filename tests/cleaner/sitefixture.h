// SPDX-License-Identifier: MIT
// A site's folder, as clean-up finds it, and programs that run there.
#pragma once

#include "agent/cleaner/inventory.h"
#include "agent/cleaner/removal.h"
#include "core/protocol/journal.h"
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"
#include "core/protocol/spool.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::test {

/// A site with one campaign of one run, whose single spool holds some samples.
class Site
{
public:
    explicit Site(bool isOver = true)
    {
        m_plan.campaign = CampaignId::random();
        m_plan.store = StoreId::random();
        m_plan.experiment = "test";
        m_plan.site = "demo";
        m_plan.worker = (root() / "workers/abc/ringside-worker").string();
        RunSpec run;
        run.id = RunId::random();
        m_plan.runs = {run};
        REQUIRE(makePrivateFolder(campaign()));
        REQUIRE(writeFileAtomically(layout::planFile(campaign()), planToJson(m_plan)));
        const fs::path agent = root() / "bin/0.0.9/linux-x86_64-old/ringside-agent";
        REQUIRE(writeFileAtomically(layout::scriptFile(campaign()), "exec " + agent.string() + " run"));
        note(JournalKind::runnerStarted);
        if (isOver)
            note(JournalKind::runnerEnded);
        writeSpool();
    }

    const fs::path& root() const { return m_root; }
    fs::path campaign() const { return layout::campaignFolder(root(), m_plan.campaign); }
    fs::path run() const { return layout::runFolder(root(), m_plan.runs[0].id); }
    fs::path spool() const { return layout::spoolFile(run() / "attempt-1", 0); }
    const CampaignPlan& plan() const { return m_plan; }

    void note(JournalKind kind)
    {
        auto journal = Journal::open(layout::journalFile(campaign()));
        REQUIRE(journal);
        JournalEvent event;
        event.kind = kind;
        REQUIRE(journal->append(event));
    }

    void file(const fs::path& path, const std::string& text = "content") const
    {
        fs::create_directories((root() / path).parent_path());
        std::ofstream(root() / path) << text;
    }

    /// Everything, as a store that has it all would say.
    wire::DeleteRequest request() const
    {
        wire::DeleteRequest request;
        request.runs = {m_plan.runs[0].id};
        request.campaigns = {m_plan.campaign};
        request.stored = {cursor(spool(), m_header.file.str()), cursor(layout::journalFile(campaign()), "inode")};
        return request;
    }

    wire::DeleteReply remove(const wire::DeleteRequest& request) const
    {
        return cleaner::remove(root(), m_self, request);
    }
    wire::DeleteReply removeItem(wire::ItemKind kind, const std::string& name) const
    {
        wire::DeleteRequest request;
        request.items = {{kind, name}};
        return remove(request);
    }

    const wire::InstalledItem* find(wire::ItemKind kind, const std::string& name)
    {
        m_items = cleaner::inventory(root());
        const auto found = std::ranges::find(m_items, wire::Item{kind, name}, &wire::InstalledItem::item);
        return found == m_items.end() ? nullptr : &*found;
    }

    /// The running agent, as the inventory gets it.
    void runsAgent(const fs::path& path) { m_self = root() / path; }

private:
    void writeSpool()
    {
        m_header.file = FileId::random();
        m_header.run = m_plan.runs[0].id;
        fs::create_directories(spool().parent_path());
        auto writer = SpoolWriter::create(spool(), m_header);
        REQUIRE(writer);
        for (int block = 0; block < 3; ++block) {
            writer->add(Heartbeat{block, 0, Phase::forward});
            REQUIRE(writer->flush());
        }
    }

    wire::Cursor cursor(const fs::path& path, const std::string& id) const
    {
        return {path.lexically_relative(root()).string(), id, fs::file_size(path)};
    }

    TemporaryFolder m_folder;
    fs::path m_root = m_folder / "default"; // has the name of the worker "def" in it
    CampaignPlan m_plan;
    SpoolHeader m_header;
    fs::path m_self = "/usr/bin/ringside-agent";
    std::vector<wire::InstalledItem> m_items;
};

/// A program below the root, as the relay of another command is one.
class Running
{
public:
    Running(const fs::path& program, const char* seconds)
        : Running(program, "/usr/bin/sleep", seconds, nullptr)
    {
    }
    Running(const fs::path& program, const char* copied, const char* first, const char* second)
    {
        fs::create_directories(program.parent_path());
        fs::copy_file(copied, program, fs::copy_options::overwrite_existing);
        const char* arguments[] = {program.c_str(), first, second, nullptr};
        REQUIRE(::posix_spawn(&m_pid, program.c_str(), nullptr, nullptr, const_cast<char* const*>(arguments),
                              environ) == 0);
    }
    ~Running()
    {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }

private:
    pid_t m_pid = -1;
};

} // namespace ringside::test
