// SPDX-License-Identifier: MIT
#include "core/base/networklinks.h"

#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;

TEST_CASE("links are listed with the speeds that their drivers report")
{
    const test::TemporaryFolder sys;
    const auto file = [&](const fs::path& path, const char* text) {
        fs::create_directories((sys / path).parent_path());
        std::ofstream(sys / path) << text << "\n";
    };
    for (const auto& [name, state, speed] :
         {std::tuple("lo", "unknown", "0"), std::tuple("eth1", "up", "10000"), std::tuple("eth0", "up", "1000"),
          std::tuple("wlan0", "down", "300"), std::tuple("veth0", "up", "-1")}) {
        file(fs::path("class/net") / name / "operstate", state);
        file(fs::path("class/net") / name / "speed", speed);
    }
    file("class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)");
    file("class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
    file("class/infiniband/mlx5_1/ports/1/rate", "100 Gb/sec (4X EDR)");
    file("class/infiniband/mlx5_1/ports/1/state", "1: DOWN");
    CHECK(networkLinks(sys.path()) == "eth0 1000 Mbit/s, eth1 10000 Mbit/s, veth0, mlx5_0 100 Gb/sec (4X EDR)");
    CHECK(networkLinks(sys / "nowhere").empty());
}

TEST_CASE("an interface is known to UCX and NCCL by the adapter behind it")
{
    const test::TemporaryFolder sys;
    const auto addAdapter = [&](const char* interface, const char* adapter, const char* port) {
        fs::create_directories(sys / "class/net" / interface / "device/infiniband" / adapter);
        std::ofstream(sys / "class/net" / interface / "dev_port") << port << "\n";
    };
    fs::create_directories(sys / "class/net/eth0/device");
    addAdapter("ib0", "mlx5_0", "0");
    addAdapter("ib1", "mlx4_0", "1"); // both ports of an old adapter are one device
    fs::create_directories(sys / "class/net/bond0.7/lower_bond0");
    fs::create_directories(sys / "class/net/bond0/lower_eth0");
    fs::create_directories(sys / "class/net/bond0/lower_ib0");
    CHECK(adapterPortOf("bond0.7", sys.path()) == "mlx5_0:1"); // a VLAN on a bond
    CHECK(adapterPortOf("ib0", sys.path()) == "mlx5_0:1");
    CHECK(adapterPortOf("ib1", sys.path()) == "mlx4_0:2");
    CHECK_FALSE(adapterPortOf("eth0", sys.path()));
    CHECK_FALSE(adapterPortOf("none0", sys.path()));
    auto variables = variablesOfInterface("ib1", sys.path());
    CHECK(variables.at("UCX_NET_DEVICES") == "mlx4_0:2,ib1");
    CHECK(variables.at("NCCL_IB_HCA") == "=mlx4_0:2");
    CHECK_FALSE(variables.contains("NCCL_IB_DISABLE"));
    variables = variablesOfInterface("eth0", sys.path());
    CHECK(variables.at("NCCL_IB_DISABLE") == "1");
    CHECK(variables.at("GLOO_SOCKET_IFNAME") == "eth0");
    for (const char* variable : {"FI_TCP_IFACE", "FI_SOCKETS_IFACE", "FI_VERBS_IFACE"})
        CHECK(variables.at(variable) == "eth0");
}
