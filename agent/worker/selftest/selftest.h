// SPDX-License-Identifier: MIT
// `ringside-worker selftest`: does this machine compute, communicate and measure as it should? One line per check.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/device/devicegraph.h"

#include <c10/core/Device.h>
#include <memory>
#include <string>
#include <vector>

namespace ringside {

struct CheckResult
{
    enum class Verdict
    {
        passed,
        failed,
        skipped
    } verdict = Verdict::failed;
    std::string detail; ///< what was found, with its tolerance; or the reason
};

CheckResult passedIf(bool good, std::string detail);
CheckResult skipped(std::string reason);

/// A name for the line, and what is done. An exception counts as a failure.
struct Check
{
    std::string name;
    CheckResult (*run)();
};

std::vector<Check> numericChecks();
std::vector<Check> modelChecks();
std::vector<Check> timerChecks();
std::vector<Check> pictureChecks();
std::vector<Check> collectiveChecks();
std::vector<Check> deviceChecks();

/// Gradients of LeNet on this device against those on the CPU; the second as a graph replays them.
CheckResult gradientsOn(c10::Device device);
CheckResult graphGradientsOn(c10::Device device, std::unique_ptr<DeviceGraph> graph);

/// All checks, printed on stdout; 0 if none failed, else 1.
int selfTest();

/// The part of the collective checks that every rank runs, over this backend; 0 or 1.
int selfTestRank(Backend backend);
/// The last rank serves the others, which make one step by it. Whether that is the step that it should be.
Result<bool> serverUpdates(Communicator& world);

} // namespace ringside
