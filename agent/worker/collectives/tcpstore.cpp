// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/tcpstore.h"

#include "core/base/retrywhilediskfull.h"
#include "core/base/sha256.h"

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <sys/random.h>

namespace ringside {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kDigestText = 64;
constexpr std::uint32_t kMaxText = 64u << 10; // a name, or a value; what comes before the proof is of fixed length
constexpr milliseconds kServed{10'000};       // between the bytes of a request
constexpr milliseconds kLook{50};
constexpr milliseconds kAgain{200}; // before the addresses are tried once more
constexpr std::string_view kHello = "ringside-rank-2\n";
constexpr std::size_t kRankText = 8;
constexpr std::byte kWelcome{1};

Result<std::string> randomHex()
{
    std::array<unsigned char, kSecretBytes> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return fail(ErrorCode::unavailable, "The system returned no random bytes.");
    std::string text;
    for (const unsigned char byte : bytes)
        text += fmt::format("{:02x}", byte);
    return text;
}

std::span<const std::byte> bytesOf(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

Result<std::string> readText(TcpSocket& socket, std::size_t length, Deadline deadline)
{
    std::string text(length, '\0');
    TRY(socket.read(std::as_writable_bytes(std::span(text)), deadline));
    return text;
}

Result<void> writeWord(TcpSocket& socket, std::string_view text, Deadline deadline)
{
    const auto length = static_cast<std::uint32_t>(text.size());
    TRY(socket.write(std::as_bytes(std::span(&length, 1)), deadline)); // ranks of one attempt have one byte order
    return socket.write(bytesOf(text), deadline);
}

Result<std::string> readWord(TcpSocket& socket, Deadline deadline)
{
    std::uint32_t length = 0;
    TRY(socket.read(std::as_writable_bytes(std::span(&length, 1)), deadline));
    if (length > kMaxText)
        return fail(ErrorCode::damaged, "A rank sent a word that is too long.");
    return readText(socket, length, deadline);
}

/// Compares in constant time, so that the time does not reveal the secret.
bool same(std::string_view a, std::string_view b)
{
    unsigned different = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return different == 0;
}

std::string textOf(std::uint32_t rank)
{
    return fmt::format("{:08x}", rank);
}

tl::unexpected<Error> rejected()
{
    return fail(ErrorCode::permission, "The other side is not a rank of this attempt.");
}

} // namespace

Result<Token> Token::random()
{
    TRY_ASSIGN(std::string text, randomHex());
    return Token(std::move(text));
}

Result<Token> Token::fromText(std::string text)
{
    if (text.size() != 2 * kSecretBytes || text.find_first_not_of("0123456789abcdef") != text.npos)
        return fail(ErrorCode::damaged, "The secret of the ranks is invalid.");
    return Token(std::move(text));
}

std::string Token::proofOf(std::string_view role, Route route, const std::string& connector,
                           const std::string& acceptor) const
{
    return hmacSha256Of(m_text, std::string(role) + textOf(route.from) + textOf(route.to) + connector + acceptor);
}

Result<void> Token::proveAsConnector(TcpSocket& socket, Route route, Deadline proof, Deadline welcome) const
{
    TRY_ASSIGN(const std::string mine, randomHex());
    TRY(socket.write(bytesOf(std::string(kHello) + textOf(route.from) + mine), proof));
    TRY_ASSIGN(const std::string theirs, readText(socket, 2 * kSecretBytes, proof));
    TRY_ASSIGN(const std::string shown, readText(socket, kDigestText, proof));
    if (!same(shown, proofOf("acceptor", route, mine, theirs)))
        return rejected();
    TRY(socket.write(bytesOf(proofOf("connector", route, mine, theirs)), welcome));
    std::byte word{};
    return socket.read({&word, 1}, welcome);
}

Result<std::uint32_t> Token::proveAsAcceptor(TcpSocket& socket, std::uint32_t self, Deadline deadline) const
{
    TRY_ASSIGN(const std::string hello, readText(socket, kHello.size(), deadline));
    if (hello != kHello)
        return rejected();
    TRY_ASSIGN(const std::string rank, readText(socket, kRankText, deadline));
    const Route route{static_cast<std::uint32_t>(std::strtoul(rank.c_str(), nullptr, 16)), self};
    TRY_ASSIGN(const std::string theirs, readText(socket, 2 * kSecretBytes, deadline));
    TRY_ASSIGN(const std::string mine, randomHex());
    TRY(socket.write(bytesOf(mine + proofOf("acceptor", route, theirs, mine)), deadline));
    TRY_ASSIGN(const std::string shown, readText(socket, kDigestText, deadline));
    if (!same(shown, proofOf("connector", route, theirs, mine)))
        return rejected();
    return route.from;
}

Result<void> Token::welcome(TcpSocket& socket)
{
    return socket.write({&kWelcome, 1}, deadlineIn(milliseconds(0))); // there is room: little was sent before
}

std::string MeetingPoint::text() const
{
    return fmt::format("{} {}", port, fmt::join(addresses, " "));
}

Result<MeetingPoint> MeetingPoint::fromText(std::string_view text)
{
    MeetingPoint point;
    std::size_t at = text.find(' ');
    const auto number = std::string(text.substr(0, at));
    char* end = nullptr;
    const unsigned long port = std::strtoul(number.c_str(), &end, 10);
    if (at == text.npos || number.empty() || *end != '\0' || port == 0 || port > 65'535)
        return fail(ErrorCode::damaged, "A rank's address is invalid.");
    point.port = static_cast<std::uint16_t>(port);
    while (at != text.npos) {
        const std::size_t next = text.find(' ', at + 1);
        point.addresses.emplace_back(text.substr(at + 1, next == text.npos ? text.npos : next - at - 1));
        at = next;
    }
    return point;
}

Result<TcpSocket> MeetingPoint::connect(const Token& token, Route route, Deadline deadline,
                                        const MeetingLimits& limits) const
{
    for (;;) {
        auto socket = tryEach(token, route, deadline, limits);
        if (socket || socket.error().code == ErrorCode::permission || deadlineIn(kAgain) >= deadline)
            return socket;
        std::this_thread::sleep_for(kAgain);
    }
}

/// The address of a rejected peer says nothing of the others, so their errors count more.
Result<TcpSocket> MeetingPoint::tryEach(const Token& token, Route route, Deadline deadline,
                                        const MeetingLimits& limits) const
{
    std::optional<Error> last;
    for (const std::string& address : addresses) {
        auto socket = TcpSocket::connect(address, port, std::min(deadline, deadlineIn(limits.address)));
        const Deadline proof = std::min(deadline, deadlineIn(limits.proof));
        const auto proven = socket ? token.proveAsConnector(*socket, route, proof, deadline)
                                   : Result<void>(tl::unexpected(socket.error()));
        if (proven)
            return socket;
        if (!last || proven.error().code != ErrorCode::permission)
            last = proven.error();
    }
    return tl::unexpected(last.value_or(Error{ErrorCode::unavailable, "A rank has no address.", {}}));
}

Result<std::unique_ptr<TcpStore>> TcpStore::serve(const MeetingLimits& limits)
{
    TRY_ASSIGN(TcpListener listener, TcpListener::open());
    TRY_ASSIGN(Token token, Token::random());
    const MeetingPoint point{ownAddresses(), listener.port()};
    std::string invitation = token.text() + "\n" + point.text() + "\n";
    return std::unique_ptr<TcpStore>(
        new TcpStore(std::move(listener), std::move(token), std::move(invitation), limits));
}

Result<std::unique_ptr<TcpStore>> TcpStore::serve(const fs::path& file, const MeetingLimits& limits)
{
    TRY_ASSIGN(auto store, serve(limits));
    TRY(retryWhileDiskFull(kDiskFullPatience, [&] { return writeFileAtomically(file, store->invitation()); }));
    return store;
}

TcpStore::TcpStore(TcpListener listener, Token token, std::string invitation, const MeetingLimits& limits)
    : m_token(std::move(token))
    , m_invitation(std::move(invitation))
    , m_limits(limits)
    , m_acceptor(std::move(listener),
                 [this](TcpSocket& socket, std::stop_token stop) { talk(socket, std::move(stop)); })
{
}

std::size_t TcpStore::refused() const
{
    const std::lock_guard lock(m_mutex);
    return m_refused;
}

void TcpStore::talk(TcpSocket& socket, std::stop_token stop)
{
    const std::stop_callback hangUp(stop, [&] { socket.hangUp(); });
    if (!m_token.proveAsAcceptor(socket, Route::kNone, deadlineIn(m_limits.proof)) || !Token::welcome(socket)) {
        const std::lock_guard lock(m_mutex);
        ++m_refused;
        return;
    }
    while (!stop.stop_requested() && answer(socket, stop)) {
    }
}

/// One request: its kind, a name, and what goes with it.
Result<void> TcpStore::answer(TcpSocket& socket, std::stop_token stop)
{
    std::byte first{};
    TRY(socket.read(std::span(&first, 1), Deadline::max()));
    TRY_ASSIGN(const std::string key, readWord(socket, deadlineIn(kServed)));
    if (static_cast<char>(first) == 's') {
        TRY_ASSIGN(std::string value, readWord(socket, deadlineIn(kServed)));
        {
            const std::lock_guard lock(m_mutex);
            m_values[key] = std::move(value);
        }
        m_changed.notify_all();
        return writeWord(socket, {}, deadlineIn(kServed));
    }
    TRY_ASSIGN(const std::string value, waitFor(key, stop));
    return writeWord(socket, value, deadlineIn(kServed));
}

Result<std::string> TcpStore::waitFor(const std::string& key, std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait(lock, stop, [&] { return m_values.contains(key); }))
        return fail(ErrorCode::cancelled, "The store ends.");
    return m_values[key];
}

Result<TcpStoreClient> TcpStoreClient::connect(const fs::path& file, Deadline deadline, const MeetingLimits& limits)
{
    for (;;) {
        if (const auto invitation = readFile(file, kMaxText))
            return follow(*invitation, deadline, limits);
        if (std::chrono::steady_clock::now() >= deadline)
            return fail(ErrorCode::timeout,
                        fmt::format("Rank 0 did not say where it can be reached ({}).", file.string()),
                        "See its log, and whether all hosts see this folder.");
        std::this_thread::sleep_for(kLook);
    }
}

Result<TcpStoreClient> TcpStoreClient::follow(const std::string& invitation, Deadline deadline,
                                              const MeetingLimits& limits)
{
    const std::size_t line = invitation.find('\n');
    TRY_ASSIGN(Token token, Token::fromText(invitation.substr(0, line)));
    const auto rest = line == invitation.npos ? std::string_view() : std::string_view(invitation).substr(line + 1);
    TRY_ASSIGN(const MeetingPoint point, MeetingPoint::fromText(rest.substr(0, rest.find('\n'))));
    TRY_ASSIGN(TcpSocket socket, point.connect(token, Route{}, deadline, limits));
    return TcpStoreClient(std::move(socket), std::move(token));
}

Result<void> TcpStoreClient::set(const std::string& key, const std::string& value)
{
    const Deadline deadline = deadlineIn(kServed);
    TRY(m_socket.write(bytesOf("s"), deadline));
    TRY(writeWord(m_socket, key, deadline));
    TRY(writeWord(m_socket, value, deadline));
    TRY_ASSIGN(const std::string confirmed, readWord(m_socket, deadline));
    return confirmed.empty() ? Result<void>() : fail(ErrorCode::damaged, "The store did not answer.");
}

Result<std::string> TcpStoreClient::get(const std::string& key, Deadline deadline)
{
    TRY(m_socket.write(bytesOf("g"), deadline));
    TRY(writeWord(m_socket, key, deadline));
    return readWord(m_socket, deadline);
}

} // namespace ringside
