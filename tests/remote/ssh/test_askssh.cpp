// SPDX-License-Identifier: MIT
// Ringside's reading of a configuration, compared with ssh itself over generated ones.
#include "core/base/environment.h"
#include "core/remote/ssh/askssh.h"
#include "core/remote/ssh/config.h"
#include "core/remote/ssh/route.h"
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/ownhome.h"
#include "tests/remote/ssh/person.h"
#include "tests/remote/ssh/sshd.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <sys/socket.h>
#include <thread>

using namespace ringside;
using namespace ringside::ssh;
using namespace ringside::test;

namespace {

constexpr int kConfigurations = 200;

using Answers = std::map<std::string, std::vector<std::string>>;

/// A home of the user's own, and a current folder that is not it.
struct AskFixture
{
    AskFixture()
        : foreign(home.problem().empty() ? home.enterForeignFolder() : fs::path())
    {
        ::setenv("HOME", home.path().c_str(), 1);
        ::unsetenv("SSH_AUTH_SOCK");
    }
    ~AskFixture() { fs::current_path("/"); }

    OwnHome home;
    fs::path foreign;
};

#define REQUIRE_HOME(home) REQUIRE_SSHD(home)

std::string outputOf(const std::string& command)
{
    std::string text;
    FILE* pipe = ::popen(command.c_str(), "r");
    char piece[4096];
    for (std::size_t n = 0; (n = ::fread(piece, 1, sizeof piece, pipe)) > 0;)
        text.append(piece, n);
    return ::pclose(pipe) == 0 ? text : std::string();
}

std::string commandFor(const Target& target, const std::string& more = {})
{
    return fmt::format("ssh -T -G {} {} {} -- {} 2>/dev/null",
                       target.user.empty() ? "" : fmt::format("-l '{}'", target.user),
                       target.port == 0 ? "" : fmt::format("-p {}", target.port), more, target.host);
}

/// ssh -G as a user types it, by keyword; empty if ssh refuses.
Answers sshSays(const Target& target, const std::string& more = {})
{
    Answers answers;
    std::istringstream lines(outputOf(commandFor(target, more)));
    for (std::string line; std::getline(lines, line);)
        answers[line.substr(0, line.find(' '))].push_back(line.substr(line.find(' ') + 1));
    return answers;
}

std::string first(const Answers& answers, const std::string& keyword)
{
    const auto found = answers.find(keyword);
    return found == answers.end() ? std::string() : found->second.front();
}

/// ssh replaces tokens only when it needs a file, but in this option at once.
std::string expandedBySsh(const Target& target, const std::vector<std::string>& paths)
{
    std::string option;
    for (const std::string& path : paths)
        if (path != "none")
            option += fmt::format(" \"{}\"", path);
    return option.empty() ? option
                          : first(sshSays(target, fmt::format("-o 'UserKnownHostsFile={}'", option.substr(1))),
                                  "userknownhostsfile");
}

/// A file that is named twice, by the user and by the system, is tried once.
template <class T> std::vector<T> withoutRepeats(const std::vector<T>& list)
{
    std::vector<T> once;
    std::ranges::copy_if(list, std::back_inserter(once),
                         [&once](const T& each) { return std::ranges::find(once, each) == once.end(); });
    return once;
}

std::string joined(const std::vector<fs::path>& paths)
{
    std::vector<std::string> texts;
    std::ranges::transform(paths, std::back_inserter(texts), [](const fs::path& path) { return path.string(); });
    return fmt::format("{}", fmt::join(texts, " "));
}

std::string jumpsOf(const HostSettings& settings)
{
    std::vector<std::string> texts;
    for (const Target& jump : settings.jumps) {
        const bool isAddress = jump.host.find_first_not_of("0123456789.:") == std::string::npos;
        texts.push_back(fmt::format("{}{}{}{}{}{}", jump.user, jump.user.empty() ? "" : "@", isAddress ? "[" : "",
                                    jump.host, isAddress ? "]" : "",
                                    jump.port == 0 ? "" : fmt::format(":{}", jump.port)));
    }
    return fmt::format("{}", fmt::join(texts, ","));
}

/// Makes configurations from a seed.
class Generator
{
public:
    explicit Generator(unsigned seed)
        : m_random(seed)
    {
    }

