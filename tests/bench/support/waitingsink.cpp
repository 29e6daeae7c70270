// SPDX-License-Identifier: MIT
#include "tests/bench/support/waitingsink.h"

#include <algorithm>
#include <cstdio>

namespace ringside::bench {

namespace {

constexpr std::chrono::minutes kLimit{2};

} // namespace

void WaitingSink::runsChanged(const std::vector<store::RunRow>& rows)
{
    const std::lock_guard lock(m_mutex);
    for (const store::RunRow& row : rows)
        m_runs.insert_or_assign(row.id, row.state);
    m_changed.notify_all();
}

void WaitingSink::siteChanged(const SiteStatus& status)
{
    const std::lock_guard lock(m_mutex);
    m_contacts.insert_or_assign(status.name, status.contact);
    m_changed.notify_all();
}

void WaitingSink::problem(const Error& error)
{
    fmt::print(stderr, "{}\n", error.text());
}

Result<void> WaitingSink::waitUntil(const std::function<bool()>& condition, const std::string& what)
{
    std::unique_lock lock(m_mutex);
    if (m_changed.wait_for(lock, kLimit, condition))
        return {};
    return fail(ErrorCode::timeout, fmt::format("Two minutes without {}.", what));
}

Result<void> WaitingSink::contact(const std::string& site, SiteStatus::Contact wanted)
{
    return waitUntil(
        [&] {
            const auto found = m_contacts.find(site);
            return found != m_contacts.end() && found->second == wanted;
        },
        "the contact that is waited for");
}

Result<void> WaitingSink::ends()
{
    return waitUntil(
        [&] {
            return !m_runs.empty() && std::ranges::all_of(m_runs, [](const auto& run) { return isFinal(run.second); });
        },
        "the end of all runs");
}

} // namespace ringside::bench
