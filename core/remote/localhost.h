// SPDX-License-Identifier: MIT
// This computer as a Host: commands are child processes behind pipes. POSIX only.
#pragma once

#include "core/base/files.h"
#include "core/base/words.h"
#include "core/remote/host.h"

namespace ringside {

class LocalHost : public Host
{
public:
    /// `folder`: where commands begin; empty: where this program is.
    explicit LocalHost(fs::path folder = {})
        : m_folder(std::move(folder))
    {
    }
    std::string name() const override { return Words::tr("this computer"); }
    Result<std::unique_ptr<Channel>> start(const CommandLine& command) override;

private:
    fs::path m_folder;
};

} // namespace ringside
