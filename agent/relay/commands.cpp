// SPDX-License-Identifier: MIT
#include "agent/relay/commands.h"

#include <algorithm>
#include <poll.h>

namespace ringside::relay {

void Commands::start(std::vector<std::string> arguments, const runner::CommandOptions& options, Done done,
                     runner::TextTest tellsOnlyTheCode)
{
    auto command = runner::Command::start(arguments, options);
    m_pending.push_back({std::move(arguments), std::move(command), std::move(done), std::move(tellsOnlyTheCode)});
}

void Commands::poll(std::int64_t nowNs)
{
    m_late.remove_if([&](runner::Command& command) { return command.poll(INT64_MIN); });
    for (auto pending = m_pending.begin(); pending != m_pending.end();) {
        if (pending->command && !pending->command->poll(nowNs)) {
            ++pending;
            continue;
        }
        Pending ended = std::move(*pending);
        pending = m_pending.erase(pending); // before `done`, which may start another one
        auto answer = ended.command.and_then([](runner::Command& command) { return command.take(); });
        if (ended.command)
            m_late.push_back(std::move(*ended.command));
        ended.done(runner::outputOf(ended.arguments, std::move(answer), ended.tellsOnlyTheCode));
    }
}

void Commands::addTo(std::vector<pollfd>& set) const
{
    for (const auto& pending : m_pending)
        if (pending.command)
            pending.command->addTo(set);
}

std::int64_t Commands::dueNs() const
{
    std::int64_t dueNs = INT64_MAX;
    for (const auto& pending : m_pending)
        dueNs = std::min(dueNs, pending.command ? pending.command->dueNs() : INT64_MIN);
    return dueNs;
}

} // namespace ringside::relay
