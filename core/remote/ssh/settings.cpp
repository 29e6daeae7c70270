// SPDX-License-Identifier: MIT
#include "core/remote/ssh/settings.h"

#include "core/base/environment.h"
#include "core/base/parsenumber.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/remote/ssh/evaluation.h"

#include <algorithm>
#include <charconv>
#include <sys/socket.h>

namespace ringside::ssh {

namespace {

using std::chrono::milliseconds;

/// ServerAliveInterval and ConnectTimeout are limited to these: 0 and an hour would both hide a dead link.
constexpr int kKeepAliveSeconds[] = {1, 60};
constexpr int kConnectSeconds[] = {2, 120};

/// Asked for by users and not done here, with what happens instead.
struct Ignored
{
    const char* keyword;
    std::vector<std::string_view> harmless; ///< values that ask for nothing
    const char* instead;
};
const Ignored kIgnored[] = {
    {"controlmaster", {"no", "false"}, Words::noop("Ringside keeps one connection of its own per site")},
    {"stricthostkeychecking",
     {"yes", "true", "ask"},
     Words::noop("an unknown key is always asked about, a changed one always refused")},
    {"gssapiauthentication", {"no"}, Words::noop("Ringside signs in by key, password or code")},
    {"pkcs11provider", {"none"}, Words::noop("load the card into ssh-agent")},
    {"checkhostip", {"no"}, Words::noop("a host's key is looked up by its name")},
    {"knownhostscommand", {"none"}, Words::noop("only the files of known hosts are read")},
};

/// A way to sign in, as PreferredAuthentications names it, and the keywords that turn it off.
struct MethodWords
{
    std::string_view name;
    SignInMethod method;
    std::vector<const char*> switches;
};
const MethodWords kMethods[] = {
    {"publickey", SignInMethod::publicKey, {"pubkeyauthentication"}},
    {"keyboard-interactive",
     SignInMethod::keyboardInteractive,
     {"kbdinteractiveauthentication", "challengeresponseauthentication"}},
    {"password", SignInMethod::password, {"passwordauthentication"}},
};
constexpr const char* kUsualMethods = "publickey,keyboard-interactive,password";

/// `what` is translated.
tl::unexpected<Error> wrong(const Value& value, const char* what)
{
    return fail(ErrorCode::usage,
                Words::tr("{}: “{}” is no {}.", value.place, plainText(value.words[0]), Words::translated(what)),
                Words::tr("Correct the file; “man ssh_config” lists what is possible."));
}

bool isOneOf(const Value* value, std::initializer_list<std::string_view> words)
{
    return value && std::ranges::find(words, value->words[0]) != words.end();
}

bool isOn(const Value* value)
{
    return isOneOf(value, {"yes", "true"});
}

bool isOff(const Value* value)
{
    return isOneOf(value, {"no", "false"});
}

/// The seconds in a unit of sshd_config(5), "TIME FORMATS"; 0 for what is none.
int secondsIn(char unit)
{
    constexpr std::pair<char, int> kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}, {'w', 604'800}};
    const auto found = std::ranges::find(kUnits, std::tolower(unit), [](const auto& each) { return each.first; });
    return found == std::end(kUnits) ? 0 : found->second;
}

/// "90" and "1m30"; nullopt for what is no time.
std::optional<std::int64_t> secondsOf(std::string_view text)
{
    std::int64_t sum = 0;
    while (!text.empty()) {
        int count = 0;
        const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
        text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
        const int unit = text.empty() ? 1 : secondsIn(text[0]);
        if (error != std::errc{} || count < 0 || unit == 0)
            return std::nullopt;
        sum += std::int64_t{count} * unit;
        text.remove_prefix(std::min<std::size_t>(text.size(), 1));
    }
    return sum;
}

Result<milliseconds> duration(const Value* value, const int (&limits)[2], int otherwise)
{
    if (!value || value->words[0] == "none")
        return std::chrono::seconds(otherwise);
    const auto seconds = secondsOf(value->words[0]);
    if (!seconds)
        return wrong(*value, Words::noop("number"));
    return std::chrono::seconds(*seconds == 0 ? otherwise : std::clamp<std::int64_t>(*seconds, limits[0], limits[1]));
}

Result<int> portOf(const Value* value)
{
    if (!value)
        return 22;
    const auto port = parseNumber<int>(value->words[0]);
    if (!port || *port < 1 || *port > 65'535)
        return wrong(*value, Words::noop("number"));
    return *port;
}

Result<int> addressFamilyOf(const Value* value)
{
    const std::string family = value ? lowerCase(value->words[0]) : "any";
    if (family == "any")
        return AF_UNSPEC;
    if (family == "inet" || family == "inet6")
        return family == "inet" ? AF_INET : AF_INET6;
    return wrong(*value, Words::noop("address family"));
}

/// The words of values as paths, by `toPath`; "none" is no path at all.
template <class ToPath> Result<std::vector<fs::path>> paths(const std::vector<Value>& values, ToPath toPath)
{
    std::vector<fs::path> result;
    for (const Value& value : values)
        for (const std::string& word : value.words) {
            if (word == "none")
                continue;
            TRY_ASSIGN(result.emplace_back(), toPath(value, word));
        }
    return result;
}

Result<void> setName(HostSettings& settings, const Values& found, const Target& target, const ConfigPlaces& places)
{
    settings.alias = target.host;
    const Value* name = found.find("hostname");
    settings.hostName = lowerCase(name ? name->words[0] : target.host);
    if (!isHostName(settings.hostName))
        return name ? wrong(*name, Words::noop("host name")) : checkHostName(target.host);
    const Value* user = found.find("user");
    settings.user = !target.user.empty() ? target.user : user ? user->words[0] : places.localUser;
    TRY(checkUserName(settings.user));
    TRY_ASSIGN(const int configured, portOf(found.find("port")));
    settings.port = target.port != 0 ? target.port : configured;
    TRY_ASSIGN(settings.addressFamily, addressFamilyOf(found.find("addressfamily")));
    settings.knownAs =
        settings.port == 22 ? settings.hostName : fmt::format("[{}]:{}", settings.hostName, settings.port);
    if (const Value* alias = found.find("hostkeyalias")) {
        if (!isHostName(alias->words[0]))
            return wrong(*alias, Words::noop("host name"));
        settings.knownAs = lowerCase(alias->words[0]);
        settings.hasKeyAlias = true;
    }
    return {};
}

/// As ssh names them, in the order in which it offers them.
std::vector<fs::path> usualKeys(const fs::path& folder)
{
    return {folder / "id_rsa", folder / "id_ecdsa", folder / "id_ed25519"};
}

/// The socket of the ssh-agent: a path, “$NAME”, “SSH_AUTH_SOCK” (which is what holds if none is set) or "none".
fs::path agentSocket(const Value* value, const fs::path& home)
{
    const std::string word = value ? value->words[0] : "SSH_AUTH_SOCK";
    if (word == "none")
        return {};
    const bool isVariable = word == "SSH_AUTH_SOCK" || word.starts_with('$');
    if (!isVariable)
        return withHome(word, home);
    const char* socket = environment(word.substr(word.starts_with('$') ? 1 : 0).c_str());
    return socket ? socket : "";
}

/// ssh uses the names of the system's files as they are; a relative one would begin at the current folder, which is
/// never looked at.
std::vector<fs::path> systemFiles(const Value* value, const ConfigPlaces& places)
{
    if (!value)
        return {places.systemKnownHosts, places.systemKnownHosts.string() + "2"};
    std::vector<fs::path> files(value->words.begin(), value->words.end());
    std::erase_if(files, [](const fs::path& file) { return !file.is_absolute(); });
    return files;
}

Result<void> setFiles(HostSettings& settings, const Values& found, const ConfigPlaces& places)
{
    const Tokens tokens = tokensFor(settings, places);
    const auto expanded = [&](const Value& value, const std::string& word) { return tokens.path(value, word); };
    const auto asGiven = [&](const Value&, const std::string& word) -> Result<fs::path> {
        return withHome(word, places.home);
    };
    const fs::path folder = places.home / ".ssh";
    TRY_ASSIGN(settings.knownHosts, paths(found.all("userknownhostsfile"), asGiven));
    if (!found.find("userknownhostsfile"))
        settings.knownHosts = {folder / "known_hosts", folder / "known_hosts2"};
    settings.systemKnownHosts = systemFiles(found.find("globalknownhostsfile"), places);
    TRY_ASSIGN(settings.identityFiles, paths(found.all("identityfile"), expanded));
    if (!found.find("identityfile"))
        settings.identityFiles = usualKeys(folder);
    TRY_ASSIGN(settings.certificateFiles, paths(found.all("certificatefile"), expanded));
    settings.agentSocket = agentSocket(found.find("identityagent"), places.home);
    return {};
}

void setNotes(HostSettings& settings, const Values& found)
{
    settings.notes = found.notes;
    for (const auto& [keyword, harmless, instead] : kIgnored) {
        const Value* value = found.find(keyword);
        if (value && std::ranges::find(harmless, value->words[0]) == harmless.end())
            settings.notes.push_back(
                Words::tr("{}: {} is not used: {}.", value->place, keyword, Words::translated(instead)));
    }
}

/// As PreferredAuthentications names them, less those that are turned off.
Result<void> setMethods(HostSettings& settings, const Values& found)
{
    const Value* preferred = found.find("preferredauthentications");
    bool knowsOne = false;
    for (const std::string& name : splitAtCommas(preferred ? preferred->words[0] : kUsualMethods)) {
        const auto known = std::ranges::find(kMethods, name, &MethodWords::name);
        if (known == std::end(kMethods))
            continue;
        knowsOne = true;
        const auto turnsOff = [&](const char* keyword) { return isOff(found.find(keyword)); };
        const bool isNew = std::ranges::find(settings.methods, known->method) == settings.methods.end();
        if (isNew && std::ranges::none_of(known->switches, turnsOff))
            settings.methods.push_back(known->method);
    }
    if (!knowsOne)
        return fail(ErrorCode::unavailable,
                    Words::tr("{}: PreferredAuthentications names no way to sign in that Ringside knows: {}.",
                              preferred->place, plainText(preferred->words[0])),
                    Words::tr("Add publickey, keyboard-interactive or password to it."));
    return {};
}

Result<void> setHabits(HostSettings& settings, const Values& found)
{
    settings.strictHostKeys = isOn(found.find("stricthostkeychecking"));
    settings.identitiesOnly = isOn(found.find("identitiesonly"));
    TRY(setMethods(settings, found));
    TRY_ASSIGN(settings.keepAlive, duration(found.find("serveraliveinterval"), kKeepAliveSeconds, 20));
    TRY_ASSIGN(settings.connectLimit, duration(found.find("connecttimeout"), kConnectSeconds, 15));
    for (const char* keyword : kAlgorithmKeywords)
        if (const Value* value = found.find(keyword))
            settings.algorithms[keyword] = value->words[0];
    setNotes(settings, found);
    return {};
}

/// Keys that are revoked in a file of their own would pass here unseen.
Result<void> checkRevokedKeys(const HostSettings& settings, const Values& found)
{
    const Value* file = found.find("revokedhostkeys");
    if (!file || file->words[0] == "none")
        return {};
    return fail(
        ErrorCode::unavailable,
        Words::tr("{}: RevokedHostKeys names a file of revoked host keys for {}, which Ringside does not read.",
                  file->place, settings.alias),
        Words::tr("Write these keys into a known_hosts file, each behind “@revoked *”, and leave the line out."));
}

/// The jump host of `ssh -W %h:%p host`, as configurations wrote it before ProxyJump; empty for anything else.
std::string jumpOfCommand(std::vector<std::string> words)
{
    std::erase(words, "-q");
    const auto forward = std::find(words.begin(), words.end(), "-W");
    if (words.size() != 4 || words[0] != "ssh" || forward + 1 >= words.end() || forward[1] != "%h:%p")
        return {};
    return forward == words.begin() + 1 ? words[3] : words[1];
}

Result<void> setJumps(HostSettings& settings, const Values& found)
{
    const Value* jump = found.find("proxyjump");
    const Value* command = found.find("proxycommand");
    std::string text = jump ? jump->words[0] : std::string("none");
    if (command && command->words[0] != "none") {
        text = jumpOfCommand(command->words);
        if (text.empty())
            return fail(ErrorCode::unavailable,
                        Words::tr("{}: {} is reached by a ProxyCommand, which Ringside does not run.", command->place,
                                  settings.alias),
                        Words::tr("If it goes through another host, name that one with ProxyJump."));
    }
    if (text == "none")
        return {};
    auto jumps = parseTargets(text);
    if (!jumps)
        return fail(ErrorCode::usage, fmt::format("{}: {}", (jump ? jump : command)->place, jumps.error().message),
                    jumps.error().hint);
    settings.jumps = std::move(*jumps);
    return {};
}

} // namespace

std::string HostSettings::place() const
{
    return port == 22 ? hostName : Words::tr("{}, port {}", hostName, port);
}

Result<HostSettings> namesFrom(const Values& values, const Target& target, const ConfigPlaces& places)
{
    HostSettings settings;
    TRY(setName(settings, values, target, places));
    TRY(setJumps(settings, values));
    if (const Value* hash = values.find(kConnectionHash))
        settings.connectionHash = hash->words[0];
    return settings;
}

Tokens tokensFor(const HostSettings& settings, const ConfigPlaces& places)
{
    return Tokens(
        {settings.alias, settings.hostName, settings.user, settings.hasKeyAlias ? settings.knownAs : std::string(),
         settings.jumps.empty() ? std::string() : settings.jumps.back().host, settings.connectionHash, settings.port},
        places);
}

Result<HostSettings> settingsFrom(const Values& values, const Target& target, const ConfigPlaces& places)
{
    TRY_ASSIGN(HostSettings settings, namesFrom(values, target, places));
    TRY(setFiles(settings, values, places));
    TRY(setHabits(settings, values));
    TRY(checkRevokedKeys(settings, values));
    return settings;
}

} // namespace ringside::ssh
