// SPDX-License-Identifier: MIT
// The load of the GPUs that a process of a system uses, read by a program beside the worker, ringside-gpuload
// (agent/gpuload), that its guard starts.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/protocol/sample.h"

#include <memory>
#include <optional>
#include <sys/types.h>

namespace ringside::runner {

/// Never waits for the program, whose calls of the driver last as long as a broken GPU does: each call of take() asks
/// for the reading that the next one finds. One thread at a time; the one that starts it outlives it.
class GpuReadings
{
public:
    /// `process` uses `gpus` of them. `log`, a descriptor, gets why there are none, where there are none. The program
    /// ends with this object. Fails where it is not there.
    static Result<std::unique_ptr<GpuReadings>> start(const fs::path& program, pid_t process, int gpus, int log);
    ~GpuReadings();
    GpuReadings(const GpuReadings&) = delete;
    GpuReadings& operator=(const GpuReadings&) = delete;

    /// The newest reading that has come since the last call.
    std::optional<GpuTelemetry> take();

private:
    GpuReadings(pid_t program, Descriptor socket);

    pid_t m_program;
    Descriptor m_socket;
};

} // namespace ringside::runner
