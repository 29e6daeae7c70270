// SPDX-License-Identifier: MIT
#include "core/spec/planchecks.h"

#include "core/spec/plannumbers.h"
#include "core/spec/plans.h"
#include "core/spec/systems.h"
#include "core/spec/wording.h"

namespace ringside::spec {

namespace {

constexpr int kMostServers = 1'000;

class PlanChecker
{
public:
    PlanChecker(const std::string& name, const AggregationPlan& plan)
        : m_name(name)
        , m_plan(plan)
    {
    }

    std::vector<Check> check()
    {
        checkName();
        if (m_plan.collective == Collective::none)
            block("none", Words::tr("Plan: {} combines nothing.", inQuotes(m_name)),
                  Words::tr("Use the collective “allreduce”."));
        else if (const auto why = whyNotComposed(m_plan))
            block("", Words::tr("Plan {}: {}", inQuotes(m_name), why->message), why->hint);
        checkNumbers();
        return std::move(m_checks);
    }

private:
    void block(std::string value, std::string message, std::string hint = {})
    {
        m_checks.push_back(
            {Severity::blocking, "plans." + m_name, std::move(value), 0, 0, std::move(message), std::move(hint)});
    }

    void checkName()
    {
        if (m_name == kNoPlan)
            block(m_name, Words::tr("Plan: “none” is what a single rank has and cannot be changed."),
                  Words::tr("Choose another name."));
        if (m_name == kOwnPlan)
            block(m_name, Words::tr("Plan: “own” is the way of a system that aggregates by itself."),
                  Words::tr("Choose another name."));
        if (m_name.empty() || m_plan.name != m_name)
            block(m_name, Words::tr("The plan needs a name of its own."), Words::tr("Write [plans.name]."));
    }

    void checkNumbers()
    {
        for (const PlanNumber& number : planNumbers())
            if (!isPossible(number, m_plan))
                block(textOf(number, m_plan), Words::translated(number.limits));
        if (m_plan.serverRanks() > kMostServers)
            block(std::to_string(m_plan.servers),
                  Words::tr("Plan: the number of server ranks must be from 1 to 1,000."));
    }

    const std::string& m_name;
    const AggregationPlan& m_plan;
    std::vector<Check> m_checks;
};

} // namespace

std::vector<Check> checkPlan(const std::string& name, const AggregationPlan& plan)
{
    return PlanChecker(name, plan).check();
}

} // namespace ringside::spec
