// SPDX-License-Identifier: MIT
// Whatever people type into an experiment and a site reaches the worker byte for byte, behind every login shell, or is
// refused with its field named before anything is sent. Nothing of it is ever executed.
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"
#include "core/spec/toml.h"
#include "tests/conductor/remotesession.h"
#include "tests/conductor/spoolcompare.h"
#include "tests/remote/ssh/commands.h"
#include "tests/support/built.h"
#include "tests/support/nastytext.h"
#include "tests/support/runningtime.h"

#include <fstream>

using namespace ringside;
using namespace ringside::test;

namespace {

/// Stands in a launch prefix: keeps its words and the variable ODD, skips as many words as its first one says, and goes
/// on with the rest.
constexpr const char* kRecorder = R"sh(#!/bin/sh
printf '%s\0' "$ODD" "$@" >"$RINGSIDE_ATTEMPT/words"
n=$1
shift "$n"
shift
exec "$@"
)sh";

std::string withZeros(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += word + '\0';
    return text;
}

/// All that a person may type, of the worst that is accepted.
struct Fields
{
    Fields(unsigned seed, const fs::path& home)
    {
        std::mt19937 random(seed);
        what = experiment("[1, 2]", 1, 4);
        what.name = nastyText(random);
        what.question = nastyText(random, 10'000) + "\nand\ta second line\n" + nastyText(random);
        what.fixed["data"] = "folder";
        what.fixed["data_path"] = "/data/" + nastyText(random, 4'000);
        root = home / nastyText(random) / nastyText(random);
        worker = home / nastyText(random) / nastyText(random);
        odd = nastyText(random, 4'000);
        words = {nastyText(random, 4'000), nastyText(random), "--" + nastyText(random)};
        std::string name = nastyText(random);
        std::erase(name, '='); // env would set a variable of that name
        recorder = home / name;
    }

    void describe(Site& site) const
    {
        site.root = root.string();
        site.worker = worker.string();
        site.launchPrefix = {"env", "ODD=" + odd, recorder.string(), std::to_string(words.size())};
        site.launchPrefix.insert(site.launchPrefix.end(), words.begin(), words.end());
    }

    /// The programs that the fields name.
    void putThere() const
    {
        const auto everybody = fs::perms::all & ~fs::perms::group_write & ~fs::perms::others_write;
        fs::create_directories(worker.parent_path());
        fs::copy_file(testProgram("testworker"), worker);
        std::ofstream(recorder) << kRecorder;
        fs::permissions(worker, everybody);
        fs::permissions(recorder, everybody);
    }

    spec::Experiment what;
    fs::path root;
    fs::path worker;
    fs::path recorder;
    std::string odd;
    std::vector<std::string> words;
};

/// A user with that login shell.
struct ShellSession : Session
{
    explicit ShellSession(const std::string& shell)
        : Session(true, {.config = {}, .hostKeys = {"ed25519"}, .pamLine = {}, .shells = {shell}})
        , user(shell + "-user")
    {
    }

    void describe(const Fields& fields)
    {
        const SiteBook book(folder / "sites");
        Site site = must(book.find(kSite));
        site.user = user;
        fields.describe(site);
        must(book.save(site));
        CHECK(must(book.find(kSite)) == site);
    }

    void requireDone(const std::string& name)
    {
        decltype(sink.rows) rows;
        REQUIRE(sink.waitUntil([&] {
            rows = sink.rows; // the sink still gets rows of other runs when the wait is over
            return std::ranges::count_if(rows, [&](const auto& row) {
                       return row.second.experiment == name && isFinal(row.second.state);
                   }) == 2;
        }));
        for (const auto& [id, run] : rows)
            REQUIRE_MESSAGE(run.state == RunState::done, toText(run.reason.value_or(Reason())));
        must(conductor->collect());
        // Its runner may still be there. A campaign that goes on below the root of before is waited for.
        const auto haveEnded = [this] { return must(store::campaigns(reader(), true)).empty(); };
        REQUIRE(eventually(std::chrono::seconds(30), haveEnded));
    }

    std::string user;
};

bool wasExecuted(const fs::path& folder)
{
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename() == "pwned")
            return true;
    return false;
}

CampaignPlan planBelow(const fs::path& root)
{
    const fs::directory_iterator campaigns(layout::campaignsFolder(root));
    REQUIRE(campaigns != fs::directory_iterator());
    return must(planFromJson(must(readFile(layout::planFile(campaigns->path())))));
}

/// The words of the launch prefix and of the worker behind it, as the recorder got them.
void requireWords(const Fields& fields, const CampaignPlan& plan, const RunSpec& run)
{
    const fs::path attempt = layout::attemptFolder(fields.root, run.id, 1);
    const fs::path planFile = layout::planFile(layout::campaignFolder(fields.root, plan.campaign));
    std::vector<std::string> words{fields.odd, std::to_string(fields.words.size())};
    words.insert(words.end(), fields.words.begin(), fields.words.end());
    words.insert(words.end(), {fields.worker.string(), "train", "--plan", planFile.string(), "--run", run.id.str(),
                               "--attempt", attempt.string()});
    CHECK(must(readFile(attempt / "words")) == withZeros(words));
}

void requireArrived(const ShellSession& session, const Fields& fields)
{
    const CampaignPlan plan = planBelow(fields.root);
    CHECK(plan.experiment == fields.what.name);
    CHECK(plan.worker == fields.worker.string());
    REQUIRE(plan.runs.size() == 2);
    CHECK(plan.runs[0].settings->at("data_path") == fields.what.fixed.at("data_path"));

    for (const RunSpec& run : plan.runs)
        requireWords(fields, plan, run);
    const auto kept = must(store::experimentText(session.reader(), fields.what.name));
    CHECK(must(spec::parseExperiment(kept, "kept")).question == fields.what.question);
}

} // namespace

TEST_CASE("what is typed arrives byte for byte and is never executed, whatever the login shell")
{
    for (const std::string shell : {"bash", "dash", "tcsh", "zsh", "fish"}) {
        if (!fs::exists("/bin/" + shell)) {
            CHECK_MESSAGE(!environment("RINGSIDE_CI"), shell, " is not installed");
            MESSAGE("skipped ", shell, ": not installed");
            continue;
        }
        ShellSession session(shell);
        REQUIRE_SSHD(session.sshd);
        for (unsigned seed = 1; seed <= 3; ++seed) {
            CAPTURE(shell);
            CAPTURE(seed);
            const Fields fields(seed, session.sshd.file("home"));
            fields.putThere();
            session.describe(fields);
            if (!session.conductor)
                session.start();
            must(session.launch(fields.what));
            session.requireDone(fields.what.name);
            requireArrived(session, fields);
            CHECK_FALSE(wasExecuted(session.sshd.file("home")));
            CHECK_FALSE(wasExecuted(session.folder.path()));
        }
        CHECK_FALSE(fs::exists("pwned"));
        CHECK_FALSE(fs::exists("/pwned"));
    }
}

TEST_CASE("what a plan cannot hold is refused by its name before anything of it is kept or sent")
{
    Session session;
    REQUIRE_SSHD(session.sshd);
    session.start();
    const auto refusalOf = [&](const spec::Experiment& what) {
        const auto saved = session.conductor->saveExperiment(what);
        const auto launched = saved ? session.launch(what) : saved;
        REQUIRE_FALSE(launched);
        CHECK(launched.error().code == ErrorCode::usage);
        CHECK(session.runs().empty());
        CHECK(must(store::campaigns(session.reader())).empty());
        CHECK_FALSE(fs::exists(layout::campaignsFolder(session.thereRoot)));
        return launched.error().text();
    };
    spec::Experiment what = experiment("[1]", 1, 4);
    what.name = std::string(10'000, 'n');
    CHECK(refusalOf(what).find("experiment: expected a text of at most 200 bytes") != std::string::npos);

    for (const std::string& folder : {std::string(10'000, 'd'), std::string("\xff\xfe"), std::string("a\nb"),
                                      std::string("\x1b[2J"), std::string("a\0b", 3)}) {
        what = experiment("[1]", 1, 4);
        what.fixed["data"] = "folder";
        what.fixed["data_path"] = "/data/" + folder;
        CHECK(refusalOf(what).starts_with("Data folder: it is too long or has control characters."));
    }
}
