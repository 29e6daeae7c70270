// SPDX-License-Identifier: MIT
// `ringside-worker selftest`: does this machine compute, communicate and measure as it should? One line per check.
#pragma once

#include "agent/worker/cuda/nccl.h"

#include <functional>
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
CheckResult failed(const Error& error);
/// Skipped with its reason where the machine or the build lacks what the check is of (notFound); what is there and does
/// not work has failed.
CheckResult withoutIt(const Error& error);

/// A name for the line, and what is done. An exception counts as a failure.
struct Check
{
    std::string name;
    CheckResult (*run)();
};

std::vector<Check> numericChecks();
std::vector<Check> modelChecks();
std::vector<Check> measuringChecks();
std::vector<Check> calibrationChecks();
std::vector<Check> pictureChecks();
std::vector<Check> loadingChecks();
std::vector<Check> rendezvousChecks();
std::vector<Check> collectiveChecks();
std::vector<Check> deviceChecks();

/// This rank's error.
struct Deviation
{
    double error = 0;
    std::string of = {};    ///< what was the worst of several
    std::string found = {}; ///< for the line, in place of “exact”, with what is allowed
};

/// For what is right or wrong; its tolerance is 0.
inline Deviation exactly(bool good, std::string found = {})
{
    return {good ? 0.0 : 1.0, {}, std::move(found)};
}

/// A name for the line, how far every rank may be off, and what all ranks do. A function that fails ends them all.
struct RankCheck
{
    std::string name;
    double tolerance;
    std::function<Result<Deviation>(Communicator&)> run;
};

std::vector<RankCheck> messageChecks();
/// Gradients by the plans of each collective, by tolerance.
std::vector<RankCheck> planChecks();
/// The checks of the bytes that ranks pass to the communicator.
std::vector<RankCheck> byteChecks();
/// Compressions that add what they lose to the next gradients.
std::vector<RankCheck> feedbackChecks();
/// The last ranks serve the others.
std::vector<RankCheck> serverChecks();
/// The measurements of the links between ranks.
std::vector<RankCheck> linkChecks();

/// One line: “passed   NAME: DETAIL”.
void print(const std::string& name, const CheckResult& result);

/// All checks, printed on stdout; 0 if none failed, else 1.
int selfTest();

/// Runs the self-test of every rank over this backend, a line each on rank 0's stdout; 0 or 1.
int selfTestRank(Backend backend);

} // namespace ringside
