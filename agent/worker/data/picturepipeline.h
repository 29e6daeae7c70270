// SPDX-License-Identifier: MIT
// Decode threads that keep a ring of batches full.
#pragma once

#include "agent/worker/data/batchsource.h"
#include "agent/worker/data/pictureloader.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace ringside {

/// The stream of a rank is numbered 0, 1, 2 …; threads take the next number, whose place in the ring is fixed, so that
/// batches are the same for any number of threads. The ring does not drain at an epoch's end: the stream has none.
class PicturePipeline : public BatchSource
{
public:
    PicturePipeline(PictureSet set, const DataSettings& settings, std::map<std::string, std::string> facts);

    /// Throws what a decode thread threw, as std::bad_alloc.
    Result<Batch> next() override;
    bool isReady() override;
    std::map<std::string, std::string> facts() const override { return m_facts; }

private:
    using Clock = std::chrono::steady_clock;

    /// A batch while it is filled, and until the loop is through with it.
    struct Slot
    {
        std::vector<float> images;
        std::vector<std::int64_t> labels;
        Batch batch;
        int missing = 0;
        std::optional<Error> error;
        std::exception_ptr thrown; ///< by a decode thread, for the thread that asks for the batch
    };

    void work(const std::stop_token& stop, int thread);
    std::optional<std::uint64_t> takeItem(const std::stop_token& stop);
    void loadItem(const LoadPicture& load, std::uint64_t item);
    void finishItem(Slot& slot, int place, const Result<LoadedPicture>& picture);
    void finish(Slot& slot);
    Result<void> await(const Slot& slot, std::unique_lock<std::mutex>& lock);
    Slot& slotOf(std::uint64_t batch) { return m_ring[batch % m_ring.size()]; }
    void reset(Slot& slot) const;

    const DataSettings m_settings;
    const PictureSet m_set;
    const std::map<std::string, std::string> m_facts;
    const PictureOrder m_order;
    BadPictures m_bad;
    std::vector<Slot> m_ring;

    std::mutex m_mutex; ///< guards all below, and a slot's batch, missing, error and thrown
    std::condition_variable m_ready;
    std::condition_variable_any m_freed;
    std::uint64_t m_nextItem = 0;
    std::uint64_t m_given = 0;        ///< batches that next() has returned; all but the latest are free again
    Clock::time_point m_lastFinished; ///< when the latest picture was
    std::vector<std::jthread> m_threads;
};

} // namespace ringside
