// SPDX-License-Identifier: MIT
// libnccl, loaded at run time: it has to be the one that libtorch uses, and two of them in a process do not work.
#pragma once

#include "core/base/sharedlibrary.h"

#include <memory>
#include <nccl.h>
#include <string>

namespace ringside::cuda {

/// The functions that are used, by their own names. It stays loaded.
struct NcclLibrary
{
    /// In this order: the one that the process has loaded already, that of the wheels of the libtorch that it has
    /// loaded, the system's (LD_LIBRARY_PATH, the folder that the plug-in was compiled with, the linker's cache).
    static Result<std::shared_ptr<const NcclLibrary>> load();

    std::string text; ///< "2.28.9 (libtorch's, /…/libnccl.so.2)"

    decltype(&::ncclGetVersion) getVersion = nullptr;
    decltype(&::ncclGetUniqueId) getUniqueId = nullptr;
    decltype(&::ncclCommInitRankConfig) commInitRankConfig = nullptr;
    decltype(&::ncclCommGetAsyncError) commGetAsyncError = nullptr;
    decltype(&::ncclCommFinalize) commFinalize = nullptr;
    decltype(&::ncclCommDestroy) commDestroy = nullptr;
    decltype(&::ncclCommAbort) commAbort = nullptr;
    decltype(&::ncclGetErrorString) getErrorString = nullptr;
    decltype(&::ncclGetLastError) getLastError = nullptr;
    decltype(&::ncclGroupStart) groupStart = nullptr;
    decltype(&::ncclGroupEnd) groupEnd = nullptr;
    decltype(&::ncclAllReduce) allReduce = nullptr;
    decltype(&::ncclReduce) reduce = nullptr;
    decltype(&::ncclReduceScatter) reduceScatter = nullptr;
    decltype(&::ncclAllGather) allGather = nullptr;
    decltype(&::ncclBroadcast) broadcast = nullptr;
    decltype(&::ncclSend) send = nullptr;
    decltype(&::ncclRecv) recv = nullptr;

private:
    Result<void> bind(const SharedLibrary& library);
    Result<void> describe(const SharedLibrary& library, const char* whose);
};

} // namespace ringside::cuda
