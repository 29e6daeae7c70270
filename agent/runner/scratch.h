// SPDX-License-Identifier: MIT
// A short-lived folder for an attempt's sockets and control pipe. Its path is short because Unix sockets hold 107
// bytes.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

namespace ringside::runner {

/// With what the name of every such folder begins.
inline constexpr std::string_view kScratchBegin = "ringside-";
/// runs/<uuid>/attempt-k -> "ringside-<first 8>-k-"
std::string scratchPrefix(const fs::path& attempt);

/// $TMPDIR, or /tmp if that is unset or too long: Unix sockets hold paths of 107 bytes.
fs::path temporaryBase();
/// Where Linux keeps files in memory.
inline constexpr const char* kSharedMemoryBase = "/dev/shm";

/// A private folder, removed with the object.
class Scratch
{
public:
    /// `attempt` is the attempt's folder, which names it.
    static Result<Scratch> make(const fs::path& base, const fs::path& attempt);
    Scratch(Scratch&& other) noexcept
        : m_path(std::exchange(other.m_path, {}))
    {
    }
    Scratch& operator=(Scratch&&) = delete;
    ~Scratch();

    const fs::path& path() const { return m_path; }

private:
    explicit Scratch(fs::path path)
        : m_path(std::move(path))
    {
    }
    fs::path m_path;
};

/// Removes what a runner or guard that was killed left behind for this attempt on this computer.
void removeScratchOf(const fs::path& attempt);

} // namespace ringside::runner
