// SPDX-License-Identifier: MIT
#include "core/remote/ssh/settings.h"

#include "core/base/environment.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <unistd.h>

namespace ringside::ssh {

namespace {

using std::chrono::milliseconds;

/// ServerAliveInterval and ConnectTimeout are taken within these: 0 and an hour would both hide a dead link.
constexpr int kKeepAliveSeconds[] = {1, 60};
constexpr int kConnectSeconds[] = {2, 120};

constexpr const char* kAlgorithmKeywords[] = {"ciphers", "macs", "kexalgorithms", "hostkeyalgorithms",
                                              "pubkeyacceptedalgorithms"};

/// Asked for by users and not done here, with what happens instead.
struct Ignored
{
    const char* keyword;
    std::vector<std::string_view> harmless; ///< values that ask for nothing
    const char* instead;
};
const Ignored kIgnored[] = {
    {"controlmaster", {"no"}, Words::noop("Ringside keeps one connection of its own per site")},
    {"stricthostkeychecking",
     {"yes", "ask"},
     Words::noop("an unknown key is always asked about, a changed one always refused")},
    {"gssapiauthentication", {"no"}, Words::noop("Ringside signs in by key, password or code")},
    {"pkcs11provider", {"none"}, Words::noop("load the card into ssh-agent")},
    {"knownhostscommand", {"none"}, Words::noop("nothing in a configuration is executed")},
};

/// `what` is translated.
tl::unexpected<Error> wrong(const Directive& directive, const char* what)
{
    return fail(
        ErrorCode::usage,
        Words::tr("{}: “{}” is no {}.", directive.place(), plainText(directive.words[0]), Words::translated(what)),
        Words::tr("Correct the file; “man ssh_config” lists what is possible."));
}

bool says(const Evaluation& found, const char* keyword, std::string_view word)
{
    const Directive* directive = found.find(keyword);
    return directive && directive->words[0] == word;
}

Result<int> number(const Evaluation& found, const char* keyword, int low, int high, int otherwise)
{
    const Directive* directive = found.find(keyword);
    if (!directive)
        return otherwise;
    const std::string& word = directive->words[0];
    int value = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || rest != word.data() + word.size() || value < 0)
        return wrong(*directive, Words::noop("number"));
    return value == 0 ? otherwise : std::clamp(value, low, high);
}

/// Replaces %d, %h, …, a leading "~/" and ${NAME} in a path of the configuration.
class PathExpander
{
public:
    PathExpander(const HostSettings& settings, const ConfigPlaces& places)
        : m_home(places.home)
        , m_tokens{{'%', "%"},
                   {'d', places.home.string()},
                   {'h', settings.hostName},
                   {'i', std::to_string(::getuid())},
                   {'n', settings.alias},
                   {'p', std::to_string(settings.port)},
                   {'r', settings.user},
                   {'u', places.localUser}}
    {
    }

    Result<fs::path> expand(const Directive& directive, const std::string& word) const
    {
        std::string path;
        for (std::size_t i = 0; i < word.size(); ++i) {
            if (word[i] != '%') {
                path += word[i];
                continue;
            }
            const auto token = i + 1 < word.size() ? m_tokens.find(word[++i]) : m_tokens.end();
            if (token == m_tokens.end())
                return fail(
                    ErrorCode::usage,
                    Words::tr("{}: “{}” has a % that Ringside does not know.", directive.place(), plainText(word)),
                    Words::tr("Write the path out."));
            path += token->second;
        }
        return absolute(withVariables(path));
    }

private:
    fs::path absolute(const std::string& path) const
    {
        return path.starts_with("~/") ? m_home / path.substr(2) : m_home / path; // an absolute path replaces the home
    }

    static std::string withVariables(std::string text)
    {
        for (std::size_t begin = 0; (begin = text.find("${", begin)) != std::string::npos;) {
            const auto end = text.find('}', begin);
            if (end == std::string::npos)
                break;
            const char* value = environment(text.substr(begin + 2, end - begin - 2).c_str());
            text.replace(begin, end + 1 - begin, value ? value : "");
            begin += value ? std::string_view(value).size() : 0;
        }
        return text;
    }

