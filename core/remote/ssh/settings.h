// SPDX-License-Identifier: MIT
// Settings of ssh_config for one host.
#pragma once

#include "core/remote/ssh/configfile.h"
#include "core/remote/ssh/target.h"
#include "core/remote/ssh/tokens.h"
#include "core/remote/ssh/values.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace ringside::ssh {

/// The keywords whose values are lists of algorithms.
inline constexpr const char* kAlgorithmKeywords[] = {"ciphers", "macs", "kexalgorithms", "hostkeyalgorithms",
                                                     "pubkeyacceptedalgorithms"};

enum class SignInMethod
{
    publicKey,
    keyboardInteractive,
    password,
};

/// Everything that a connection needs to know. Names passed the grammar of target.h; paths are absolute.
struct HostSettings
{
    std::string alias; ///< as the user calls it
    std::string hostName;
    int port = 22;
    int addressFamily = 0; ///< AF_…; 0: any
    std::string user;
    std::string knownAs;      ///< the name in known_hosts: "alder", "[alder]:2222" or HostKeyAlias
    bool hasKeyAlias = false; ///< it is a HostKeyAlias

    std::vector<fs::path> knownHosts; ///< the user's; the first gets new keys. Empty: "none"
    std::vector<fs::path> systemKnownHosts;
    bool strictHostKeys = false;         ///< an unknown key is refused, not asked about
    std::vector<fs::path> identityFiles; ///< the usual names if none is configured
    std::vector<fs::path> certificateFiles;
    bool identitiesOnly = false;
    fs::path agentSocket;              ///< empty: no agent
    std::vector<SignInMethod> methods; ///< in the order in which they are tried
    std::chrono::milliseconds connectLimit{15'000};
    std::chrono::milliseconds keepAlive{20'000};
    std::map<std::string, std::string> algorithms; ///< keyword -> list: ciphers, macs, kexalgorithms, …

    std::vector<Target> jumps;      ///< to go through, nearest to us first
    std::string connectionHash;     ///< as ssh says it (%C); empty where it was not asked
    std::vector<std::string> notes; ///< what the configuration asks for and Ringside does not do

    /// "kim@alder.example.org", or "kim@[localhost]:2201", for messages, dialogs and kept passwords: hosts behind
    /// tunnels share a name and are told apart by the one that their keys are known by.
    std::string account() const { return user + "@" + knownAs; }
    /// "alder.example.org", or "alder.example.org, port 2222".
    std::string place() const;
};

/// From the values that ssh printed, or that the built-in reader found. Fails with usage where the configuration is
/// wrong, with unavailable where it asks for what Ringside does not do (ProxyCommand, RevokedHostKeys,
/// PreferredAuthentications of others alone).
Result<HostSettings> settingsFrom(const Values& values, const Target& target, const ConfigPlaces& places);

/// The first part of it: names, user, port and the hosts to go through.
Result<HostSettings> namesFrom(const Values& values, const Target& target, const ConfigPlaces& places);
/// Returns the meanings of the tokens in a path, once the names are known.
Tokens tokensFor(const HostSettings& settings, const ConfigPlaces& places);

} // namespace ringside::ssh
