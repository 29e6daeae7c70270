// SPDX-License-Identifier: MIT
// The record of each iteration of a rank: its sample and, for every k-th, its layers and buckets.
#pragma once

#include "agent/rank/recorder.h"
#include "agent/worker/device/devicephases.h"
#include "agent/worker/device/latelosses.h"
#include "agent/worker/models/classifier.h"
#include "agent/worker/models/layerclock.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/timing/detailrhythm.h"
#include "agent/worker/train/trainsettings.h"

#include <optional>
#include <vector>

namespace ringside {

/// Compute thread only; stores references. An iteration is begun, ended when its time is over, and recorded once its
/// messages are known, which may be after the next one has begun. On a GPU times and losses are there one iteration
/// later: until then the host stores its own part.
class IterationRecorder
{
public:
    /// `clock` turns at every iteration's end and is the recorder's alone to turn.
    IterationRecorder(const TrainSettings& settings, Classifier& classifier, PhaseClock& clock, Recorder& recorder);
    ~IterationRecorder();

    /// Once the model is on its GPU.
    void followDevice();

    /// `showsLayers`: whether the passes of this iteration have layers that can be timed.
    void begin(bool showsLayers);
    /// The clock of the layers in the current iteration; null if they are not timed.
    LayerClock* layers() { return m_layers.isOn() ? &m_layers : nullptr; }
    /// The iteration's; on a GPU that of the iteration before, which is there.
    float lossOf(const at::Tensor& loss);
    void end(const Batch& batch, float loss);

    /// The loss of the iteration that has ended and is not recorded yet.
    float endedLoss() const { return m_ended->loss; }
    /// The one that has ended; `timings` of what it sent, which may be known later where the rest is, too.
    void record(Timings timings);

    /// Nothing is late any more. Blocks until the GPU has done all; the last iteration's loss if it was late.
    std::optional<float> endLate();

private:
    struct Ended
    {
        PhaseClock::Iteration iteration;
        Batch batch;    ///< its times and numbers; the pictures may be gone
        float loss = 0; ///< on a GPU of the iteration before, as what is read late
        bool isDetailed = false;
        bool hasLayers = false;
        std::optional<std::uint64_t> copy; ///< of the batch to a GPU, unless it was there already
    };
    /// Values of an iteration on a GPU that the host reads one iteration later, and the host's own until then.
    struct Late
    {
        explicit Late(const TrainSettings& settings);
        DevicePhases phases;
        LateLosses losses;
        std::optional<Ended> ended;
        Timings timings;
    };

    std::optional<std::uint64_t> takeCopy();
    bool hasUnrecordedDetails() const;
    void writeLate();
    void write(const Ended& ended, const std::vector<BucketTiming>& timings);
    void writeDetails(const Ended& ended, const std::vector<BucketTiming>& timings);

    const TrainSettings& m_settings;
    const Classifier& m_classifier;
    PhaseClock& m_clock;
    Recorder& m_recorder;
    LayerClock m_layers;
    DetailRhythm m_details;
    bool m_isDetailed = false;  ///< the iteration that has begun
    std::uint64_t m_copies = 0; ///< of batches to a GPU, before that iteration
    std::optional<Ended> m_ended;
    std::optional<Late> m_late; ///< on a GPU
};

} // namespace ringside
