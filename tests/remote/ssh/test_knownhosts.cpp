// SPDX-License-Identifier: MIT
// Files of known hosts, judged as ssh-keygen and ssh judge them.
#include "core/base/environment.h"
#include "core/remote/ssh/knownhosts.h"
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/person.h"
#include "tests/remote/ssh/sshd.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace ringside;
using namespace ringside::ssh;
using namespace ringside::test;

namespace {

constexpr int kFiles = 200;
constexpr int kConnections = 60;

const std::vector<std::string> kNames = {"alder", "alder.example.org", "[127.0.0.1]:4401", "[alder]:2222", "10.0.0.7"};

std::string outputOf(const std::string& command)
{
    std::string text;
    FILE* pipe = ::popen(command.c_str(), "r");
    char piece[4096];
    for (std::size_t n = 0; (n = ::fread(piece, 1, sizeof piece, pipe)) > 0;)
        text.append(piece, n);
    return ::pclose(pipe), text;
}

/// A few keys, and names as ssh-keygen hashes them.
class Material
{
public:
    explicit Material(const std::vector<std::string>& names)
    {
        for (const char* type : {"ed25519", "ecdsa", "rsa"}) {
            shell(fmt::format("ssh-keygen -q -t {0} -N '' -f {1}/{0}", type, m_folder.path().string()));
            const std::string text = *readFile(m_folder / (std::string(type) + ".pub"));
            keys.push_back(text.substr(0, text.rfind(' ')));
        }
        std::ofstream plain(m_folder / "plain");
        for (const std::string& name : names)
            plain << name << " " << keys[0] << "\n";
        plain.close();
        shell(fmt::format("ssh-keygen -H -f {}/plain >/dev/null 2>&1", m_folder.path().string()));
        std::istringstream lines(*readFile(m_folder / "plain"));
        for (std::string line; std::getline(lines, line);)
            hashed.push_back(line.substr(0, line.find(' ')));
        REQUIRE(hashed.size() == names.size());
    }

    std::vector<std::string> keys;
    std::vector<std::string> hashed;
    const fs::path& folder() const { return m_folder.path(); }

private:
    TemporaryFolder m_folder;
};

/// Makes lines from a seed.
class Lines
{
public:
    Lines(unsigned seed, std::vector<std::string> patterns, std::vector<std::string> hashed)
        : m_random(seed)
        , m_patterns(std::move(patterns))
        , m_hashed(std::move(hashed))
    {
    }

    std::string text(const std::vector<std::string>& keys, int most)
    {
        std::string text;
        for (int i = upTo(most); i > 0; --i)
            text += line(keys) + (chance(5) ? "\r\n" : "\n");
        if (chance(20) && !text.empty())
            text.pop_back();
        return text;
    }

private:
    int upTo(int most) { return std::uniform_int_distribution(0, most)(m_random); }
    bool chance(int percent) { return upTo(99) < percent; }
    const std::string& of(const std::vector<std::string>& choices)
    {
        return choices[static_cast<std::size_t>(upTo(static_cast<int>(choices.size()) - 1))];
    }

    std::string names()
    {
        if (chance(25))
            return of(m_hashed) + (chance(15) ? ",alder" : "");
        std::string text;
        for (int i = 1 + upTo(2); i > 0; --i)
            text += (text.empty() ? "" : ",") + std::string(chance(30) ? "!" : "") +
                    (chance(4) ? of(m_hashed) : of(m_patterns));
        return text;
    }

    std::string line(const std::vector<std::string>& keys)
    {
        if (chance(6))
            return of({"", "# comment", "  \t", "alder", "alder ssh-ed25519", "@revoked", "@other alder " + keys[0],
                       "@revoked @revoked alder " + keys[0], "alder ssh-ed25519 AAAAC3Nza", "@revokedalder " + keys[0],
                       "alder ssh-rsa " + keys[0].substr(keys[0].find(' ') + 1)});
        const std::string marker = chance(15) ? "@revoked " : chance(12) ? "@cert-authority\t" : "";
        return (chance(10) ? " " : "") + marker + names() + (chance(10) ? "\t" : " ") + of(keys) +
               (chance(20) ? " a comment" : "");
    }

    std::mt19937 m_random;
    std::vector<std::string> m_patterns;
    std::vector<std::string> m_hashed;
};

using Found = std::vector<std::pair<int, bool>>; // line, and whether it is revoked

/// "# Host alder found: line 3 REVOKED"; authorities are left out, and with -l what is no key.
Found keygenFinds(const std::string& name, const fs::path& file)
{
    Found found;
    std::istringstream lines(outputOf(fmt::format("ssh-keygen -l -F '{}' -f {} 2>/dev/null", name, file.string())));
    for (std::string line; std::getline(lines, line);) {
        const auto at = line.find(" found: line ");
        if (!line.starts_with("# Host ") || at == std::string::npos)
            continue;
        const std::string rest = line.substr(at + 13);
        if (rest.find("CA") == std::string::npos)
            found.emplace_back(std::atoi(rest.c_str()), rest.find("REVOKED") != std::string::npos);
    }
    return found;
}

Found weFind(const std::string& name, const fs::path& file)
{
    Found found;
    const auto keys = knownKeys(name, {file});
    REQUIRE_MESSAGE(keys, textOf(keys));
    for (const KnownKey& key : *keys)
        found.emplace_back(key.line, key.revoked);
    return found;
}

void writeTo(const fs::path& path, const std::string& text)
{
    std::ofstream(path) << text;
}

/// Returns how ssh, which may not ask, judges the key of a server.
std::string sshJudges(const Sshd& sshd)
{
    const std::string said =
        outputOf(fmt::format("ssh -F {} -o BatchMode=yes -o UpdateHostKeys=no alder echo let in 2>&1",
                             sshd.file("client/.ssh/config").string()));
    return said.find("let in") != std::string::npos    ? "known"
           : said.find("REVOKED") != std::string::npos ? "revoked"
           : said.find("CHANGED") != std::string::npos ? "changed"
                                                       : "unknown";
}

std::string weJudge(const SshAddress& address)
{
    const auto connected = SshHost(address).connect(nullptr);
    if (connected)
        return "known";
    CAPTURE(connected.error().text());
    if (connected.error().code == ErrorCode::needsUser)
        return "unknown";
    REQUIRE(connected.error().code == ErrorCode::permission);
    return connected.error().message.find("revoked") != std::string::npos ? "revoked" : "changed";
}

unsigned firstSeed()
{
    const char* chosen = ringside::environment("RINGSIDE_SEED");
    return chosen ? static_cast<unsigned>(std::atoi(chosen)) : 1;
}

unsigned seeds(int usual)
{
    return ringside::environment("RINGSIDE_SEED") ? 1 : static_cast<unsigned>(usual);
}

} // namespace