    bool chance(int percent) { return std::uniform_int_distribution(1, 100)(m_random) <= percent; }
    const char* one(std::initializer_list<const char*> choices)
    {
        return choices.begin()[std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(m_random)];
    }
    int upTo(int most) { return std::uniform_int_distribution(0, most)(m_random); }

    Target target()
    {
        Target target;
        target.host = one({"alder", "beech", "oak-1", "oak-2", "Elm", "127.0.0.1"});
        if (chance(25))
            target.user = one({"kim", "sam", "TREES\\kim"});
        if (chance(25))
            target.port = 1000 + upTo(9);
        return target;
    }

    std::string file(bool mayInclude)
    {
        std::string text;
        for (int i = upTo(3); i > 0; --i)
            text += directive();
        for (int i = 1 + upTo(4); i > 0; --i) {
            text += chance(50) ? host() : match();
            for (int j = 1 + upTo(4); j > 0; --j)
                text += mayInclude && chance(12) ? include() : directive();
        }
        return text;
    }

private:
    std::string pattern() { return one({"alder", "beech", "oak-?", "oak-*", "*", "al*", "elm", "Elm", "*.org", "1*"}); }
    std::string patterns(const char* between)
    {
        std::string text;
        for (int i = 1 + upTo(2); i > 0; --i)
            text += (text.empty() ? "" : between) + std::string(chance(25) ? "!" : "") + pattern();
        return text;
    }
    std::string host() { return fmt::format("{} {}\n", one({"Host", "host", "Host ="}), patterns(" ")); }
    std::string include()
    {
        return fmt::format("Include {}\n", one({"more", "conf.d/*.conf", "~/.ssh/more", "none/*", "\"conf.d/a.conf\"",
                                                "~/absolute.conf", "more conf.d/?.conf"}));
    }
    std::string match()
    {
        if (chance(10))
            return "Match all\n";
        std::string text = "Match";
        for (int i = 1 + upTo(1); i > 0; --i)
            text += criterion();
        return text + "\n";
    }
    std::string criterion()
    {
        const std::string no = chance(20) ? "!" : "";
        switch (upTo(5)) {
        case 0:
            return fmt::format(" {}originalhost {}", no, patterns(","));
        case 1:
            return fmt::format(" {}user {}", no, one({"kim", "sam,kim", "*", "!kim,*", "root"}));
        case 2:
            return fmt::format(" {}localuser {}", no, ownUser());
        case 3:
            return fmt::format(" {}final", no);
        case 4:
            return chance(40) ? fmt::format(" {}exec \"test -e {}\"", no, one({"~/yes", "%d/.ssh/%h", "/%u-%r-%p"}))
                              : std::string(" host alder");
        default:
            return fmt::format(" {}host {}", no, patterns(","));
        }
    }
    std::string directive()
    {
        switch (upTo(14)) {
        case 0:
            return fmt::format("HostName {}\n", one({"%h.example.org", "10.0.0.7", "Gate.Example.org", "%h"}));
        case 1:
            return fmt::format("Port {}\n", 2000 + upTo(9));
        case 2:
            return fmt::format("  user = {}\n", one({"kim", "sam", "\"elmer\"", "TREES\\kim"}));
        case 3:
        case 4:
            return fmt::format("IdentityFile {}\n",
                               one({"~/.ssh/%h_%n", "%d/keys/%r@%L", "/etc/keys/%u.%p.%i", "\"~/two words\"", "none",
                                    "~/.ssh/%k%%", "${RINGSIDE_TEST_KEYS}/%l", "~/.ssh/id"}));
        case 5:
            return fmt::format("UserKnownHostsFile {}\n",
                               one({"~/.ssh/kh_%h", "%d/kh /etc/kh2", "\"%d/k h\" ~/kh3", "none", "~/.ssh/%k"}));
        case 6:
            return fmt::format("GlobalKnownHostsFile {}\n", one({"/etc/a /etc/b", "none", "/etc/kh"}));
        case 7:
            return fmt::format("ProxyJump {}\n", one({"none", "gate", "sam@gate:2200,middle", "kim@[10.0.0.9]:22"}));
        case 8:
            return fmt::format("ProxyCommand {}\n", one({"none", "nc %h %p", "ssh -q -W %h:%p gate"}));
        case 9:
            return fmt::format("StrictHostKeyChecking {}\n", one({"yes", "no", "ask", "accept-new"}));
        case 10:
            return fmt::format("HostKeyAlias {}\n", one({"Cluster", "other"}));
        case 11:
            return fmt::format("CertificateFile {}\n", one({"~/.ssh/%u-cert.pub", "/etc/%h-cert.pub"}));
        case 12:
            return fmt::format("{}\n", one({"IdentitiesOnly yes", "PasswordAuthentication no",
                                            "PubkeyAuthentication no", "KbdInteractiveAuthentication no",
                                            "IdentitiesOnly no", "PreferredAuthentications keyboard-interactive",
                                            "PreferredAuthentications gssapi-with-mic,password,publickey"}));
        case 13:
            return fmt::format("{}\n", one({"ServerAliveInterval 30", "ServerAliveInterval 1m30", "ConnectTimeout 3",
                                            "ConnectTimeout 1m", "ServerAliveInterval 0", "AddressFamily inet",
                                            "AddressFamily INET6", "AddressFamily any"}));
        default:
            return fmt::format("{}\n", one({"Ciphers aes256-ctr", "IdentityAgent none", "IdentityAgent ~/%u.sock",
                                            "IdentityAgent SSH_AUTH_SOCK", "MACs hmac-sha2-256", "# nothing"}));
        }
    }

