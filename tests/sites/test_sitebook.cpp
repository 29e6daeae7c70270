// SPDX-License-Identifier: MIT
#include "core/sites/sitebook.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

using namespace ringside;

namespace {

Site named(const std::string& name)
{
    Site site;
    site.name = name;
    site.host = name + ".example.org";
    return site;
}

} // namespace

TEST_CASE("sites are kept in one private file each, and listed by name")
{
    const test::TemporaryFolder folder;
    const SiteBook book(folder / "config/sites");
    CHECK(book.all().empty());
    for (const char* name : {"beech", "alder"})
        REQUIRE(book.save(named(name)));
    struct stat info
    {
    };
    REQUIRE(::stat((folder / "config/sites/alder.toml").c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    const auto entries = book.all();
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].name == "alder");
    CHECK(entries[1].site.value() == named("beech"));
    CHECK(book.find("aldr").error().text() ==
          "There is no site “aldr”. Did you mean “alder”? Known: local, alder and beech.");
}

TEST_CASE("a site's file that cannot be read stays in the list with its reason")
{
    const test::TemporaryFolder folder;
    const SiteBook book(folder.path());
    REQUIRE(writeFileAtomically(folder / "torn.toml", "format = 1\nname = \"to"));
    REQUIRE(writeFileAtomically(folder / "renamed.toml", siteToToml(named("other"))));
    REQUIRE(::mkfifo((folder / "pipe.toml").c_str(), 0600) == 0); // without a writer
    fs::create_symlink("tangled.toml", folder / "tangled.toml");
    CHECK(book.find("tangled").error().code != ErrorCode::notFound); // it may come back
    fs::remove(folder / "tangled.toml");
    fs::create_symlink("away.toml", folder / "dangling.toml");
    CHECK(book.find("dangling").error().code == ErrorCode::notFound);
    CHECK(book.all().at(0).name == "dangling");
    fs::remove(folder / "dangling.toml");
    const auto entries = book.all();
    REQUIRE(entries.size() == 3);
    CHECK(entries[0].site.error().message.find("is a pipe") != std::string::npos);
    CHECK(entries[1].site.error().message.find("the name in it is “other”") != std::string::npos);
    CHECK(entries[2].site.error().message.find("torn.toml, line 2") != std::string::npos);
}

TEST_CASE("sites are on one root if the way there and the root are written alike")
{
    const test::TemporaryFolder folder;
    const SiteBook book(folder.path());
    const Site alder = named("alder");
    const auto save = [&](const std::string& name, void (*change)(Site&)) {
        Site site = alder;
        site.name = name;
        change(site);
        REQUIRE(book.save(site));
    };
    REQUIRE(book.save(alder));
    save("short-jobs", [](Site& site) { site.scheduler = kNoScheduler; });
    save("written-otherwise", [](Site& site) { site.root = "~/.ringside/"; });
    save("other-host", [](Site& site) { site.host = "beech.example.org"; });
    save("other-user", [](Site& site) { site.user = "kim"; });
    save("other-port", [](Site& site) { site.port = 2222; });
    save("other-root", [](Site& site) { site.root = "/scratch/ringside"; });
    save("other-way", [](Site& site) { site.sshConfig = "/home/kim/ssh-config"; });
    REQUIRE(writeFileAtomically(folder / "torn.toml", "format = 1\nname = \"to"));
    using Names = std::set<std::string>;
    const Names same{"alder", "short-jobs", "written-otherwise"};
    CHECK(book.onRootOf("alder") == same);
    CHECK(book.onRootOf("written-otherwise") == same);
    for (const char* alone : {"other-host", "other-user", "other-port", "other-root", "other-way", "torn", "local"})
        CHECK(book.onRootOf(alone) == Names{alone});
}

TEST_CASE("renaming takes no other site's name, and names lead out of the folder nowhere")
{
    const test::TemporaryFolder folder;
    const SiteBook book(folder / "sites");
    REQUIRE(book.save(named("alder")));
    REQUIRE(book.save(named("beech")));
    CHECK(book.rename("alder", "beech").error().code == ErrorCode::exists);
    REQUIRE(book.rename("alder", "cedar"));
    CHECK(book.find("cedar").value().host == "alder.example.org");
    CHECK(book.find("alder").error().code == ErrorCode::notFound);
    REQUIRE(writeFileAtomically(folder / "outside.toml", siteToToml(named("outside"))));
    CHECK(!book.find("../outside"));
    REQUIRE(book.remove("cedar"));
    CHECK(!book.remove("cedar"));
}
