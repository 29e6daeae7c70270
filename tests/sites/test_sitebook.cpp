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
    const auto entries = book.all();
    REQUIRE(entries.size() == 3);
    CHECK(entries[0].site.error().message.find("is a pipe") != std::string::npos);
    CHECK(entries[1].site.error().message.find("the name in it is “other”") != std::string::npos);
    CHECK(entries[2].site.error().message.find("torn.toml, line 2") != std::string::npos);
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
