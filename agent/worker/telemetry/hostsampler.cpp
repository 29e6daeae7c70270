// SPDX-License-Identifier: MIT
#include "agent/worker/telemetry/hostsampler.h"

#include "agent/worker/telemetry/procfile.h"
#include "core/base/clock.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <dirent.h>
#include <memory>
#include <unistd.h>

namespace ringside {

namespace {

/// Calls after which strangers are looked at again. Reading every process's file each second would cost more than all
/// else here, and a process joins the family by being born into it.
constexpr std::uint64_t kCallsPerLook = 10;

std::int64_t ownCpuNs()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

float share(double part, double whole)
{
    return whole > 0 ? float(std::clamp(part / whole, 0.0, 1.0)) : 0.0F;
}

/// Ticks since the previous reading; counters of a guest can go backwards a little.
double since(std::uint64_t now, std::uint64_t before)
{
    return now > before ? double(now - before) : 0.0;
}

/// The process id that a folder of /proc is named by; 0 for other entries.
pid_t processId(std::string_view name)
{
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    return error == std::errc{} && end == name.data() + name.size() ? pid : 0;
}

} // namespace

HostSampler::HostSampler(fs::path proc)
    : m_proc(std::move(proc))
    , m_session(getsid(0))
    , m_ticks(readHostTicks())
    , m_ownNs(ownCpuNs())
    , m_atNs(monotonicNs())
    , m_networkAtStart(networkSent())
    , m_diskAtStart(diskRead())
{
    takeFamilyTicks();
}

Telemetry HostSampler::sample()
{
    Telemetry telemetry;
    fillCpu(telemetry);
    std::string pages = readProc(m_proc / "self/statm");
    std::string_view rest = pages;
    takeNumber(rest); // virtual size
    telemetry.memoryBytes = takeNumber(rest) * std::uint64_t(sysconf(_SC_PAGESIZE));
    telemetry.hostMemoryUsedBytes = hostMemoryUsed();
    telemetry.diskReadBytes = diskRead() - m_diskAtStart;
    telemetry.networkSentBytes = networkSent() - m_networkAtStart;
    return telemetry;
}

void HostSampler::fillCpu(Telemetry& telemetry)
{
    const HostTicks ticks = readHostTicks();
    const double family = double(takeFamilyTicks());
    const std::int64_t ownNs = ownCpuNs();
    telemetry.atNs = monotonicNs();

    const double total = since(ticks.total, m_ticks.total);
    const double busy = since(ticks.busy, m_ticks.busy);
    const double interrupts = since(ticks.interrupts, m_ticks.interrupts);
    telemetry.cpuShare = share(busy, total);
    telemetry.foreignCpuShare = share(busy - interrupts - family, total);
    const double coreNs = double(telemetry.atNs - m_atNs) * double(sysconf(_SC_NPROCESSORS_ONLN));
    telemetry.ownCpuShare = share(double(ownNs - m_ownNs), coreNs);

    m_ticks = ticks;
    m_ownNs = ownNs;
    m_atNs = telemetry.atNs;
}

HostSampler::HostTicks HostSampler::readHostTicks() const
{
    const std::string text = readProc(m_proc / "stat");
    std::string_view rest = text;
    if (!rest.starts_with("cpu "))
        return {};
    rest.remove_prefix(4);
    enum
    {
        user,
        nice,
        system,
        idle,
        ioWait,
        irq,
        softIrq,
        steal,
        fields
    };
    std::array<std::uint64_t, fields> ticks{}; // guest time, which follows, is part of user already
    for (std::uint64_t& field : ticks)
        field = takeNumber(rest);
    const std::uint64_t interrupts = ticks[irq] + ticks[softIrq];
    const std::uint64_t busy = ticks[user] + ticks[nice] + ticks[system] + ticks[steal] + interrupts;
    return {busy + ticks[idle] + ticks[ioWait], busy, interrupts};
}

bool HostSampler::isFamily(std::string_view name, int session) const
{
    return session == m_session || name == "ringside" || name == "ringside-cli" || name == "ringside-agent";
}

/// Ticks of the family since the previous call. A process that was not there before began since then.
std::uint64_t HostSampler::takeFamilyTicks()
{
    if (++m_calls % kCallsPerLook == 0)
        m_strangers.clear();
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(m_proc.c_str()), closedir);
    std::unordered_map<pid_t, std::uint64_t> now;
    std::uint64_t taken = 0;
    while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
        const pid_t pid = processId(entry->d_name);
        const auto ticks = pid ? familyTicks(pid) : std::nullopt;
        if (!ticks)
            continue;
        const auto before = m_familyTicks.find(pid);
        const bool known = before != m_familyTicks.end() && before->second <= *ticks;
        taken += *ticks - (known ? before->second : 0);
        now[pid] = *ticks;
    }
    m_familyTicks = std::move(now);
    return taken;
}

/// Ticks since its start of a process of the family; nullopt for strangers, which are looked at now and then only.
std::optional<std::uint64_t> HostSampler::familyTicks(pid_t pid)
{
    if (m_strangers.count(pid))
        return std::nullopt;
    const std::string text = readProc(m_proc / std::to_string(pid) / "stat");
    const auto process = parseProcessStat(text);
    if (process && isFamily(process->name, process->session))
        return process->ticks;
    m_strangers.insert(pid);
    return std::nullopt;
}

std::uint64_t HostSampler::hostMemoryUsed() const
{
    const std::string text = readProc(m_proc / "meminfo");
    return 1024 * (numberAfter(text, "MemTotal:") - numberAfter(text, "MemAvailable:"));
}

std::uint64_t HostSampler::networkSent() const
{
    const std::string text = readProc(m_proc / "self/net/dev");
    std::uint64_t sent = 0;
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const auto colon = line.find(':');
        if (colon == line.npos || line.substr(0, colon).ends_with(" lo"))
            continue;
        line.remove_prefix(colon + 1);
        for (int received = 0; received < 8; ++received)
            takeNumber(line);
        sent += takeNumber(line);
    }
    return sent;
}

std::uint64_t HostSampler::diskRead() const
{
    return numberAfter(readProc(m_proc / "self/io"), "read_bytes:");
}

} // namespace ringside
