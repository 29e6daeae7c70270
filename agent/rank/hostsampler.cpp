// SPDX-License-Identifier: MIT
#include "agent/rank/hostsampler.h"

#include "core/base/clock.h"
#include "core/base/parsenumber.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <dirent.h>
#include <memory>
#include <sched.h>
#include <unistd.h>

namespace ringside {

namespace {

/// Lists of processes after which all are looked at again. Reading every process's file each time would cost more than
/// all else here, and a process joins the family by being born into it.
constexpr std::uint64_t kListsPerLook = 10;

/// A list takes as long as four readings of the rest. The ranks of an attempt have met before the first one; the time
/// of one that joins later is subtracted once it is seen.
constexpr std::chrono::seconds kListing{5};

const double kTickNs = 1e9 / double(sysconf(_SC_CLK_TCK));

std::int64_t cpuNsOf(pid_t process)
{
    clockid_t clock{};
    timespec t{};
    if (clock_getcpuclockid(process, &clock) == 0)
        clock_gettime(clock, &t);
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

/// "0-3,8" as in /proc/<pid>/status.
bool listHasAny(std::string_view list, const std::set<int>& cores)
{
    const auto take = [&](int& number) {
        const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), number);
        list.remove_prefix(static_cast<std::size_t>(end - list.data()));
        return error == std::errc{};
    };
    for (int first = 0, last = 0; take(first);) {
        last = first;
        if (list.starts_with('-')) {
            list.remove_prefix(1);
            take(last);
        }
        const auto core = cores.lower_bound(first);
        if (core != cores.end() && *core <= last)
            return true;
        list.remove_prefix(list.starts_with(',') ? 1 : 0);
    }
    return false;
}

/// The process is bound before it is watched.
std::set<int> coresOf(pid_t process)
{
    cpu_set_t usable;
    CPU_ZERO(&usable);
    std::set<int> cores;
    if (sched_getaffinity(process, sizeof usable, &usable) == 0)
        for (int core = 0; core < CPU_SETSIZE; ++core)
            if (CPU_ISSET(core, &usable))
                cores.insert(core);
    return cores;
}

std::set<std::string, std::less<>> adaptersIn(const fs::path& interfaces)
{
    std::set<std::string, std::less<>> adapters;
    std::error_code ignored;
    for (const auto& interface : fs::directory_iterator(interfaces, ignored))
        if (fs::exists(interface.path() / "device", ignored))
            adapters.insert(interface.path().filename().string());
    return adapters;
}

} // namespace

HostSampler::HostSampler(pid_t rank)
    : HostSampler("/proc", cpuNsOf, rank, coresOf(rank), kListing)
{
}

HostSampler::HostSampler(fs::path proc, CpuClock clock, pid_t rank, std::set<int> cores,
                         std::chrono::nanoseconds listing, const fs::path& sys)
    : m_proc(std::move(proc))
    , m_clock(std::move(clock))
    , m_rank(rank)
    , m_stat(m_proc / "stat")
    , m_statm(m_proc / std::to_string(rank) / "statm")
    , m_meminfo(m_proc / "meminfo")
    , m_io(m_proc / std::to_string(rank) / "io")
    , m_network(m_proc / "self/net/dev")
    , m_cores(std::move(cores))
    , m_adapters(adaptersIn(sys / "class/net"))
    , m_listing(listing)
    , m_session(getsid(0))
    , m_onlineCores(double(sysconf(_SC_NPROCESSORS_ONLN)))
    , m_ticks(readTicks())
    , m_ownNs(m_clock(rank))
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
    std::string pages = m_statm.read();
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
    const Ticks ticks = readTicks();
    const FamilyTicks family = takeFamilyTicks();
    const std::int64_t ownNs = std::max(m_ownNs, m_clock(m_rank));
    telemetry.atNs = monotonicNs();

    const auto shareOf = [](const CoreTicks& now, const CoreTicks& before, double ours, Foreign& foreign) {
        const double total = since(now.total, before.total);
        const double busy = since(now.busy, before.busy) - since(now.interrupts, before.interrupts);
        return share(foreign.take(busy - ours, total), total);
    };
    telemetry.cpuShare = share(since(ticks.host.busy, m_ticks.host.busy), since(ticks.host.total, m_ticks.host.total));
    telemetry.foreignCpuShare = shareOf(ticks.host, m_ticks.host, family.host, m_foreignOnHost);
    if (ticks.cores.total > m_ticks.cores.total)
        telemetry.foreignCoresShare = shareOf(ticks.cores, m_ticks.cores, family.cores, m_foreignOnCores);
    const double usedNs = double(ownNs - m_ownNs) + family.started * kTickNs;
    const auto elapsedNs = double(telemetry.atNs - m_atNs);
    telemetry.ownCpuShare = share(usedNs, elapsedNs * m_onlineCores);
    if (!m_cores.empty())
        telemetry.ownCoresShare = share(usedNs, elapsedNs * double(m_cores.size()));

    m_ticks = ticks;
    m_ownNs = ownNs;
    m_atNs = telemetry.atNs;
}

/// Counters of the host and of its processes are read one after the other, and each is rounded: of a tenth of a second,
/// a tick is a tenth. `most` bounds what one odd reading can hide later.
double HostSampler::Foreign::take(double ticks, double most)
{
    const double foreign = ticks - m_owed;
    m_owed = std::clamp(-foreign, 0.0, most);
    return std::max(foreign, 0.0);
}

