// SPDX-License-Identifier: MIT
#include "agent/worker/cuda/nccllibrary.h"

namespace ringside::cuda {

namespace {

constexpr const char* kName = "libnccl.so.2";

struct Opened
{
    Result<SharedLibrary> library;
    const char* whose;
};

/// As the wheels lie: torch/lib/libtorch_cpu.so beside nvidia/nccl/lib/libnccl.so.2.
Opened openFirst()
{
    if (const auto library = SharedLibrary::loaded(kName))
        return {*library, "loaded already"};
    if (const auto torch = SharedLibrary::loaded("libtorch_cpu.so"))
        if (auto library = SharedLibrary::open(torch->file().parent_path() / "../../nvidia/nccl/lib" / kName))
            return {std::move(library), "libtorch's"};
    return {SharedLibrary::open(kName), "the system's"};
}

} // namespace

Result<std::shared_ptr<const NcclLibrary>> NcclLibrary::load()
{
    const Opened opened = openFirst();
    if (!opened.library)
        return fail(ErrorCode::unavailable, "NCCL cannot be loaded: " + opened.library.error().message,
                    "Load its module, or put its folder into LD_LIBRARY_PATH.");
    auto nccl = std::make_shared<NcclLibrary>();
    TRY(nccl->bind(*opened.library));
    TRY(nccl->describe(*opened.library, opened.whose));
    return nccl;
}

Result<void> NcclLibrary::bind(const SharedLibrary& library)
{
    const bool all = library.find("ncclGetVersion", getVersion) && library.find("ncclGetUniqueId", getUniqueId) &&
                     library.find("ncclCommInitRankConfig", commInitRankConfig) &&
                     library.find("ncclCommGetAsyncError", commGetAsyncError) &&
                     library.find("ncclCommFinalize", commFinalize) && library.find("ncclCommDestroy", commDestroy) &&
                     library.find("ncclCommAbort", commAbort) && library.find("ncclGetErrorString", getErrorString) &&
                     library.find("ncclGetLastError", getLastError) && library.find("ncclGroupStart", groupStart) &&
                     library.find("ncclGroupEnd", groupEnd) && library.find("ncclAllReduce", allReduce) &&
                     library.find("ncclReduce", reduce) && library.find("ncclReduceScatter", reduceScatter) &&
                     library.find("ncclAllGather", allGather) && library.find("ncclBroadcast", broadcast) &&
                     library.find("ncclSend", send) && library.find("ncclRecv", recv);
    return all ? Result<void>()
               : fail(ErrorCode::unavailable, fmt::format("{} is too old: {}.", library.file().string(), dlerror()),
                      "NCCL 2.14 or later is needed.");
}

/// A communicator's configuration is a structure that grows: an older libnccl than the header would not know it.
Result<void> NcclLibrary::describe(const SharedLibrary& library, const char* whose)
{
    int version = 0;
    getVersion(&version);
    const auto textOf = [](int code) { return fmt::format("{}.{}.{}", code / 10'000, code / 100 % 100, code % 100); };
    text = fmt::format("{} ({}, {})", textOf(version), whose, library.file().string());
    if (version / 100 >= NCCL_VERSION_CODE / 100)
        return {};
    return fail(ErrorCode::unavailable,
                fmt::format("NCCL {} is older than the {} that the plug-in was compiled with.", text,
                            textOf(NCCL_VERSION_CODE)),
                "Build the worker again where it runs.");
}

} // namespace ringside::cuda
