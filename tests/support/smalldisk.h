// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/files.h"

namespace ringside::test {

/// A disk (tmpfs) of a few KiB over a folder, taken away at the end. Root only.
class SmallDisk
{
public:
    SmallDisk(const fs::path& folder, int kib);
    /// With options as mount takes them ("nr_inodes=4") and flags (MS_NOEXEC).
    SmallDisk(const fs::path& folder, const std::string& options, unsigned long flags);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    /// Returns why there is none; empty if there is one.
    const std::string& problem() const { return m_problem; }
    /// Nothing more fits, as when others have used it up.
    void fill();
    /// Enough room for anything, as after a clean-up.
    void grow();

private:
    fs::path m_folder;
    std::string m_problem;
};

/// Temporary folders are made below `folder` as long as it lives.
class TemporaryPlace
{
public:
    explicit TemporaryPlace(const fs::path& folder);
    ~TemporaryPlace();
    TemporaryPlace(const TemporaryPlace&) = delete;
    TemporaryPlace& operator=(const TemporaryPlace&) = delete;

private:
    std::string m_before;
};

} // namespace ringside::test
