// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <netinet/in.h>

namespace ringside::test {

/// A port of this computer; 0 for one that is free.
inline sockaddr_in loopback(int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

} // namespace ringside::test
