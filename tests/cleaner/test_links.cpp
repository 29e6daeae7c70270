// SPDX-License-Identifier: MIT
// A root that a link leads to: programs that run there are known by their real paths.
#include "tests/cleaner/sitefixture.h"

using namespace ringside;
using namespace ringside::cleaner;
using namespace ringside::test;
using wire::ItemKind;

namespace {

constexpr const char* kAgent = "0.1.0/linux-x86_64-0123456789ab";

struct LinkedSite : Site
{
    LinkedSite() { fs::create_directory_symlink(root(), link); }

    wire::DeleteReply removeByLink(const wire::DeleteRequest& request, const fs::path& self = "/usr/bin/ringside-agent")
    {
        return cleaner::remove(link, self, request);
    }

    fs::path link = root().parent_path() / "link";
};

} // namespace

TEST_CASE_FIXTURE(LinkedSite, "an agent that runs below a linked root stays")
{
    const fs::path agent = root() / "bin" / kAgent / "ringside-agent";
    const Running serving(agent, "60");
    const auto items = inventory(link);
    const auto listed = std::ranges::find(items, wire::Item{ItemKind::agent, kAgent}, &wire::InstalledItem::item);
    REQUIRE(listed != items.end());
    CHECK(listed->reason == because(why::kProgramRuns));
    wire::DeleteRequest request;
    request.items = {{ItemKind::agent, kAgent}};
    CHECK(removeByLink(request).refused.size() == 1);
    CHECK(fs::exists(agent));
}

TEST_CASE_FIXTURE(LinkedSite, "the agent that answers goes last below a linked root, too, and the link stays")
{
    const fs::path agent = root() / "bin" / kAgent / "ringside-agent";
    file(agent.lexically_relative(root()));
    file("turn", "");
    wire::DeleteRequest all = request();
    all.items = {{ItemKind::agent, kAgent}};
    CHECK(removeByLink(all, agent).refused.empty());
    CHECK_FALSE(fs::exists(root() / "turn"));
    CHECK_FALSE(fs::exists(root() / "bin"));
    CHECK(fs::exists(link));
}

TEST_CASE_FIXTURE(LinkedSite, "a torch stays while a worker was built with it, by whichever path")
{
    file("torch/2.11.0/torch/lib/x");
    wire::DeleteRequest request;
    request.items = {{ItemKind::torch, "2.11.0"}};
    for (const fs::path& named : {root(), link}) {
        file("workers/abc/worker.json",
             "{\"from\": {\"torch_folder\": \"" + (named / "torch/2.11.0/torch").string() + "\"}}");
        for (const wire::DeleteReply& reply : {remove(request), removeByLink(request)}) {
            REQUIRE(reply.refused.size() == 1);
            CHECK(reply.refused[0].reason == because(why::kBuiltWith, {{"worker", "abc"}}));
        }
    }
}
