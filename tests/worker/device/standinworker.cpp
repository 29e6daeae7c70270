// SPDX-License-Identifier: MIT
// ringside-worker train and calibrate, where device “cuda” is the stand-in, with “--pace prompt” a prompt one. Leaves
// in the attempt's folder how many bytes went to and from the device.
#include "agent/worker/endprocess.h"
#include "agent/worker/train/calibrate.h"
#include "agent/worker/train/train.h"
#include "tests/worker/device/standindevice.h"
#include "tests/worker/device/standingraph.h"

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace {

void leaveBytes(const std::filesystem::path& attempt)
{
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    std::ofstream(attempt / (std::string("bus-bytes-") + (rank ? rank : "0"))) << ringside::test::bytesOverTheBus();
}

} // namespace

int main(int count, char** words)
{
    auto pace = ringside::test::Pace::late;
    ringside::TrainRequest request;
    request.gpu = ringside::test::kStandIn;
    request.makeGraph = ringside::test::makeStandInGraph;
    for (int i = 2; i + 1 < count; i += 2) {
        const std::string_view option = words[i];
        const char* value = words[i + 1];
        if (option == "--plan")
            request.planFile = value;
        else if (option == "--run")
            request.run = value;
        else if (option == "--attempt")
            request.attempt = value;
        else if (option == "--delay")
            request.delays.emplace_back(value);
        else if (option == "--pace" && value == std::string_view("prompt"))
            pace = ringside::test::Pace::prompt;
    }
    ringside::test::installStandInDevice(pace);
    const bool calibrates = count > 1 && words[1] == std::string_view("calibrate");
    const int code =
        calibrates ? ringside::calibrate(request, {std::chrono::milliseconds(30), {}}) : ringside::train(request);
    leaveBytes(request.attempt);
    ringside::endProcess(code);
}
