// SPDX-License-Identifier: MIT
// One campaign at a time on this computer, of any user: two would spoil each other's measurements.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <string>

namespace ringside::runner {

/// A kernel lock on <root>/turn, so that it is free the moment its holder is gone.
class CampaignLock
{
public:
    static Result<CampaignLock> open(const fs::path& root);

    /// The lock's owner, for others to read.
    struct Holder
    {
        std::string name; ///< plain text
        bool held = false;
        bool operator==(const Holder&) const = default;
    };

    /// True once it is ours, then with `self` in the file; and where the file system has no locks. Does not wait.
    bool take(const Holder& self);
    /// Taken, but others may have it, too.
    bool isShared() const { return m_isShared; }
    /// Says something else of its holder. Precondition: it is ours.
    void describe(const Holder& self);
    Holder holder() const;

private:
    explicit CampaignLock(Descriptor file)
        : m_file(std::move(file))
    {
    }
    Descriptor m_file;
    bool m_isShared = false;
};

} // namespace ringside::runner
