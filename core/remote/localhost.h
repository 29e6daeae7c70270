// SPDX-License-Identifier: MIT
// This computer as a Host: commands are child processes behind pipes. POSIX only.
#pragma once

#include "core/base/words.h"
#include "core/remote/host.h"

namespace ringside {

class LocalHost : public Host
{
public:
    std::string name() const override { return Words::tr("this computer"); }
    Result<std::unique_ptr<Channel>> start(const CommandLine& command) override;
};

} // namespace ringside
