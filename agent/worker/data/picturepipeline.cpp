// SPDX-License-Identifier: MIT
#include "agent/worker/data/picturepipeline.h"

#include <pthread.h>

namespace ringside {

PicturePipeline::PicturePipeline(PictureSet set, const DataSettings& settings, std::map<std::string, std::string> facts)
    : m_settings(settings)
    , m_set(std::move(set))
    , m_facts(std::move(facts))
    , m_order(settings.seed, m_set.pictures.size(), settings.rank, settings.worldSize)
    , m_bad(m_set.pictures.size())
    , m_ring(std::size_t(settings.prefetch))
{
    const std::size_t elements = std::size_t(settings.channels) * settings.imageSize * settings.imageSize;
    for (Slot& slot : m_ring) {
        slot.images.resize(elements * settings.batch);
        slot.labels.resize(std::size_t(settings.batch));
        reset(slot);
    }
    for (int i = 0; i < settings.decodeThreads; ++i)
        m_threads.emplace_back([this, i](const std::stop_token& stop) { work(stop, i); });
}

void PicturePipeline::reset(Slot& slot) const
{
    slot.batch = {.images = slot.images.data(), .labels = slot.labels.data(), .n = m_settings.batch};
    slot.missing = m_settings.batch;
    slot.error.reset();
    slot.thrown = nullptr;
}

Result<Batch> PicturePipeline::next()
{
    std::unique_lock lock(m_mutex);
    if (m_given > 0)
        reset(slotOf(m_given - 1));
    const std::uint64_t number = m_given++;
    Slot& slot = slotOf(number);
    m_freed.notify_all();
    TRY(await(slot, lock));
    if (slot.thrown)
        std::rethrow_exception(slot.thrown);
    if (slot.error)
        return tl::unexpected(*slot.error);
    slot.batch.number = number;
    return slot.batch;
}

/// A large batch may take long; only a time in which no picture comes is one too many.
Result<void> PicturePipeline::await(const Slot& slot, std::unique_lock<std::mutex>& lock)
{
    auto due = Clock::now() + m_settings.limit;
    while (!m_ready.wait_until(lock, due, [&] { return slot.missing == 0; })) {
        if (m_lastFinished + m_settings.limit <= due)
            return fail(ErrorCode::timeout,
                        fmt::format("No picture from {} within {} s.", m_set.folder.string(), m_settings.limit.count()),
                        "Check that its file system answers.");
        due = m_lastFinished + m_settings.limit;
    }
    return {};
}

/// In a ring of one batch the next one is filled only once this one is returned.
bool PicturePipeline::isReady()
{
    const std::lock_guard lock(m_mutex);
    return m_ring.size() > 1 && slotOf(m_given).missing == 0;
}

void PicturePipeline::work(const std::stop_token& stop, int thread)
{
    pthread_setname_np(pthread_self(), fmt::format("decode-{}", thread).c_str());
    PictureLoader loader(m_set, m_order, m_bad, m_settings);
    const LoadPicture load =
        m_settings.around([&](std::uint64_t item, float* out) { return loader.load(m_order.position(item), out); });
    while (const auto item = takeItem(stop))
        loadItem(load, *item);
}

/// The next number of the stream whose slot is free; none when the source is being closed.
std::optional<std::uint64_t> PicturePipeline::takeItem(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    const auto hasRoom = [&] {
        const std::uint64_t freed = m_given > 0 ? m_given - 1 : 0;
        return m_nextItem / m_settings.batch < freed + m_ring.size();
    };
    if (!m_freed.wait(lock, stop, hasRoom) || stop.stop_requested())
        return std::nullopt;
    return m_nextItem++;
}

void PicturePipeline::loadItem(const LoadPicture& load, std::uint64_t item)
{
    Slot& slot = slotOf(item / m_settings.batch);
    const int place = int(item % m_settings.batch);
    try {
        finishItem(slot, place, load(item, slot.images.data() + place * (slot.images.size() / m_settings.batch)));
    } catch (...) { // memory may run out here first
        const std::lock_guard lock(m_mutex);
        slot.thrown = std::current_exception();
        finish(slot);
    }
}

void PicturePipeline::finishItem(Slot& slot, int place, const Result<LoadedPicture>& picture)
{
    const std::lock_guard lock(m_mutex);
    if (picture) {
        slot.labels[place] = picture->label;
        slot.batch.readNs += picture->readNs;
        slot.batch.decodeNs += picture->decodeNs;
        slot.batch.badItems += picture->replaced;
    } else {
        slot.error = picture.error();
    }
    finish(slot);
}

void PicturePipeline::finish(Slot& slot)
{
    m_lastFinished = Clock::now();
    if (--slot.missing == 0)
        m_ready.notify_one();
}

} // namespace ringside
