// SPDX-License-Identifier: MIT
// Libraries that are loaded at run time, where they may be absent.
#pragma once

#include "core/base/files.h"

#include <dlfcn.h>
#include <link.h>
#include <optional>

namespace ringside {

/// Stays loaded. A name without a folder is looked for as the linker does it.
class SharedLibrary
{
public:
    /// The library's symbols stay its own, unless `forAll`. Fails with unavailable and the linker's reason.
    static Result<SharedLibrary> open(const fs::path& file, bool forAll = false)
    {
        if (void* handle = dlopen(file.c_str(), RTLD_NOW | (forAll ? RTLD_GLOBAL : RTLD_LOCAL)))
            return SharedLibrary(handle);
        return fail(ErrorCode::unavailable, fmt::format("{}.", dlerror()));
    }
    /// If the process has it already.
    static std::optional<SharedLibrary> loaded(const char* name)
    {
        void* handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
        return handle ? std::optional(SharedLibrary(handle)) : std::nullopt;
    }

    /// A function or object of this name; null if there is none.
    template <class Symbol> Symbol* find(const char* name) const
    {
        return reinterpret_cast<Symbol*>(dlsym(m_handle, name));
    }
    /// Returns whether there is a function of this name, which is set then.
    template <class Function> bool find(const char* name, Function*& function) const
    {
        return (function = find<Function>(name)) != nullptr;
    }
    /// Returns where it lies; empty if that cannot be known.
    fs::path file() const
    {
        const link_map* map = nullptr;
        return dlinfo(m_handle, RTLD_DI_LINKMAP, &map) == 0 && map ? fs::path(map->l_name) : fs::path();
    }

private:
    explicit SharedLibrary(void* handle)
        : m_handle(handle)
    {
    }
    void* m_handle;
};

} // namespace ringside
