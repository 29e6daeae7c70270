// SPDX-License-Identifier: MIT
// Endpoints by which the processes of a system reach each other. Each reserves an unused port, writes it to a file in
// the attempt's folder, and waits for the files of the others.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/files.h"
#include "core/jobs/programs/system.h"
#include "core/protocol/reason.h"

#include <chrono>
#include <functional>
#include <vector>

namespace ringside::runner {

/// A port reserved by this process until it is released. Bound but not listened to, so that no other process gets it.
struct HeldPort
{
    int port = 0;
    Descriptor socket;
};
/// Reserves a port that the system does not use for connections (/proc/sys/net/ipv4/ip_local_port_range), so none uses
/// it between its release and the system's own listening.
OrReason<HeldPort> takePort();

struct OwnAddress
{
    std::string address;
    std::string interface;
};
/// By which other hosts reach this one: of the interface that is named, else the first that runs and is neither
/// loopback nor link-local.
OrReason<OwnAddress> ownAddress(const std::string& interface);
/// From which this host speaks to `other`, a numeric IPv4 address: of the interface by which its route leaves, and of
/// an address of this host the interface that has it. Where there is no route: as ownAddress() says where none is
/// named.
OrReason<OwnAddress> ownAddressTowards(const std::string& other);

/// Blocks until all `processes` have said where they are, at most `limit`, or until `isToEnd` (asked ten times a
/// second) or the limit fails it: the reason names the first that is missing.
OrReason<std::vector<jobs::Endpoint>> meet(const fs::path& attempt, int process, int processes,
                                           const jobs::Endpoint& mine, std::chrono::milliseconds limit,
                                           const std::function<bool()>& isToEnd);

} // namespace ringside::runner
