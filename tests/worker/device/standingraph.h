// SPDX-License-Identifier: MIT
// A graph of the stand-in device: it does the work anew each time it is replayed.
#pragma once

#include "agent/worker/device/devicegraph.h"

#include <c10/core/GradMode.h>

namespace ringside::test {

class StandInGraph : public DeviceGraph
{
public:
    void capture(const std::function<void()>& work) override
    {
        m_work = work;
        m_work();
    }
    void replay() override
    {
        const c10::AutoGradMode graph(true); // a graph of the device needs none
        m_work();
    }

private:
    std::function<void()> m_work;
};

inline Result<std::unique_ptr<DeviceGraph>> makeStandInGraph()
{
    return std::make_unique<StandInGraph>();
}

} // namespace ringside::test
