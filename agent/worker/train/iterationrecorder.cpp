// SPDX-License-Identifier: MIT
#include "agent/worker/train/iterationrecorder.h"

#include "agent/worker/train/trainreport.h"

#include <utility>

namespace ringside {

IterationRecorder::Late::Late(const TrainSettings& settings)
    : phases(settings.device, settings.serialised)
    , losses(settings.device)
{
}

IterationRecorder::IterationRecorder(const TrainSettings& settings, Classifier& classifier, PhaseClock& clock,
                                     Recorder& recorder)
    : m_settings(settings)
    , m_classifier(classifier)
    , m_clock(clock)
    , m_recorder(recorder)
    , m_layers(classifier.model(), settings.device)
    , m_details(static_cast<std::uint32_t>(settings.run.warmup))
{
}

IterationRecorder::~IterationRecorder()
{
    if (m_late)
        m_clock.remove(m_late->phases);
}

void IterationRecorder::followDevice()
{
    m_late.emplace(m_settings);
    m_clock.add(m_late->phases);
}

void IterationRecorder::begin(bool showsLayers)
{
    m_isDetailed = m_clock.measures() && m_details.isDue(m_clock.seq()) && !hasUnrecordedDetails();
    if (m_isDetailed && showsLayers)
        m_layers.begin();
}

float IterationRecorder::lossOf(const at::Tensor& loss)
{
    if (!m_late)
        return loss.item<float>();
    const auto seq = m_clock.seq();
    m_late->losses.put(seq, loss);
    return seq > 0 ? m_late->losses.of(seq - 1) : 0;
}

void IterationRecorder::end(const Batch& batch, float loss)
{
    m_clock.enter(Phase::other);
    m_ended = Ended{m_clock.turn(), batch, loss, m_isDetailed, m_layers.isOn(), takeCopy()};
    if (!m_layers.isOn())
        return;
    m_layers.end();
    m_clock.countStamps(m_layers.stampsPerIteration());
}

/// An iteration copies one batch at most.
std::optional<std::uint64_t> IterationRecorder::takeCopy()
{
    const BatchRing* ring = m_classifier.ring();
    if (!ring || ring->count() == m_copies)
        return {};
    m_copies = ring->count();
    return m_copies - 1;
}

void IterationRecorder::record(Timings timings)
{
    const Ended ended = std::move(*std::exchange(m_ended, std::nullopt));
    if (!m_clock.measures())
        return;
    if (!m_late)
        return write(ended, timings.get());
    writeLate(); // the iteration before is known by now
    m_late->ended = ended;
    m_late->timings = std::move(timings);
}

std::optional<float> IterationRecorder::endLate()
{
    if (!m_late)
        return {};
    writeLate();
    m_clock.remove(m_late->phases);
    if (m_clock.seq() == 0)
        return {};
    return m_late->losses.of(m_clock.seq() - 1);
}

bool IterationRecorder::hasUnrecordedDetails() const
{
    return (m_ended && m_ended->isDetailed) || (m_late && m_late->ended && m_late->ended->isDetailed);
}

/// Writes the values that were not read yet, if there is such an iteration.
void IterationRecorder::writeLate()
{
    if (!m_late->ended)
        return;
    Ended ended = std::move(*std::exchange(m_late->ended, std::nullopt));
    ended.iteration = m_late->phases.read();
    ended.loss = m_late->losses.of(ended.iteration.seq);
    write(ended, m_late->timings.get());
}

void IterationRecorder::write(const Ended& ended, const std::vector<BucketTiming>& timings)
{
    Sample sample = sampleOf(ended.iteration, ended.batch, timings, ended.loss);
    if (const BatchRing* ring = m_classifier.ring())
        sample.h2dTotalNs = ended.copy ? ring->copyNs(*ended.copy) : 0;
    m_recorder.add(sample);
    if (ended.isDetailed)
        writeDetails(ended, timings);
}

void IterationRecorder::writeDetails(const Ended& ended, const std::vector<BucketTiming>& timings)
{
    std::size_t bytes = 0;
    const auto add = [&](Record record) {
        bytes += spoolBytes(record);
        m_recorder.add(std::move(record));
    };
    if (ended.hasLayers) {
        const auto startNs = m_late ? m_layers.instantOf(m_late->phases.start()) : ended.iteration.startNs;
        add(LayerTimings{ended.iteration.seq, m_layers.timings(startNs)});
    }
    if (!timings.empty())
        add(bucketTimingsOf(ended.iteration, timings));
    m_details.recorded(ended.iteration.seq, bytes);
}

} // namespace ringside