    fs::path m_home;
    std::map<char, std::string> m_tokens;
};

/// The words of one directive as paths; "none" is no path at all.
Result<std::vector<fs::path>> paths(const Directive* directive, const PathExpander& expander,
                                    std::vector<fs::path> otherwise)
{
    if (!directive)
        return otherwise;
    std::vector<fs::path> result;
    for (const std::string& word : directive->words) {
        TRY_ASSIGN(fs::path path, expander.expand(*directive, word));
        if (word != "none")
            result.push_back(std::move(path));
    }
    return result;
}

Result<std::vector<fs::path>> allPaths(const std::vector<const Directive*>& directives, const PathExpander& expander)
{
    std::vector<fs::path> result;
    for (const Directive* directive : directives) {
        TRY_ASSIGN(std::vector<fs::path> some, paths(directive, expander, {}));
        result.insert(result.end(), some.begin(), some.end());
    }
    return result;
}

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

Result<void> setName(HostSettings& settings, const Evaluation& found, const Target& target)
{
    settings.alias = target.host;
    settings.hostName = found.hostName();
    settings.user = found.user();
    if (!isHostName(settings.hostName))
        return wrong(*found.find("hostname"), Words::noop("host name"));
    if (!isUserName(settings.user))
        return fail(ErrorCode::usage, Words::tr("“{}” is no user name that Ringside takes.", plainText(settings.user)),
                    Words::tr("Letters, digits and ._@+- are possible."));
    TRY_ASSIGN(const int configured, number(found, "port", 1, 65535, 22));
    settings.port = target.port != 0 ? target.port : configured;
    const std::string name = lowerCase(settings.hostName);
    settings.knownAs = settings.port == 22 ? name : fmt::format("[{}]:{}", name, settings.port);
    if (const Directive* alias = found.find("hostkeyalias")) {
        if (!isHostName(alias->words[0]))
            return wrong(*alias, Words::noop("host name"));
        settings.knownAs = lowerCase(alias->words[0]);
    }
    return {};
}

std::vector<fs::path> usualKeys(const fs::path& folder)
{
    return {folder / "id_ed25519", folder / "id_ecdsa", folder / "id_rsa"};
}

Result<void> setFiles(HostSettings& settings, const Evaluation& found, const ConfigPlaces& places)
{
    const PathExpander expander(settings, places);
    const fs::path folder = places.home / ".ssh";
    TRY_ASSIGN(settings.knownHosts,
               paths(found.find("userknownhostsfile"), expander, {folder / "known_hosts", folder / "known_hosts2"}));
    TRY_ASSIGN(settings.systemKnownHosts,
               paths(found.find("globalknownhostsfile"), expander, {places.systemKnownHosts}));
    TRY_ASSIGN(settings.identityFiles, allPaths(found.all("identityfile"), expander));
    if (found.all("identityfile").empty())
        settings.identityFiles = usualKeys(folder);
    TRY_ASSIGN(settings.certificateFiles, allPaths(found.all("certificatefile"), expander));
    const Directive* agent = found.find("identityagent");
    const char* usual = environment("SSH_AUTH_SOCK");
    if (agent && agent->words[0] != "SSH_AUTH_SOCK") {
        TRY_ASSIGN(const std::vector<fs::path> sockets, paths(agent, expander, {}));
        settings.agentSocket = sockets.empty() ? fs::path() : sockets.front();
    } else if (usual) {
        settings.agentSocket = usual;
    }
    return {};
}

Result<void> setHabits(HostSettings& settings, const Evaluation& found)
{
    settings.identitiesOnly = says(found, "identitiesonly", "yes");
    settings.publicKey = !says(found, "pubkeyauthentication", "no");
    settings.password = !says(found, "passwordauthentication", "no");
    settings.keyboardInteractive =
        !says(found, "kbdinteractiveauthentication", "no") && !says(found, "challengeresponseauthentication", "no");
    TRY_ASSIGN(const int keepAlive,
               number(found, "serveraliveinterval", kKeepAliveSeconds[0], kKeepAliveSeconds[1], 20));
    TRY_ASSIGN(const int connect, number(found, "connecttimeout", kConnectSeconds[0], kConnectSeconds[1], 15));
    settings.keepAlive = std::chrono::seconds(keepAlive);
    settings.connectLimit = std::chrono::seconds(connect);
    for (const char* keyword : kAlgorithmKeywords)
        if (const Directive* directive = found.find(keyword))
            settings.algorithms[keyword] = directive->words[0];
    settings.notes = found.notes();
    for (const auto& [keyword, harmless, instead] : kIgnored) {
        const Directive* directive = found.find(keyword);
        if (directive && std::find(harmless.begin(), harmless.end(), directive->words[0]) == harmless.end())
            settings.notes.push_back(
                Words::tr("{}: {} is not used: {}.", directive->place(), keyword, Words::translated(instead)));
    }
    return {};
}

/// The jump host of `ssh -W %h:%p host`, as configurations said it before ProxyJump; empty for anything else.
std::string jumpOfCommand(std::vector<std::string> words)
{
    std::erase(words, "-q");
    const auto forward = std::find(words.begin(), words.end(), "-W");
    if (words.size() != 4 || words[0] != "ssh" || forward + 1 >= words.end() || forward[1] != "%h:%p")
        return {};
    return forward == words.begin() + 1 ? words[3] : words[1];
}

Result<void> setJumps(HostSettings& settings, const Evaluation& found)
{
    const Directive* jump = found.find("proxyjump");
    const Directive* command = found.find("proxycommand");
    std::string text = jump ? jump->words[0] : std::string("none");
    if (command && command->words[0] != "none") {
        text = jumpOfCommand(command->words);
        if (text.empty())
            return fail(ErrorCode::unavailable,
                        Words::tr("{}: {} is reached by a ProxyCommand, and Ringside runs no commands of a "
                                  "configuration.",
                                  command->place(), settings.alias),
                        Words::tr("If it goes through another host, name that one with ProxyJump."));
    }
    if (text == "none")
        return {};
    auto jumps = parseTargets(text);
    if (!jumps)
        return fail(ErrorCode::usage, fmt::format("{}: {}", (jump ? jump : command)->place(), jumps.error().message),
                    jumps.error().hint);
    settings.jumps = std::move(*jumps);
    return {};
}

} // namespace

std::string HostSettings::place() const
{
    return port == 22 ? hostName : Words::tr("{}, port {}", hostName, port);
}

Result<HostSettings> settingsFrom(const Evaluation& found, const Target& target, const ConfigPlaces& places)
{
    HostSettings settings;
    TRY(setName(settings, found, target));
    TRY(setFiles(settings, found, places));
    TRY(setHabits(settings, found));
    TRY(setJumps(settings, found));
    return settings;
}

} // namespace ringside::ssh
