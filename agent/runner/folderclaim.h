// SPDX-License-Identifier: MIT
// The right to change a folder that several hosts may see. It is a lease, which needs no kernel locks: Lustre may have
// none, or those of each host alone, and NFS passes on none of folders.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <chrono>
#include <memory>

namespace ringside::runner {

/// A holder on another host, or in another container, counts as gone after so long without a sign of life. Such signs
/// are times of a file; clocks of hosts may differ by less.
inline constexpr std::chrono::minutes kUnseenHolder{3};

/// Held until it is destroyed or its process ends. A thread of its own gives the signs of life.
class FolderClaim
{
public:
    /// Does not wait for other holders, of which there may be earlier versions, too. The leases are in a folder beside,
    /// which stays. Errors: busy (the message names the holder), notFound (also where the folder was
    /// removed meanwhile), permission (the folder is another user's, or a link), else as of systemError.
    static Result<FolderClaim> take(const fs::path& folder);
    /// The same where the folder may be gone, to remove its leases.
    static Result<FolderClaim> takeLeases(const fs::path& folder);
    /// Returns whether that is held; true if it cannot be found out.
    static bool isTaken(const fs::path& folder);
    /// False once another process counted this one as gone, for it was suspended, say, and may have taken the folder.
    bool isHeld() const;
    /// The folder of its leases.
    static fs::path leasesOf(const fs::path& folder);

    FolderClaim(FolderClaim&&) noexcept;
    FolderClaim& operator=(FolderClaim&&) noexcept;
    ~FolderClaim();

private:
    class Holder;
    explicit FolderClaim(std::unique_ptr<Holder> holder);
    std::unique_ptr<Holder> m_holder;
};

} // namespace ringside::runner