TEST_CASE("generated files name a host where ssh-keygen finds it")
{
    const Material material(kNames);
    const std::vector<std::string> patterns = {"alder",     "ALDER",    "al*",   "*.example.org",    "[127.0.0.*]:4401",
                                               "*",         "10.?.0.7", "beech", "[127.0.0.1]:4401", "[*]:2222",
                                               "[alder]:*", ""};
    std::size_t lines = 0;
    for (unsigned seed = firstSeed(); seed < firstSeed() + seeds(kFiles); ++seed) {
        const std::string text = Lines(seed, patterns, material.hashed).text(material.keys, 12);
        const fs::path file = material.folder() / "known_hosts";
        writeTo(file, text);
        CAPTURE(seed); // RINGSIDE_SEED=… does this one alone
        CAPTURE(text);
        for (const std::string& name : kNames) {
            CAPTURE(name);
            const Found expected = keygenFinds(name, file);
            CHECK(weFind(name, file) == expected);
            lines += expected.size();
        }
    }
    CHECK((seeds(kFiles) == 1 || lines > kFiles));
}

TEST_CASE("a pattern that is ruled out is no record, wherever it stands")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    const std::string all = fmt::format("[127.0.0.*]:{}", sshd.port());
    const std::string one = fmt::format("![127.0.0.1]:{}", sshd.port());
    const SshAddress address = sshd.address("UpdateHostKeys no");
    for (const std::string& names : {all + "," + one, one + "," + all}) {
        CAPTURE(names);
        writeTo(sshd.knownHosts(), names + " " + sshd.hostKey() + "\n");
        CHECK(sshJudges(sshd) == "unknown");
        CHECK(weJudge(address) == "unknown");
    }
    writeTo(sshd.knownHosts(), all + " " + sshd.hostKey() + "\n");
    CHECK(weJudge(address) == "known");
}

TEST_CASE("connections are made where ssh makes them")
{
    SshdOptions options;
    options.hostKeys = {"ed25519", "ecdsa"};
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    const std::string name = fmt::format("[127.0.0.1]:{}", sshd.port());
    const Material material({name, "cluster", "127.0.0.1"});
    std::vector<std::string> keys = material.keys; // of another host
    for (int i = 0; i < 3; ++i)
        keys.insert(keys.end(), {sshd.hostKey("ed25519"), sshd.hostKey("ecdsa")});
    const std::vector<std::string> patterns = {
        name, fmt::format("[127.0.0.*]:{}", sshd.port()), "127.0.0.1", "*", "cluster", "[127.0.0.1]:*", "beech"};
    std::map<std::string, int> times;
    for (unsigned seed = firstSeed(); seed < firstSeed() + seeds(kConnections); ++seed) {
        Lines lines(seed, patterns, material.hashed);
        const std::string first = lines.text(keys, 3), second = lines.text(keys, 3), system = lines.text(keys, 2);
        writeTo(sshd.knownHosts(), first);
        writeTo(sshd.file("second"), second);
        writeTo(sshd.file("system"), system);
        const std::string alias = seed % 3 == 0 ? "HostKeyAlias Cluster\n" : "";
        const std::string more =
            fmt::format("{}UserKnownHostsFile {} {}\nGlobalKnownHostsFile {}", alias, sshd.knownHosts().string(),
                        sshd.file("second").string(), sshd.file("system").string());
        const SshAddress address = sshd.address(more);
        CAPTURE(seed); // RINGSIDE_SEED=… does this one alone
        CAPTURE(first);
        CAPTURE(second);
        CAPTURE(system);
        const std::string expected = sshJudges(sshd), ours = weJudge(address);
        CAPTURE(expected);
        CAPTURE(ours);
        CHECK((ours == "known") == (expected == "known"));
        CHECK((expected != "revoked" || ours == "revoked"));
        CHECK((expected != "changed" || ours != "unknown")); // which would be asked about
        ++times[expected];
    }
    for (const char* judgement : {"known", "unknown", "changed", "revoked"}) {
        CAPTURE(judgement);
        CHECK((seeds(kConnections) == 1 || times[judgement] > 0));
    }
}

TEST_CASE("StrictHostKeyChecking yes forbids to ask")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    Person person;
    person.trusts = true;
    const auto refused = SshHost(sshd.address("StrictHostKeyChecking yes")).connect(&person);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::permission);
    CHECK(person.hostKeys.empty());
    CHECK(textOf(SshHost(sshd.address()).connect(&person)) == "");
    CHECK(person.hostKeys.size() == 1);
}