    std::mt19937 m_random;
};

/// "90" of 0 (or "none") is what Ringside does by itself, within its limits.
std::chrono::seconds seconds(const std::string& text, int low, int high, int otherwise)
{
    const int value = std::atoi(text.c_str());
    return std::chrono::seconds(value == 0 ? otherwise : std::clamp(value, low, high));
}

void checkNames(const HostSettings& found, const Answers& ssh)
{
    CHECK(found.hostName == first(ssh, "hostname"));
    CHECK(std::to_string(found.port) == first(ssh, "port"));
    CHECK(found.user == first(ssh, "user"));
    const std::map<std::string, int> families{{"any", AF_UNSPEC}, {"inet", AF_INET}, {"inet6", AF_INET6}};
    CHECK(found.addressFamily == families.at(first(ssh, "addressfamily")));
    const std::string alias = first(ssh, "hostkeyalias");
    const std::string name = found.port == 22 ? found.hostName : fmt::format("[{}]:{}", found.hostName, found.port);
    CHECK(found.knownAs == (alias.empty() ? name : alias));
}

void checkFiles(const HostSettings& found, const Answers& ssh, const Target& target)
{
    const std::string known = first(ssh, "userknownhostsfile");
    CHECK(joined(found.knownHosts) == (known == "none" ? "" : known));
    const std::string system = first(ssh, "globalknownhostsfile");
    CHECK(joined(found.systemKnownHosts) == (system == "none" ? "" : system));
    const bool isUsual = ssh.at("identityfile").front() == "~/.ssh/id_rsa"; // ssh has more than Ringside can read
    if (!isUsual || found.identityFiles.size() != 3)
        CHECK(joined(withoutRepeats(found.identityFiles)) ==
              expandedBySsh(target, withoutRepeats(ssh.at("identityfile"))));
    const auto certificates = ssh.find("certificatefile");
    CHECK(joined(withoutRepeats(found.certificateFiles)) ==
          (certificates == ssh.end() ? "" : expandedBySsh(target, withoutRepeats(certificates->second))));
    const std::string agent = first(ssh, "identityagent");
    CHECK(found.agentSocket.string() == (agent == "none" || agent == "SSH_AUTH_SOCK" ? "" : agent));
}

std::vector<SignInMethod> methodsBySsh(const Answers& ssh)
{
    std::vector<SignInMethod> methods;
    const std::string preferred = first(ssh, "preferredauthentications");
    std::istringstream names(preferred.empty() ? "publickey,keyboard-interactive,password" : preferred);
    for (std::string name; std::getline(names, name, ',');)
        if (name == "publickey" && first(ssh, "pubkeyauthentication") != "false")
            methods.push_back(SignInMethod::publicKey);
        else if (name == "keyboard-interactive" && first(ssh, "kbdinteractiveauthentication") == "yes")
            methods.push_back(SignInMethod::keyboardInteractive);
        else if (name == "password" && first(ssh, "passwordauthentication") == "yes")
            methods.push_back(SignInMethod::password);
    return methods;
}

void checkHabits(const HostSettings& found, const Answers& ssh)
{
    CHECK(found.strictHostKeys == (first(ssh, "stricthostkeychecking") == "true"));
    CHECK(found.identitiesOnly == (first(ssh, "identitiesonly") == "yes"));
    CHECK(found.methods == methodsBySsh(ssh));
    CHECK(found.keepAlive == seconds(first(ssh, "serveraliveinterval"), 1, 60, 20));
    CHECK(found.connectLimit == seconds(first(ssh, "connecttimeout"), 2, 120, 15));
    for (const char* keyword : {"ciphers", "macs"})
        if (const auto said = found.algorithms.find(keyword); said != found.algorithms.end())
            CHECK(said->second == first(ssh, keyword));
        else
            CHECK(first(ssh, keyword) == first(sshSays({"alder", "", 0}, "-F none"), keyword));
    CHECK((jumpsOf(found) == first(ssh, "proxyjump") ||
           (jumpsOf(found) == "gate" && first(ssh, "proxycommand") == "ssh -q -W %h:%p gate")));
}

/// True if it is as ssh says; a refusal has to be one that ssh gives reason for.
bool agrees(const Result<HostSettings>& found, const Answers& ssh, const Target& target)
{
    if (!found) {
        CAPTURE(found.error().text());
        CHECK((ssh.empty() || first(ssh, "proxycommand") == "nc %h %p"));
        return false;
    }
    REQUIRE_FALSE(ssh.empty());
    checkNames(*found, ssh);
    checkFiles(*found, ssh, target);
    checkHabits(*found, ssh);
    return true;
}

/// The last hop of what a connection would take; without the others where these are a circle, or behind a command.
Result<HostSettings> connectionTo(const Target& target)
{
    auto route = routeTo(target, {}, {});
    if (route)
        return std::move(route->back());
    const auto says = [&](const char* text) { return route.error().message.find(text) != std::string::npos; };
    if (!says("too many hosts") && !says("jumphost loop") && !says("ProxyCommand"))
        return tl::unexpected(route.error());
    const ConfigPlaces places = *ConfigPlaces::ofThisUser();
    return askSsh(target, {}, places, Deadline(kAskLimit)).and_then([&](const Values& values) {
        return settingsFrom(values, target, places);
    });
}

Result<HostSettings> builtInFor(const Target& target)
{
    return ConfigPlaces::ofThisUser().and_then([&](const ConfigPlaces& places) {
        return Config::read(places).and_then([&](const Config& config) { return config.settingsFor(target); });
    });
}

} // namespace

