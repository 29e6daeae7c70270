// SPDX-License-Identifier: MIT
#include "agent/relay/errands.h"

#include <algorithm>
#include <poll.h>

namespace ringside::relay {

void Errands::start(std::vector<std::string> command, const runner::ErrandOptions& options, Done done)
{
    auto errand = runner::Errand::start(command, options);
    m_pending.push_back({std::move(command), std::move(errand), std::move(done)});
}

void Errands::turn(std::int64_t nowNs)
{
    m_late.remove_if([&](runner::Errand& errand) { return errand.turn(INT64_MIN); });
    for (auto pending = m_pending.begin(); pending != m_pending.end();) {
        if (pending->errand && !pending->errand->turn(nowNs)) {
            ++pending;
            continue;
        }
        Pending ended = std::move(*pending);
        pending = m_pending.erase(pending); // before `done`, which may start another one
        auto answer = ended.errand.and_then([](runner::Errand& errand) { return errand.take(); });
        if (ended.errand)
            m_late.push_back(std::move(*ended.errand));
        ended.done(runner::outputOf(ended.command, std::move(answer)));
    }
}

void Errands::addTo(std::vector<pollfd>& set) const
{
    for (const auto& pending : m_pending)
        if (pending.errand)
            pending.errand->addTo(set);
}

std::int64_t Errands::dueNs() const
{
    std::int64_t dueNs = INT64_MAX;
    for (const auto& pending : m_pending)
        dueNs = std::min(dueNs, pending.errand ? pending.errand->dueNs() : INT64_MIN);
    return dueNs;
}

} // namespace ringside::relay
