// SPDX-License-Identifier: MIT
// Files to a host through commands of its shell: whole or not at all. What arrives is verified by the checks in zstd's
// frames and the size, or by SHA-256 on both sides where the host has no zstd.
//
// One command watches over a temporary file beside the target and removes it if the connection ends before the file is
// whole; others carry the pieces of it: one where the host is near, up to four elsewhere, since one channel of SSH
// moves 2 MB per round trip and no more.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/remote/host.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace ringside {

/// Bytes of the file that have been sent, of all.
using TransferProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct TransferOptions
{
    int mode = 0600;             ///< of the file there
    bool compress = true;        ///< by zstd, where the host has it
    int channels = 0;            ///< at most so many for the pieces of a large file; 0: by the round trip
    TransferProgress progress{}; ///< may be empty; called on this thread
    std::stop_token stop{};
};

/// Puts the file there as `target`, by rename; its folder is made, private. Blocking; fails with timeout after 30 s in
/// which nothing moves, with noSpace, permission, io, damaged (arrived otherwise than sent), cancelled.
Result<void> uploadFile(Host& host, const fs::path& local, const std::string& target,
                        const TransferOptions& options = {});

} // namespace ringside
