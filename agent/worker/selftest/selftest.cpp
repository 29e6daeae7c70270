// SPDX-License-Identifier: MIT
#include "agent/worker/selftest/selftest.h"

#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/device/device.h"
#include "core/base/say.h"

#include <array>
#include <exception>
#include <fmt/format.h>

namespace ringside {

namespace {

std::vector<Check> allChecks()
{
    std::vector<Check> all;
    for (auto group : {numericChecks, modelChecks, measuringChecks, calibrationChecks, pictureChecks, loadingChecks,
                       rendezvousChecks, collectiveChecks, deviceChecks})
        for (auto& check : group())
            all.push_back(std::move(check));
    return all;
}

CheckResult guarded(const Check& check)
{
    try {
        return check.run();
    } catch (const std::exception& error) {
        const std::string what = error.what();
        return {CheckResult::Verdict::failed, what.substr(0, what.find('\n'))};
    }
}

} // namespace

CheckResult passedIf(bool good, std::string detail)
{
    return {good ? CheckResult::Verdict::passed : CheckResult::Verdict::failed, std::move(detail)};
}

CheckResult skipped(std::string reason)
{
    return {CheckResult::Verdict::skipped, std::move(reason)};
}

CheckResult failed(const Error& error)
{
    return {CheckResult::Verdict::failed, error.text()};
}

CheckResult withoutIt(const Error& error)
{
    return error.code == ErrorCode::notFound ? skipped(error.message) : failed(error);
}

void print(const std::string& name, const CheckResult& result)
{
    constexpr std::array verdicts = {"passed", "FAILED", "skipped"};
    say("{:<8} {}: {}", verdicts[static_cast<std::size_t>(result.verdict)], name, result.detail);
}

int selfTest()
{
    if (cuda::gpuCount()) // else the checks of GPUs would come too late
        static_cast<void>(loadTorchCuda());
    std::array<int, 3> counts{};
    for (const auto& check : allChecks()) {
        const auto result = guarded(check);
        print(check.name, result);
        ++counts[static_cast<std::size_t>(result.verdict)];
    }
    const auto [passed, failed, skipped] = counts; // what several ranks pass stands in lines of theirs
    say("{}; {} skipped", failed ? fmt::format("{} FAILED", failed) : "nothing failed", skipped);
    return failed == 0 ? 0 : 1;
}

} // namespace ringside