TEST_CASE_FIXTURE(AskFixture, "200 generated configurations mean what ssh says that they mean")
{
    REQUIRE_HOME(home);
    REQUIRE(isSshInstalled());
    ::setenv("RINGSIDE_TEST_KEYS", "/keys", 1);
    home.write("yes", "");
    home.write(".ssh/alder.example.org", "");
    const char* chosen = ringside::environment("RINGSIDE_SEED");
    const unsigned begin = chosen ? static_cast<unsigned>(std::atoi(chosen)) : 1;
    int compared = 0, byReader = 0;
    for (unsigned seed = begin; seed < begin + (chosen ? 1 : kConfigurations); ++seed) {
        Generator generator(seed);
        const std::string config = generator.file(true);
        std::string all = config;
        home.write(".ssh/config", config);
        for (const char* name : {".ssh/more", ".ssh/conf.d/a.conf", ".ssh/conf.d/b.conf", "absolute.conf"})
            all += readFile(home.write(name, generator.file(false))).value_or("");
        const std::string system = generator.file(false);
        home.writeSystem(system);
        const Target target = generator.target();
        CAPTURE(seed); // RINGSIDE_SEED=… does this one alone
        CAPTURE(config);
        CAPTURE(all);
        CAPTURE(system);
        CAPTURE(target.host);
        const Answers ssh = sshSays(target);
        compared += agrees(connectionTo(target), ssh, target);
        if ((all + system).find("exec") != std::string::npos) // which the built-in reader does not do
            continue;
        INFO("by the built-in reader");
        byReader += agrees(builtInFor(target), ssh, target);
    }
    CHECK((chosen || compared > kConfigurations / 2));
    CHECK((chosen || byReader > kConfigurations / 4));
    CHECK_FALSE(fs::exists(home.folder() / "executed"));
}

