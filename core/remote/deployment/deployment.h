// SPDX-License-Identifier: MIT
// Dial = run the agent that lies on the site under its version and hash; if it is not there, upload it and dial again.
#pragma once

#include "core/remote/deployment/agentfiles.h"
#include "core/remote/relayclient.h"

#include <functional>

namespace ringside::deployment {

struct DeploymentSettings
{
    std::string root = ".ringside"; ///< on the site: absolute, or relative to $HOME there ("~/x" is "x")
    std::string agent;              ///< never deploy, use this one; empty: ours
    std::string worker;             ///< handed to the relay; may be empty
    std::vector<AgentFile> agents;  ///< what can be brought there; the first is tried first
};

/// A step that is under way, for people: one line, and how far it is where that is known.
struct DeploymentStep
{
    std::string text;
    std::uint64_t doneBytes = 0;
    std::uint64_t totalBytes = 0;
};
using DeploymentProgress = std::function<void(const DeploymentStep&)>;

struct Dialled
{
    RelayClient relay;
    CommandLine command; ///< that started the relay: dials again without any of this
    bool uploaded = false;
};

/// Blocking; every wait has a limit. Each command is one program with arguments, so that any login shell will do. A
/// file that is there is never written over in place: an upload has a name of its own, is verified there and then
/// renamed. Errors say what prevents the agent from running there and what to do about it. `host` must outlive the
/// result.
Result<Dialled> dial(Host& host, const DeploymentSettings& settings, const DeploymentProgress& progress = {});

/// Puts a local file there under `target`, whatever that is now: uploaded under another name beside it, SHA-256
/// verified there, renamed. Returns at once, false, if a file with that content is there already. `purpose` names it
/// for people.
Result<bool> place(Host& host, const fs::path& local, const std::string& target, const std::string& purpose,
                   const DeploymentProgress& progress = {});

/// The source bundle that lies beside this program's folder (share/ringside).
Result<fs::path> sourceBundle();

/// Places a source bundle where the builder on the site looks for it, and returns its SHA-256, by which a BuildRequest
/// names it.
Result<std::string> placeSource(Host& host, const fs::path& bundle, const std::string& root,
                                const DeploymentProgress& progress = {});

} // namespace ringside::deployment
