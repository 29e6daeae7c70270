// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/steps.h"

#include "app/cli/output.h"
#include "core/base/say.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ringside::cli {

namespace {

constexpr std::size_t kTitleColumns = 16;

const char* markOf(SiteStep::State state)
{
    switch (state) {
    case SiteStep::State::running:
        return "…";
    case SiteStep::State::ok:
        return "✓";
    case SiteStep::State::warning:
        return "!";
    case SiteStep::State::failed:
        return "✗";
    case SiteStep::State::notTried:
        break;
    }
    return "·";
}

std::string lineOf(const SiteStep& step)
{
    std::string line = fmt::format("{} {}  {}", markOf(step.state), leftAligned(titleOf(step.kind), kTitleColumns),
                                   step.state == SiteStep::State::notTried ? "not tried" : step.text);
    if (step.percent)
        line += fmt::format(" ({} %)", *step.percent);
    if (step.took.count() > 0)
        line += fmt::format("  [{:.1f} s]", static_cast<double>(step.took.count()) / 1000);
    return line;
}

} // namespace

/// A file is not to get a line for each file that a compiler has done with.
bool Steps::isNews(const SiteStep& step)
{
    const std::string now = fmt::format("{} {} {}", titleOf(step.kind), step.percent ? "" : step.text,
                                        step.percent ? *step.percent / 10 : 0);
    return std::exchange(m_told, now) != now;
}

/// One command may look at a site twice, as at what a launch means and then at the launch.
bool Steps::wasSaid(const SiteStep& step)
{
    std::string now = fmt::format("{} {} {}", markOf(step.state), step.text, step.hint);
    return std::exchange(m_said[step.kind], now) == now;
}

void Steps::update(const SiteStep& step)
{
    m_steps.insert_or_assign(step.kind, step);
    const bool isRunning = step.state == SiteStep::State::running;
    if (isRunning && m_line.isTerminal())
        return m_line.draw(lineOf(step));
    m_line.clear();
    if (isRunning ? !isNews(step) : wasSaid(step))
        return;
    sayErrorLine(lineOf(step));
    if (!step.hint.empty())
        sayError("  {}", step.hint);
    if (step.canInstallTorch)
        sayError("  “ringside-cli site test {} --install-torch” installs one there, for Ringside alone.", step.site);
}

void Steps::close()
{
    for (const SiteStep::Kind kind : kSiteSteps) {
        const auto found = m_steps.find(kind);
        if (found != m_steps.end() && found->second.state != SiteStep::State::running)
            continue;
        if (found == m_steps.end() && kind == SiteStep::Kind::node)
            continue; // is printed only where it is asked for
        SiteStep step;
        step.site = m_site;
        step.kind = kind;
        step.state = SiteStep::State::notTried;
        update(step);
    }
}

Json Steps::toJson() const
{
    Json steps = Json::array();
    bool ok = true;
    for (const auto& [kind, step] : m_steps) {
        ok = ok && (step.state == SiteStep::State::ok || step.state == SiteStep::State::warning);
        steps.push_back({{"step", nameOf(kind)},
                         {"state", nameOf(step.state)},
                         {"text", step.text},
                         {"hint", textOrNull(step.hint)},
                         {"can_install_torch", step.canInstallTorch},
                         {"ms", step.took.count()}});
    }
    return {{"site", m_site}, {"ok", ok}, {"steps", std::move(steps)}};
}

} // namespace ringside::cli