namespace {

/// Busy time of a line of /proc/stat, behind its name.
template <class Ticks> void addCoreLine(Ticks& ticks, std::string_view rest)
{
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
    std::array<std::uint64_t, fields> each{}; // guest time, which follows, is part of user already
    for (std::uint64_t& field : each)
        field = takeNumber(rest);
    const std::uint64_t interrupts = each[irq] + each[softIrq];
    const std::uint64_t busy = each[user] + each[nice] + each[system] + each[steal] + interrupts;
    ticks.total += busy + each[idle] + each[ioWait];
    ticks.busy += busy;
    ticks.interrupts += interrupts;
}

} // namespace

HostSampler::Ticks HostSampler::readTicks() const
{
    const std::string text = m_stat.read();
    Ticks ticks;
    for (std::string_view rest = text; rest.starts_with("cpu");) {
        std::string_view line = rest.substr(3, rest.find('\n') == rest.npos ? rest.npos : rest.find('\n') - 3);
        rest.remove_prefix(std::min(line.size() + 4, rest.size()));
        if (line.starts_with(' '))
            addCoreLine(ticks.host, line);
        else if (m_cores.contains(static_cast<int>(takeNumber(line))))
            addCoreLine(ticks.cores, line);
    }
    return ticks;
}

bool HostSampler::isFamily(std::string_view name, int session) const
{
    return session == m_session || name == "ringside" || name == "ringside-cli" || name == "ringside-agent";
}

bool HostSampler::mayRunHere(pid_t pid) const
{
    const std::string text = readProc(m_proc / std::to_string(pid) / "status");
    constexpr std::string_view kList = "Cpus_allowed_list:\t";
    const auto at = text.find(kList);
    return at == text.npos || listHasAny(std::string_view(text).substr(at + kList.size()), m_cores);
}

bool HostSampler::isTimeToList()
{
    const std::int64_t now = monotonicNs();
    if (!m_isListDue && now - m_listedNs < m_listing.count())
        return false;
    m_isListDue = false;
    m_listedNs = now;
    return true;
}

std::vector<pid_t> HostSampler::processes() const
{
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(m_proc.c_str()), closedir);
    std::vector<pid_t> pids;
    while (const dirent* entry = folder ? readdir(folder.get()) : nullptr)
        if (const auto pid = parseNumber<pid_t>(entry->d_name)) // other entries are no processes
            pids.push_back(*pid);
    return pids;
}

HostSampler::Family HostSampler::listed()
{
    if (++m_lists % kListsPerLook == 0)
        m_strangers.clear();
    Family family;
    for (const pid_t pid : processes())
        if (const auto found = relative(pid))
            family[pid] = *found;
    return family;
}

/// As of the last list, by their clocks now.
HostSampler::Family HostSampler::known() const
{
    Family family = m_family;
    for (auto& [pid, relative] : family)
        relative.usedNs = m_clock(pid);
    std::erase_if(family, [](const auto& each) { return each.second.usedNs == 0; });
    return family;
}

/// Ticks of the family since the previous call. A process that was not there before began since then.
HostSampler::FamilyTicks HostSampler::takeFamilyTicks()
{
    Family now = isTimeToList() ? listed() : known();
    FamilyTicks taken;
    for (const auto& [pid, relative] : now) {
        const auto before = m_family.find(pid);
        const bool isKnown = before != m_family.end() && before->second.usedNs <= relative.usedNs;
        const double ticks = double(relative.usedNs - (isKnown ? before->second.usedNs : 0)) / kTickNs;
        taken.host += ticks;
        taken.cores += relative.mayRunHere ? ticks : 0;
        taken.started += descendsFromRank(now, pid) ? ticks : 0;
    }
    m_family = std::move(now);
    return taken;
}

/// The state of a process of the family; nullopt for strangers, which are looked at only now and then, as are the cores
/// that a relative may use.
std::optional<HostSampler::Relative> HostSampler::relative(pid_t pid)
{
    if (m_strangers.count(pid))
        return std::nullopt;
    const std::string text = readProc(m_proc / std::to_string(pid) / "stat");
    const auto process = parseProcessStat(text);
    if (!process || !isFamily(process->name, process->session)) {
        m_strangers.insert(pid);
        return std::nullopt;
    }
    const auto before = m_family.find(pid);
    const bool isNew = before == m_family.end() || m_lists % kListsPerLook == 0;
    return Relative{m_clock(pid), process->parent, isNew ? mayRunHere(pid) : before->second.mayRunHere};
}

bool HostSampler::descendsFromRank(const Family& family, pid_t pid) const
{
    auto at = family.find(pid);
    // Processes are read one after the other, so that with ids that are used again parents can form a circle.
    for (std::size_t steps = 0; at != family.end() && steps < family.size(); ++steps) {
        if (at->second.parent == m_rank)
            return true;
        at = family.find(at->second.parent);
    }
    return false;
}

std::uint64_t HostSampler::hostMemoryUsed() const
{
    const std::string text = m_meminfo.read();
    return 1024 * (numberAfter(text, "MemTotal:") - numberAfter(text, "MemAvailable:"));
}

bool HostSampler::countsInterface(std::string_view name) const
{
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    return m_adapters.empty() ? name != "lo" : m_adapters.contains(name);
}

std::uint64_t HostSampler::networkSent() const
{
    const std::string text = m_network.read();
    std::uint64_t sent = 0;
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const auto colon = line.find(':');
        if (colon == line.npos || !countsInterface(line.substr(0, colon)))
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
    return numberAfter(m_io.read(), "read_bytes:");
}

} // namespace ringside
