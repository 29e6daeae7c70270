// SPDX-License-Identifier: MIT
// Contact with a site goes and comes: the lines that a command says meanwhile.
#include "app/cli/contact.h"
#include "app/cli/watcher.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::cli;
using namespace std::chrono_literals;

namespace {

using State = SiteStatus::Contact;
using Line = std::optional<std::string>;

const Line kNoNews;
const Line kBack = "Contact is back.";
const Error kFailure{ErrorCode::unavailable, "alder does not answer.", "Look at it."};

SiteStatus status(State state, const std::string& text = {})
{
    return {"alder", state, 1, text};
}

struct Losses
{
    Line on(State state, const std::string& text = {}) { return contact.update(status(state, text)); }

    Contact contact{0s};
};

} // namespace

TEST_CASE_FIXTURE(Losses, "a site that is connected to for the first time is no news")
{
    CHECK(contact.begin(std::nullopt, std::nullopt) == kNoNews);
    CHECK(on(State::connecting, "connecting") == kNoNews);
    CHECK(on(State::connected, "2 cores") == kNoNews);
    CHECK_FALSE(contact.isGivenUp());
}

TEST_CASE_FIXTURE(Losses, "contact that is lost is said once, however often it is tried again, and when it is back")
{
    for (int times = 0; times < 2; ++times) {
        CHECK(on(State::lost, "No answer.") == "ringside-cli: No answer. Retrying for 0 s.");
        CHECK(on(State::connecting) == kNoNews);
        CHECK(on(State::lost, "Refused.") == kNoNews);
        CHECK(contact.isGivenUp());
        CHECK(contact.why() == "The site has not answered for 0 s.");
        CHECK(on(State::connecting) == kNoNews);
        CHECK(on(State::connected) == kBack);
        CHECK_FALSE(contact.isGivenUp());
        CHECK(on(State::connected) == kNoNews);
    }
}

TEST_CASE_FIXTURE(Losses, "it is said why contact that was lost does not come back by itself, and what to do")
{
    const std::string text = "The host key of alder is another one. Ask its administrator.";
    State state = State::lost;
    SUBCASE("a person has to sign in")
    {
        state = State::needsPerson;
    }
    SUBCASE("the host's key is refused")
    {
        state = State::refused;
    }
    REQUIRE(state != State::lost);
    on(State::lost, "No answer.");
    on(State::connecting);
    CHECK(on(state, text) == "ringside-cli: " + text);
    CHECK(on(state, text) == kNoNews);
    CHECK(contact.isGivenUp());
    CHECK(contact.why() == "Contact does not come back by itself: " + text);
    CHECK(on(State::connected) == kBack);
}

TEST_CASE("the limit counts from the loss, and not from the latest try")
{
    Contact contact{1h};
    contact.update(status(State::lost, "No answer."));
    CHECK_FALSE(contact.isGivenUp());
    CHECK(contact.update(status(State::needsPerson, "Sign in.")) == "ringside-cli: Sign in.");
    CHECK_FALSE(contact.isGivenUp());
}

TEST_CASE_FIXTURE(Losses, "of a launch that failed the reason is said once, and nothing is back that was not lost")
{
    SUBCASE("contact was lost")
    {
        CHECK(contact.begin(status(State::lost, kFailure.text()), kFailure) ==
              "ringside-cli: alder does not answer. Look at it. Retrying for 0 s.");
        CHECK(on(State::connected) == kBack);
    }
    SUBCASE("it is being tried again already")
    {
        CHECK(contact.begin(status(State::connecting), kFailure) ==
              "ringside-cli: alder does not answer. Look at it. Retrying for 0 s.");
        CHECK(on(State::connected) == kBack);
    }
    SUBCASE("only a person can bring it back")
    {
        CHECK(contact.begin(status(State::refused, "Another key."), kFailure) == "ringside-cli: Another key.");
    }
    SUBCASE("it is there")
    {
        CHECK(contact.begin(status(State::connected), kFailure) == "ringside-cli: alder does not answer. Look at it.");
        CHECK_FALSE(contact.isGivenUp());
        CHECK(on(State::connected) == kNoNews);
    }
}

TEST_CASE("the latest status of a site takes the place of those before it, and of no other site's")
{
    Watcher watcher;
    CHECK_FALSE(watcher.takeStatus("alder"));
    watcher.siteChanged(status(State::connected));
    watcher.siteChanged({"beech", State::lost, 1, "No answer."});
    watcher.siteChanged(status(State::lost, "No answer."));
    const auto latest = watcher.takeStatus("alder");
    REQUIRE(latest);
    CHECK(latest->contact == State::lost);
    const Watcher::News news = watcher.next(0ms);
    REQUIRE(news.sites.size() == 1);
    CHECK(news.sites[0].name == "beech");
    CHECK(watcher.takeStatus("alder")->contact == State::lost); // known, though no news
}
