// SPDX-License-Identifier: MIT
// A program with a conductor in it, to be killed: does of an experiment what is missing, then ends.
// usage: killprobe collects|leaves FILE --store STORE     the site is that of XDG_DATA_HOME
#define DOCTEST_CONFIG_IMPLEMENT // the fixture needs doctest, but not its main()
#include <doctest/doctest.h>

#include "core/base/environment.h"
#include "core/base/say.h"
#include "core/spec/toml.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/support/built.h"
#include "tests/support/exitcodes.h"

#include <algorithm>
#include <thread>

using namespace ringside;
using namespace ringside::test;

namespace {

bool isOver(const fs::path& store)
{
    const auto db = store::Database::openForReading(store);
    const auto rows = db ? store::runs(*db) : tl::unexpected(db.error());
    return rows && std::ranges::all_of(*rows, [](const auto& row) { return isFinal(row.state); });
}

bool isLossOfContact(const Error& error)
{
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::timeout;
}

/// Contact was lost before the launch was answered. What is stored by then is submitted once contact is back.
bool isTriedAgain(const Error& error, const fs::path& store)
{
    return isLossOfContact(error) && !isOver(store);
}

/// A relay that was killed meanwhile is started again.
Result<void> collect(WaitingConductor& conductor)
{
    for (;;)
        if (auto collected = conductor.collect(); collected || !isLossOfContact(collected.error()))
            return collected;
}

Result<void> carryOut(const ConductorOptions& options, const spec::Experiment& wanted, bool collects)
{
    RecordingSink sink;
    TRY_ASSIGN(const std::unique_ptr<WaitingConductor> conductor, WaitingConductor::open(options, sink));
    if (auto launched = conductor->launch(launchOf(wanted, spec::kLocalSite));
        !launched && !isTriedAgain(launched.error(), options.store))
        return launched;
    while (!isOver(options.store))
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return collects ? collect(*conductor) : Result<void>();
}

} // namespace

int main(int count, char** arguments)
{
    const char* data = environment("XDG_DATA_HOME");
    if (count != 5 || !data)
        return 2;
    const auto wanted = spec::parseExperiment(readFile(arguments[2]).value_or(""));
    const ConductorOptions options{
        arguments[4], fs::path(data) / "ringside", builtProgram("ringside-agent"), testProgram("testworker"), {},
        nullptr};
    if (!wanted)
        return 2;
    const auto ended = carryOut(options, *wanted, arguments[1] == std::string_view("collects"));
    if (ended)
        return 0;
    sayError("{}", ended.error().text());
    return isLossOfContact(ended.error()) ? kExitUnavailable : 1;
}
