// SPDX-License-Identifier: MIT
// A file of 64 MB that cannot be compressed, to a site over one session, against OpenSSH's scp over an open one
// (ControlMaster), at round trips of 0, 10 and 50 ms. In pairs, the order changes; each ratio is scp's time over ours.
// Ours also verifies what arrived, by SHA-256 on both sides, and flushes it to the disk.
#include "core/remote/transfer/transfer.h"
#include "core/base/clock.h"
#include "core/remote/ssh/sshhost.h"
#include "tests/bench/support/benchsite.h"
#include "tests/bench/support/numbers.h"

#include <fstream>
#include <random>

using namespace ringside;
using namespace ringside::bench;

namespace {

constexpr std::size_t kBytes = 64'000'000;
constexpr int kPairs = 9;
constexpr std::array kRoundTripsMs = {0, 10, 50};

void writeRandom(const fs::path& path)
{
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> words(kBytes / sizeof(std::uint64_t));
    std::ranges::generate(words, random);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(kBytes));
}

template <class Work> double secondsOf(const Work& work)
{
    const std::int64_t beganNs = monotonicNs();
    work();
    return double(monotonicNs() - beganNs) / 1e9;
}

/// OpenSSH's session, open until this goes.
class Master
{
public:
    explicit Master(const BenchSite& site)
        : m_options(fmt::format("-F {} -o ControlPath={}", site.sshConfig().string(), (site.folder() / "s").string()))
        , m_scp(fmt::format("scp -q {} ", m_options))
    {
        test::shell(fmt::format("ssh {} -o ControlMaster=yes -f -N {}", m_options, BenchSite::kName));
    }
    ~Master() { (void)std::system(fmt::format("ssh {} -O exit {} 2>/dev/null", m_options, BenchSite::kName).c_str()); }
    Master(const Master&) = delete;
    Master& operator=(const Master&) = delete;

    void copy(const std::string& from, const std::string& to) const { test::shell(m_scp + from + " " + to); }

private:
    std::string m_options;
    std::string m_scp;
};

class Transfers
{
public:
    Transfers(const BenchSite& site, SshHost& host)
        : m_host(host)
        , m_here(site.folder() / "here.bin")
        , m_there(site.folder() / "there.bin")
        , m_master(site)
    {
    }

    void up(bool ours) const
    {
        if (ours)
            must(uploadFile(m_host, m_here, m_there));
        else
            m_master.copy(m_here, far());
    }

private:
    std::string far() const { return std::string(BenchSite::kName) + ":" + m_there; }

    SshHost& m_host;
    std::string m_here, m_there;
    Master m_master;
};

template <class Move> void compare(const std::string& name, const Move& move)
{
    std::vector<double> ratios, ours, theirs;
    for (int pair = 0; pair < kPairs; ++pair) {
        double seconds[2] = {}; // scp's, ours
        for (const bool isOurs : {pair % 2 == 0, pair % 2 != 0})
            seconds[isOurs] = secondsOf([&] { move(isOurs); });
        theirs.push_back(seconds[false]);
        ours.push_back(seconds[true]);
        ratios.push_back(seconds[false] / seconds[true]);
    }
    const auto rate = [](const std::vector<double>& seconds) { return kBytes / median(seconds) / 1e6; };
    fmt::print("transfer.{} {:.2f} ratio 1.0  # {:.2f} to {:.2f}, {} pairs; {:.0f} MB/s, scp {:.0f}\n", name,
               median(ratios), quantile(ratios, 0), quantile(ratios, 1), kPairs, rate(ours), rate(theirs));
}

} // namespace

int main()
{
    BenchSite site;
    writeRandom(site.folder() / "here.bin");
    for (const int roundTripMs : kRoundTripsMs) {
        site.setRoundTrip(std::chrono::milliseconds(roundTripMs));
        SshHost host(site.address());
        must(host.connect(nullptr));
        const Transfers transfers(site, host);
        compare(fmt::format("upload_{}ms", roundTripMs), [&](bool ours) { transfers.up(ours); });
    }
    return 0;
}
