// SPDX-License-Identifier: MIT
#include "agent/runner/endpoints.h"

#include "agent/runner/rankexit.h"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace ringside::runner {

namespace {

constexpr std::chrono::milliseconds kLook{100};
constexpr int kLooksPerForgetting = 10;
constexpr int kLowest = 10'000, kUsualFirst = 32'768;
constexpr int kTries = 200;
constexpr std::size_t kMostBytes = 200;
constexpr std::uint16_t kAnyPort = 9;

/// The first port that the kernel uses for connections.
int firstOfConnections()
{
    const auto text = readFile("/proc/sys/net/ipv4/ip_local_port_range", kMostBytes);
    int first = kUsualFirst;
    if (text)
        std::from_chars(text->data(), text->data() + text->size(), first);
    return first > kLowest + kTries ? first : kUsualFirst;
}

bool isBound(int socket, int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

fs::path folderOf(const fs::path& attempt)
{
    return attempt / "endpoints";
}

fs::path fileOf(const fs::path& attempt, int process)
{
    return folderOf(attempt) / std::to_string(process);
}

/// "10.0.0.3 20871".
std::optional<jobs::Endpoint> readEndpoint(const fs::path& file)
{
    const auto text = readFile(file, kMostBytes);
    const auto space = text ? text->find(' ') : std::string::npos;
    if (space == std::string::npos)
        return std::nullopt;
    jobs::Endpoint endpoint{text->substr(0, space), 0};
    const auto [end, error] = std::from_chars(text->data() + space + 1, text->data() + text->size(), endpoint.port);
    return error == std::errc() ? std::optional(endpoint) : std::nullopt;
}

std::string textOf(const sockaddr& address)
{
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
    return text;
}

/// Returns the first interface that is up and has an address for which `isIt` holds.
Result<std::optional<OwnAddress>> firstOf(const std::function<bool(const ifaddrs&, const std::string&)>& isIt)
{
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0)
        return fail(ErrorCode::unavailable,
                    fmt::format("The addresses of this host cannot be read: {}.", std::strerror(errno)));
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
    for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
        if (!(entry->ifa_flags & IFF_UP) || !entry->ifa_addr || entry->ifa_addr->sa_family != AF_INET)
            continue;
        if (const std::string address = textOf(*entry->ifa_addr); isIt(*entry, address))
            return OwnAddress{address, entry->ifa_name};
    }
    return std::nullopt;
}

/// The kernel chooses a route as soon as a datagram socket has a peer; nothing is sent.
std::optional<std::string> sourceTowards(const std::string& other)
{
    const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in there{}, here{};
    there.sin_family = AF_INET;
    there.sin_port = htons(kAnyPort);
    socklen_t length = sizeof here;
    if (::inet_pton(AF_INET, other.c_str(), &there.sin_addr) != 1 ||
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&here), &length) != 0)
        return std::nullopt;
    return textOf(reinterpret_cast<const sockaddr&>(here));
}

/// Bridges without a machine on them are up, but do not run; a link-local address is a service processor's.
bool leadsToOthers(const ifaddrs& entry)
{
    constexpr std::uint32_t kLinkLocal = 0xA9FE0000, kItsNetwork = 0xFFFF0000; // 169.254.0.0/16
    const auto address = ntohl(reinterpret_cast<const sockaddr_in*>(entry.ifa_addr)->sin_addr.s_addr);
    return (entry.ifa_flags & IFF_RUNNING) && !(entry.ifa_flags & IFF_LOOPBACK) &&
           (address & kItsNetwork) != kLinkLocal;
}

} // namespace

OrReason<HeldPort> takePort()
{
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0)
        return tl::unexpected(
            becauseOf({ErrorCode::unavailable, fmt::format("No socket can be made: {}.", std::strerror(errno)), {}}));
    std::random_device seed;
    std::uniform_int_distribution<int> any(kLowest, firstOfConnections() - 1);
    for (int i = 0; i < kTries; ++i)
        if (const int port = any(seed); isBound(socket.get(), port))
            return HeldPort{port, std::move(socket)};
    return tl::unexpected(because(why::kNoFreePort, {{"tried", kTries}}));
}

OrReason<OwnAddress> ownAddress(const std::string& interface)
{
    TRY_ASSIGN(const auto own, firstOf([&](const ifaddrs& entry, const std::string&) {
                                   return interface.empty() ? leadsToOthers(entry) : interface == entry.ifa_name;
                               }).map_error(becauseOf));
    if (own)
        return *own;
    return tl::unexpected(interface.empty() ? because(why::kNoAddress)
                                            : because(why::kNoInterface, {{"interface", interface}}));
}

OrReason<OwnAddress> ownAddressTowards(const std::string& other)
{
    const auto source = sourceTowards(other);
    TRY_ASSIGN(const auto own, firstOf([&](const ifaddrs&, const std::string& address) {
                                   return address == source;
                               }).map_error(becauseOf));
    return own ? *own : ownAddress({});
}

OrReason<std::vector<jobs::Endpoint>> meet(const fs::path& attempt, int process, int processes,
                                           const jobs::Endpoint& mine, std::chrono::milliseconds limit,
                                           const std::function<bool()>& isToEnd)
{
    TRY(makePrivateFolder(folderOf(attempt)).map_error(becauseOf));
    TRY(writeFileAtomically(fileOf(attempt, process), fmt::format("{} {}", mine.address, mine.port))
            .map_error(becauseOf));
    std::vector<jobs::Endpoint> endpoints;
    int looks = 0; // in vain; they are the clock, which stands still while a scheduler suspends the job
    while (static_cast<int>(endpoints.size()) < processes) {
        const int next = static_cast<int>(endpoints.size());
        if (auto endpoint = readEndpoint(fileOf(attempt, next))) {
            endpoints.push_back(std::move(*endpoint));
            continue;
        }
        if (isToEnd())
            return tl::unexpected(becauseOf({ErrorCode::cancelled, "The attempt ends.", {}}));
        if (looks * kLook > limit)
            return tl::unexpected(
                because(why::kNotMet, {{"process", next},
                                       {"processes", processes},
                                       {"seconds", std::chrono::duration_cast<std::chrono::seconds>(limit).count()}}));
        std::this_thread::sleep_for(kLook);
        if (++looks % kLooksPerForgetting == 0)
            forgetAbsentFiles(folderOf(attempt));
    }
    return endpoints;
}

} // namespace ringside::runner
