// SPDX-License-Identifier: MIT
// MPI on host buffers. Open MPI makes progress only inside its calls, so collectives are the blocking ones, called from
// a communication thread where they are to overlap with computing (plans/communicationthread.h).
#include "agent/worker/collectives/backends.h"
#include "core/base/environment.h"

#include <algorithm>
#include <cstdlib>
#include <mpi.h>

namespace ringside {

namespace {

/// Ranks of one computer hand large messages over in fragments, and where two processes share a core each fragment
/// waits for the other to be scheduled. Open MPI's 32 KiB cost 49 s for AlexNet's 244 MB on a busy machine; 512 KiB,
/// the largest of which its pool of 4 MiB holds enough, 1.3 s. What the user has set stays. (vader is Open MPI 4's
/// name, sm that of 5.)
void preferLargeFragments()
{
    for (const char* variable : {"OMPI_MCA_btl_vader_max_send_size", "OMPI_MCA_btl_sm_max_send_size"})
        setenv(variable, "524288", 0);
}

constexpr std::size_t kMaxCount = std::size_t{1} << 30; // MPI counts are int

Result<void> checkMpi(int code, const char* call, int rank)
{
    if (code == MPI_SUCCESS)
        return {};
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    return fail(ErrorCode::unavailable, fmt::format("{} failed on rank {}: {}.", call, rank, text),
                "Another rank has probably ended; see its log.");
}

class MpiCommunicator : public Communicator
{
public:
    MpiCommunicator()
    {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &m_rank);
        MPI_Comm_size(MPI_COMM_WORLD, &m_size);
    }
    ~MpiCommunicator() override { MPI_Finalize(); }

    int rank() const override { return m_rank; }
    int worldSize() const override { return m_size; }
    int localRank() const override
    {
        for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) // of mpirun; of srun
            if (const char* local = environment(name))
                return std::atoi(local);
        return m_rank;
    }
    std::string transport() const override
    {
        const char* layers = environment("OMPI_MCA_btl");
        return fmt::format("mpi: {}", layers ? layers : "default");
    }

    Result<void> allReduceSum(std::span<float> buffer) override
    {
        for (std::size_t at = 0; at < buffer.size(); at += kMaxCount) {
            const auto count = static_cast<int>(std::min(kMaxCount, buffer.size() - at));
            TRY(checkMpi(MPI_Allreduce(MPI_IN_PLACE, buffer.data() + at, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
                         "MPI_Allreduce", m_rank));
        }
        return {};
    }
    Result<void> broadcast(std::span<std::byte> buffer, int root) override
    {
        for (std::size_t at = 0; at < buffer.size(); at += kMaxCount) {
            const auto count = static_cast<int>(std::min(kMaxCount, buffer.size() - at));
            TRY(checkMpi(MPI_Bcast(buffer.data() + at, count, MPI_BYTE, root, MPI_COMM_WORLD), "MPI_Bcast", m_rank));
        }
        return {};
    }
    Result<void> barrier() override { return checkMpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier", m_rank); }
    Result<std::string> allGather(const std::string& bytes) override
    {
        const auto count = static_cast<int>(bytes.size());
        std::string all(bytes.size() * static_cast<std::size_t>(m_size), '\0');
        TRY(checkMpi(MPI_Allgather(bytes.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, MPI_COMM_WORLD),
                     "MPI_Allgather", m_rank));
        return all;
    }
    void abort(int exitCode) override
    {
        MPI_Abort(MPI_COMM_WORLD, exitCode);
        std::_Exit(exitCode); // MPI_Abort does not promise not to return
    }

private:
    int m_rank = 0;
    int m_size = 1;
};

} // namespace

std::string mpiVersion()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length); // allowed before MPI_Init
    const std::string_view whole(text, static_cast<std::size_t>(length));
    return std::string(whole.substr(0, whole.find_first_of(",\n")));
}

Result<std::unique_ptr<Communicator>> makeMpiCommunicator()
{
    preferLargeFragments();
    int provided = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return fail(ErrorCode::unavailable, "MPI_Init_thread failed.", "See Open MPI's message above.");
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return fail(ErrorCode::unavailable, "This MPI does not allow calls from a communication thread.",
                    "Use an MPI with MPI_THREAD_SERIALIZED, for example Open MPI 4.");
    }
    return std::make_unique<MpiCommunicator>();
}

} // namespace ringside
