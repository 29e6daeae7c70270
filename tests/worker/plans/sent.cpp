// SPDX-License-Identifier: MIT
#include "tests/worker/plans/sent.h"

#include "tests/support/built.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/plans/probing.h"
#include "tests/worker/plans/sentlog.h"

#include <cstdlib>
#include <iterator>
#include <sstream>

namespace ringside::test {

namespace {

/// For ranks started while it lives: their messages are counted, and MPI's collectives send no more than they must.
class Counting
{
public:
    explicit Counting(const fs::path& folder)
    {
        set(kSentVariable, folder.string());
        setMpi("pml_monitoring_enable", "1"); // collectives' messages among the others
        setMpi("coll_tuned_use_dynamic_rules", "1");
        setMpi("coll_tuned_allreduce_algorithm", "4");      // ring
        setMpi("coll_tuned_reduce_scatter_algorithm", "3"); // ring
        setMpi("coll_tuned_allgatherv_algorithm", "3");     // ring
        setMpi("coll_tuned_allgather_algorithm", "4");      // ring
        setMpi("coll_tuned_alltoall_algorithm", "2");       // pairwise
        setMpi("coll_tuned_reduce_algorithm", "1");         // linear
        setMpi("coll_tuned_bcast_algorithm", "1");          // linear
    }
    ~Counting()
    {
        for (const auto& name : m_names)
            unsetenv(name.c_str());
    }
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

private:
    void setMpi(const std::string& parameter, const std::string& value) { set("OMPI_MCA_" + parameter, value); }
    void set(const std::string& name, const std::string& value)
    {
        m_names.push_back(name);
        setenv(name.c_str(), value.c_str(), 1);
    }
    std::vector<std::string> m_names;
};

/// All processes' lines, added up.
std::vector<Sent> readSent(const fs::path& folder)
{
    std::vector<Sent> sent;
    for (const auto& file : fs::directory_iterator(folder)) {
        std::ifstream lines(file.path());
        std::size_t i = 0;
        for (std::string line; std::getline(lines, line); ++i) {
            sent.resize(std::max(sent.size(), i + 1));
            std::istringstream numbers(line);
            Sent mine;
            numbers >> mine.bytes >> mine.messages >> mine.betweenNodes;
            REQUIRE(numbers);
            sent[i].bytes += mine.bytes;
            sent[i].messages += mine.messages;
            sent[i].betweenNodes += mine.betweenNodes;
            if (file.path().filename() == "0")
                sent[i].handedOver.assign(std::istream_iterator<std::uint64_t>(numbers), {});
        }
    }
    return sent;
}

/// Without what had been sent earlier. What was handed over is listed trial by trial.
Sent since(const Sent& earlier, const Sent& sent)
{
    return {sent.bytes - earlier.bytes, sent.messages - earlier.messages, sent.betweenNodes - earlier.betweenNodes,
            sent.handedOver};
}

/// Each follows a trial like it that shows what its iterations do not send.
Trials withBases(const Trials& trials)
{
    Trials all;
    for (const Trial& trial : trials)
        for (const int iterations : {0, trial.iterations}) {
            all.push_back(trial);
            all.back().iterations = iterations + (trial.plan.serverRanks() > 0 ? 1 : 0);
        }
    return all;
}

} // namespace

std::vector<Sent> sentIn(int ranks, const Trials& trials, Meeting meeting)
{
    const TemporaryFolder folder;
    const Counting counting(folder.path());
    const std::string probe =
        trials.front().plan.serverRanks() > 0 ? testProgram("serverprobe") : testProgram("gradientprobe");
    REQUIRE(exitCodeOf(probe, ranks, withBases(trials), meeting) == 0);
    const auto log = readSent(folder.path());
    REQUIRE(log.size() == 1 + 2 * trials.size());
    std::vector<Sent> sent;
    for (std::size_t i = 1; i < log.size(); i += 2)
        sent.push_back(since(since(log[i - 1], log[i]), since(log[i], log[i + 1])));
    return sent;
}

} // namespace ringside::test
