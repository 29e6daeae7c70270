// SPDX-License-Identifier: MIT
#include "agent/worker/cuda/nccllibrary.h"

#include "core/base/files.h"

#include <dlfcn.h>
#include <link.h>

namespace ringside::cuda {

namespace {

constexpr const char* kName = "libnccl.so.2";

/// Where a loaded library is; empty if that cannot be known.
fs::path pathOf(void* library)
{
    const link_map* map = nullptr;
    return library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map ? fs::path(map->l_name) : fs::path();
}

/// As the wheels lie: torch/lib/libtorch_cpu.so beside nvidia/nccl/lib/libnccl.so.2.
void* openTorchs()
{
    void* torch = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
    const fs::path folder = pathOf(torch).parent_path();
    if (torch)
        dlclose(torch); // taken once more only to be asked
    if (folder.empty())
        return nullptr;
    return dlopen((folder / "../../nvidia/nccl/lib" / kName).c_str(), RTLD_NOW | RTLD_LOCAL);
}

struct Opened
{
    void* library = nullptr;
    const char* whose = "";
};

Opened openFirst()
{
    if (void* library = dlopen(kName, RTLD_NOW | RTLD_NOLOAD))
        return {library, "loaded already"};
    if (void* library = openTorchs())
        return {library, "libtorch's"};
    return {dlopen(kName, RTLD_NOW | RTLD_LOCAL), "the system's"};
}

template <class Function> bool find(void* library, const char* name, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

} // namespace

Result<std::shared_ptr<const NcclLibrary>> NcclLibrary::load()
{
    const Opened opened = openFirst();
    if (!opened.library)
        return fail(ErrorCode::unavailable, fmt::format("NCCL cannot be loaded: {}.", dlerror()),
                    "Load its module, or put its folder into LD_LIBRARY_PATH.");
    auto nccl = std::make_shared<NcclLibrary>();
    TRY(nccl->bind(opened.library));
    TRY(nccl->describe(opened.library, opened.whose));
    return nccl;
}

Result<void> NcclLibrary::bind(void* library)
{
    const bool all = find(library, "ncclGetVersion", getVersion) && find(library, "ncclGetUniqueId", getUniqueId) &&
                     find(library, "ncclCommInitRankConfig", commInitRankConfig) &&
                     find(library, "ncclCommGetAsyncError", commGetAsyncError) &&
                     find(library, "ncclCommFinalize", commFinalize) && find(library, "ncclCommDestroy", commDestroy) &&
                     find(library, "ncclCommAbort", commAbort) && find(library, "ncclGetErrorString", getErrorString) &&
                     find(library, "ncclGetLastError", getLastError) && find(library, "ncclGroupStart", groupStart) &&
                     find(library, "ncclGroupEnd", groupEnd) && find(library, "ncclAllReduce", allReduce) &&
                     find(library, "ncclReduce", reduce) && find(library, "ncclReduceScatter", reduceScatter) &&
                     find(library, "ncclAllGather", allGather) && find(library, "ncclBroadcast", broadcast);
    return all ? Result<void>()
               : fail(ErrorCode::unavailable, fmt::format("{} is too old: {}.", pathOf(library).string(), dlerror()),
                      "NCCL 2.14 or later is needed.");
}

/// A communicator's configuration is a structure that grows: an older libnccl than the header would not know it.
Result<void> NcclLibrary::describe(void* library, const char* whose)
{
    int version = 0;
    getVersion(&version);
    const auto textOf = [](int code) { return fmt::format("{}.{}.{}", code / 10'000, code / 100 % 100, code % 100); };
    text = fmt::format("{} ({}, {})", textOf(version), whose, pathOf(library).string());
    if (version / 100 >= NCCL_VERSION_CODE / 100)
        return {};
    return fail(ErrorCode::unavailable,
                fmt::format("NCCL {} is older than the {} that the plug-in was compiled with.", text,
                            textOf(NCCL_VERSION_CODE)),
                "Build the worker again where it runs.");
}

} // namespace ringside::cuda