TEST_CASE_FIXTURE(AskFixture, "a key may be named by the hash that ssh makes of a connection")
{
    REQUIRE_HOME(home);
    home.write(".ssh/config", "Host alder\n  Port 2222\n  IdentityFile ~/.ssh/%C\n  CertificateFile ~/.ssh/%%C-%C\n");
    const Target target{"alder", "", 0};
    const std::string hash = expandedBySsh(target, {"%C"});
    REQUIRE(hash.size() == 40);
    const auto route = routeTo(target, {}, {});
    REQUIRE_MESSAGE(route, (route ? std::string() : route.error().text()));
    const fs::path folder = home.path() / ".ssh";
    CHECK(route->back().identityFiles == std::vector<fs::path>{folder / hash});
    CHECK(route->back().certificateFiles == std::vector<fs::path>{folder / ("%C-" + hash)});
    const auto byReader = builtInFor(target); // it makes none
    REQUIRE_FALSE(byReader);
    CHECK(byReader.error().message.find("a % that Ringside does not know") != std::string::npos);
}

TEST_CASE_FIXTURE(AskFixture, "no name becomes an option of ssh, and no shell reads it")
{
    REQUIRE_HOME(home);
    const ConfigPlaces places = *ConfigPlaces::ofThisUser();
    for (const char* host :
         {"-oProxyCommand=touch x", "-F/dev/null", "--", "", "a\nb", "a b", "$(touch x)", "a;b", "a\tb"}) {
        CAPTURE(host);
        const auto asked = askSsh({host, "", 0}, {}, places, Deadline(kAskLimit));
        REQUIRE_FALSE(asked);
        CHECK(asked.error().code == ErrorCode::usage);
        CHECK_FALSE(askSsh({"alder", host[0] == '\0' ? "-l" : host, 0}, {}, places, Deadline(kAskLimit)));
    }
    CHECK_FALSE(fs::exists("x"));
}

