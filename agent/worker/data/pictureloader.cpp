// SPDX-License-Identifier: MIT
#include "agent/worker/data/pictureloader.h"

#include "core/base/clock.h"
#include "core/base/say.h"
#include "core/base/text.h"

#include <algorithm>

namespace ringside {

namespace {

constexpr std::size_t kMostReplacements = 1000; ///< by chance, only in a set of which next to nothing is good
constexpr int kMostNamed = 20;                  ///< bad pictures in the log; all are counted in the samples

} // namespace

void BadPictures::add(std::size_t picture, const fs::path& path, const Error& error)
{
    if (m_bad[picture].exchange(true) || m_named++ >= kMostNamed)
        return;
    const std::string& what = error.message;
    const bool named = what.find(path.native()) != what.npos; // as errors of the file system are
    const std::string text = named ? what : path.native() + ": " + what;
    say("Bad picture, another one is used instead: {}", plainText(text));
}

PictureLoader::PictureLoader(const PictureSet& set, const PictureOrder& order, BadPictures& bad,
                             const DataSettings& settings)
    : m_set(set)
    , m_order(order)
    , m_bad(bad)
    , m_seed(settings.seed)
    , m_reader(settings.coldCache)
    , m_resizer(settings.imageSize, settings.channels, settings.channelsLast)
{
}

Result<LoadedPicture> PictureLoader::load(std::uint64_t position, float* out)
{
    m_loaded = {};
    const std::size_t attempts = std::min(m_set.pictures.size(), kMostReplacements);
    for (std::size_t attempt = 0; attempt <= attempts; ++attempt) {
        const std::size_t picture = attempt ? m_order.replacement(position, attempt) : m_order.pictureAt(position);
        if (tryPicture(picture, position, out)) {
            m_loaded.label = m_set.pictures[picture].label;
            m_loaded.replaced = attempt > 0;
            return m_loaded;
        }
    }
    return fail(ErrorCode::damaged,
                fmt::format("{} pictures of {} were tried, and none can be decoded.", attempts, m_set.folder.string()),
                "Choose another folder, or replace the damaged files; the rank's log names them.");
}

bool PictureLoader::tryPicture(std::size_t picture, std::uint64_t position, float* out)
{
    if (m_bad.contains(picture))
        return false;
    const Result<void> done = decode(picture, position, out);
    if (!done)
        m_bad.add(picture, m_set.pathOf(picture), done.error());
    return done.has_value();
}

/// Draws for a crop depend on the position alone, so that a replacement does not depend on who met the bad one first.
Result<void> PictureLoader::decode(std::size_t picture, std::uint64_t position, float* out)
{
    const std::int64_t begin = monotonicNs();
    const auto bytes = m_set.read(picture, m_reader);
    const std::int64_t read = monotonicNs();
    m_loaded.readNs += read - begin;
    if (!bytes)
        return tl::unexpected(bytes.error());
    const auto size = m_decoder.open(*bytes);
    Result<void> done = size.map([](PictureSize) {});
    if (size)
        done = m_resizer.fill(m_decoder, randomCrop(*size, Random(m_seed, position)), out);
    m_loaded.decodeNs += monotonicNs() - read;
    return done;
}

} // namespace ringside
