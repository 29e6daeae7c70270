// SPDX-License-Identifier: MIT
// Lets progress carry the log of a build, of one's own or of another builder for whom one waits.
#pragma once

#include "agent/builder/report.h"

#include <cstdint>
#include <filesystem>

namespace ringside::builder {

class LogTail
{
public:
    /// `report` has to outlive this.
    LogTail(std::filesystem::path log, const Report& report)
        : m_log(std::move(log))
        , m_report(report)
    {
    }

    /// Reports it with what the log has got since the last time, at most 64 KiB.
    void operator()(const Progress& progress);
    /// Reports the last progress again until there is no more in the log.
    void reportRest();

private:
    std::string more();

    std::filesystem::path m_log;
    const Report& m_report;
    Progress m_last;
    std::uintmax_t m_reported = 0; ///< bytes
};

} // namespace ringside::builder