TEST_CASE_FIXTURE(AskFixture, "what ssh does not take is said in its words, and a Match exec that never ends is ended")
{
    REQUIRE_HOME(home);
    home.write(".ssh/config", "Host alder\n  NoSuchThing yes\n");
    const auto wrong = routeTo({"alder", "", 0}, {}, {});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::usage);
    CHECK(wrong.error().message.find("line 2") != std::string::npos);
    CHECK(wrong.error().message.find("nosuchthing") != std::string::npos);

    home.write(".ssh/config", fmt::format("Match exec \"echo $$ >{} && exec sleep 1000\"\n  Port 1\n",
                                          (home.folder() / "pid").string()));
    const ConfigPlaces places = *ConfigPlaces::ofThisUser();
    const auto late = askSsh({"alder", "", 0}, {}, places, Deadline(std::chrono::milliseconds(2'000)));
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::timeout);
    for (const char* cause : {"Match exec", "CanonicalizeHostname"}) // ssh -G looks names up, too
        CHECK(late.error().hint.find(cause) != std::string::npos);
    const std::string pid = readFile(home.folder() / "pid").value_or("");
    if (pid.empty())
        return; // it was ended before it could say
    const fs::path program = "/proc/" + pid.substr(0, pid.find('\n')) + "/exe";
    for (int looks = 0; looks < 500 && fs::exists(program); ++looks) // a killed process ends a moment later
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(fs::exists(program));
}

TEST_CASE_FIXTURE(AskFixture, "a configuration that others may write is refused, the user's and a site's own")
{
    REQUIRE_HOME(home);
    const fs::path own = home.write("own", "Host alder\n  Port 2\n");
    CHECK(routeTo({"alder", "", 0}, own, {})->back().port == 2);
    CHECK(routeTo({"alder", "", 0}, "~/own", {})->back().port == 2);
    CHECK(routeTo({"alder", "", 0}, "own", {})->back().port == 2); // of the home, and not of the current folder
    fs::permissions(own, fs::perms::others_write, fs::perm_options::add);
    const auto refused = routeTo({"alder", "", 0}, own, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::permission);
    CHECK(refused.error().hint.find("chmod") != std::string::npos);
    fs::permissions(home.write(".ssh/config", "Host alder\n"), fs::perms::others_write, fs::perm_options::add);
    CHECK_FALSE(routeTo({"alder", "", 0}, {}, {}));
}

TEST_CASE_FIXTURE(AskFixture, "an alias of the user's own configuration is reached from a foreign folder")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    REQUIRE_HOME(home);
    home.write(".ssh/config", readFile(sshd.clientConfig()).value_or(""));
    sshd.trust();
    ::setenv("HOME", foreign.c_str(), 1); // ssh does not look there, but for the files of a relative Include
    SshHost host({{"alder", "", 0}, {}});
    REQUIRE(textOf(host.connect(nullptr)) == "");
    CHECK(run(host, {"echo", "here"}).output == "here\n");
    host.disconnect();

    // Without a user, a key or a file of known hosts in the configuration, those of the home are meant.
    fs::copy_file(sshd.file("id_ed25519"), home.path() / ".ssh/id_ed25519");
    home.write(".ssh/config",
               fmt::format("Host alder\n HostName 127.0.0.1\n Port {}\n IdentityAgent none\n", sshd.port()));
    Person person;
    person.trusts = true;
    SshHost plain({{"alder", "", 0}, {}});
    REQUIRE(textOf(plain.connect(&person)) == "");
    CHECK(person.hostKeys.size() == 1);
    CHECK(readFile(home.path() / ".ssh/known_hosts")->find(sshd.hostKey()) != std::string::npos);
    CHECK(readFile(foreign / ".ssh/known_hosts")->find(sshd.hostKey()) == std::string::npos);
    CHECK(textOf(SshHost({{"alder", "", 0}, {}}).connect(nullptr)) == ""); // as ssh does:
    CHECK(outputOf("ssh -o BatchMode=yes alder echo there 2>&1") == "there\n");
}
