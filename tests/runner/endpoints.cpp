// SPDX-License-Identifier: MIT
// By which of a host's interfaces its processes are reached, and reach others. Several real ones are made in a network
// namespace, in which this program starts itself again.
#include "agent/runner/endpoints.h"

#include "tests/support/runningtime.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <thread>

using namespace ringside;
using namespace ringside::runner;

namespace {

/// Two networks, and their other ends; `$0` runs between them.
constexpr const char* kTwoNetworks =
    "ip link set lo up && "
    "ip link add eth0 type veth peer name far0 && ip address add 192.0.2.1/24 dev eth0 && "
    "ip link add eth1 type veth peer name far1 && ip address add 198.51.100.1/24 dev eth1 && "
    "for end in eth0 far0 eth1 far1; do ip link set $end up || exit; done && exec ";

/// A name in one place, for a filter that meets no test passes.
constexpr const char* kInside = "on two networks an interface is the one by which a route leaves";

} // namespace

TEST_CASE("an interface is the one by which a route leaves")
{
    if (std::system("unshare -rn ip link >/dev/null") != 0) {
        MESSAGE("skipped: there are no network namespaces here, or no program ip");
        return;
    }
    const std::string self = fs::read_symlink("/proc/self/exe").string();
    REQUIRE(self.find('\'') == std::string::npos);
    const std::string inside = std::string(kTwoNetworks) + "\"$0\" --no-skip --test-case=\"" + kInside + "\"";
    CHECK(std::system(("unshare -rn sh -c '" + inside + "' '" + self + "'").c_str()) == 0);
}

TEST_CASE(kInside* doctest::skip())
{
    CHECK(ownAddress("").value().interface == "eth0");
    CHECK(ownAddress("eth1").value().address == "198.51.100.1");
    CHECK(ownAddressTowards("198.51.100.7").value().interface == "eth1");
    CHECK(ownAddressTowards("198.51.100.7").value().address == "198.51.100.1");
    CHECK(ownAddressTowards("198.51.100.1").value().interface == "eth1"); // on the host itself
    CHECK(ownAddressTowards("192.0.2.7").value().interface == "eth0");
    CHECK(ownAddressTowards("127.0.0.1").value().interface == "lo");
    CHECK(ownAddressTowards("203.0.113.7").value().interface == "eth0"); // no route
    CHECK(ownAddressTowards("login.example").value().interface == "eth0");
}

TEST_CASE("an interface that is not there, and a process that does not come, are named by the reason")
{
    const auto own = ownAddress("none0");
    REQUIRE_FALSE(own);
    CHECK(own.error() == because(why::kNoInterface, {{"interface", "none0"}}));
    const test::TemporaryFolder folder;
    const auto met =
        meet(folder.path(), 0, 2, {"192.0.2.1", 20'001}, std::chrono::milliseconds(0), [] { return false; });
    REQUIRE_FALSE(met);
    CHECK(met.error() == because(why::kNotMet, {{"process", 1}, {"processes", 2}, {"seconds", 0}}));
}

TEST_CASE("who waits for others looks as a network file system needs it: by a change to their folder")
{
    const test::TemporaryFolder folder;
    const jobs::Endpoint first{"192.0.2.1", 20'001}, second{"192.0.2.2", 20'002};
    const auto meetAs = [&](int process, const jobs::Endpoint& mine) {
        return meet(folder.path(), process, 2, mine, std::chrono::minutes(1), [] { return false; });
    };
    std::vector<jobs::Endpoint> met;
    std::thread early([&] { met = meetAs(0, first).value_or(std::vector<jobs::Endpoint>{}); });
    std::error_code ignored;
    CHECK(test::eventually(std::chrono::seconds(10), [&] { return fs::exists(folder / "endpoints/0", ignored); }));
    const auto written = fs::last_write_time(folder / "endpoints", ignored);
    CHECK(test::eventually(std::chrono::seconds(10),
                           [&] { return fs::last_write_time(folder / "endpoints", ignored) > written; }));
    const auto late = meetAs(1, second);
    early.join();
    REQUIRE(late);
    REQUIRE(met.size() == 2);
    CHECK(met[1].port == second.port);
    CHECK(late->at(0).address == first.address);
    CHECK_FALSE(fs::exists(folder / "endpoints/look"));
}
