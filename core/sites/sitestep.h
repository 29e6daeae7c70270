// SPDX-License-Identifier: MIT
// One step of getting a site ready for experiments, as its connection test shows them: always the same, in this order.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

struct SiteStep
{
    enum class Kind
    {
        reach,
        hostKey,
        signIn,
        agent,
        scheduler,
        storage,
        node, ///< where it is asked for
        mpi,
        worker
    };
    enum class State
    {
        running,
        ok,
        warning, ///< it works, but …
        failed,
        notTried ///< a step that it needs failed, or, with a text, the test was stopped
    };

    std::string site;
    Kind kind = Kind::reach;
    State state = State::running;
    std::string text; ///< what was found, or is being done; one line
    std::string hint; ///< what to do about it; empty where it is well
    std::chrono::milliseconds took{0};
    std::optional<int> percent = {}; ///< of a step that is running
    /// A failed worker step for want of a torch: with Site::installTorch saved, the next try installs one there.
    bool canInstallTorch = false;
    /// Output of a worker step's build since the step before. A piece may end within a character.
    std::string log = {};
};

/// Something that a probe found, for people: "GPUs", "4 × NVIDIA A100".
struct SiteFact
{
    std::string label;
    std::string text;
    bool operator==(const SiteFact&) const = default;
};

inline constexpr std::array kSiteSteps = {SiteStep::Kind::reach, SiteStep::Kind::hostKey,   SiteStep::Kind::signIn,
                                          SiteStep::Kind::agent, SiteStep::Kind::scheduler, SiteStep::Kind::storage,
                                          SiteStep::Kind::node,  SiteStep::Kind::mpi,       SiteStep::Kind::worker};

/// For JSON and scripts: "reach", "host_key", "sign_in", "agent", … ; "ok", "not_tried", …
std::string_view nameOf(SiteStep::Kind kind);
std::string_view nameOf(SiteStep::State state);
/// For people, in their language: "Reach", "Verify host key", …
std::string titleOf(SiteStep::Kind kind);

} // namespace ringside
