// SPDX-License-Identifier: MIT
// usage: calibrationworker calibrate --plan FILE --run UUID --attempt FOLDER [HOST…]: ringside-worker calibrate, whose
// measurements are brief, and whose ranks believe to be on these hosts.
#include "agent/worker/endprocess.h"
#include "agent/worker/train/calibrate.h"

int main(int count, char** words)
{
    constexpr int kFirstHost = 8;
    if (count < kFirstHost)
        return 2;
    ringside::TrainRequest request;
    request.planFile = words[3];
    request.run = words[5];
    request.attempt = words[7];
    const ringside::CalibrationTrial trial{std::chrono::milliseconds(30), {words + kFirstHost, words + count}};
    ringside::endProcess(ringside::calibrate(request, trial));
}
