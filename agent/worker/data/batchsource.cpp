// SPDX-License-Identifier: MIT
#include "agent/worker/data/batchsource.h"

#ifdef RINGSIDE_WITH_JPEG
#include "agent/worker/data/picturesource.h"
#endif
#include "agent/worker/data/synthetic.h"

#ifdef RINGSIDE_WITH_JPEG
#include <cstdio> // jpeglib.h needs FILE

#include <jpeglib.h>
#define RINGSIDE_TEXT2(x) #x
#define RINGSIDE_TEXT(x) RINGSIDE_TEXT2(x)
#endif

namespace ringside {

namespace {

Result<void> within(const char* name, int value, int low, int high)
{
    if (value >= low && value <= high)
        return {};
    return fail(ErrorCode::usage, fmt::format("{} is {}.", name, value),
                fmt::format("It must be {} to {}.", low, high));
}

Result<void> check(const DataSettings& settings)
{
    TRY(within("The batch per rank", settings.batch, 1, 1 << 20));
    TRY(within("image_size", settings.imageSize, 1, 4096));
    TRY(within("sequence_length", settings.sequenceLength, 0, 1 << 20));
    TRY(within("The number of classes", settings.classes, 1, 1 << 24));
    TRY(within("The world size", settings.worldSize, 1, 1 << 20));
    TRY(within("The rank", settings.rank, 0, settings.worldSize - 1));
    TRY(within("The number of decode threads", settings.decodeThreads, 1, 256));
    TRY(within("The number of batches read ahead", settings.prefetch, 1, 256));
    TRY(within("The number of pictures", settings.pictures, 10, 1'000'000));
    if (settings.channels != 1 && settings.channels != 3)
        return fail(ErrorCode::usage, fmt::format("A model with {} input channels is not known.", settings.channels),
                    "Pictures have 1 or 3 channels.");
    return {};
}

#ifndef RINGSIDE_WITH_JPEG
/// Does nothing: opening reports that there are no pictures.
Result<void> preparePictures(const DataSettings&)
{
    return {};
}

Result<std::unique_ptr<BatchSource>> openPictureSource(const DataSettings& settings)
{
    return fail(ErrorCode::unavailable,
                fmt::format("Data source {} reads JPEG files, and this worker was built without libjpeg-turbo.",
                            settings.source),
                "Install its development package and build the worker again, or choose the source synthetic.");
}
#endif

bool isOfPictures(const DataSettings& settings)
{
    return settings.source == "synthetic-files" || settings.source == "folder";
}

} // namespace

Result<void> prepareBatchSource(const DataSettings& settings)
{
    TRY(check(settings));
    const bool writes = settings.source == "synthetic-files" || settings.packed;
    if (settings.sequenceLength > 0 || !isOfPictures(settings) || !writes)
        return {};
    return preparePictures(settings);
}

Result<std::unique_ptr<BatchSource>> openBatchSource(const DataSettings& settings)
{
    TRY(check(settings));
    if (settings.source == "synthetic")
        return syntheticSource(settings);
    if (settings.sequenceLength > 0)
        return fail(ErrorCode::usage, fmt::format("Data source {} has no sequences of tokens.", settings.source),
                    "They come from the source synthetic.");
    if (isOfPictures(settings))
        return openPictureSource(settings);
    return fail(ErrorCode::usage, fmt::format("Unknown data source “{}”.", settings.source),
                "It is one of synthetic, synthetic-files, folder.");
}

bool canReadPictures()
{
    return !jpegVersion().empty();
}

std::string jpegVersion()
{
#ifdef RINGSIDE_WITH_JPEG
    return "libjpeg-turbo " RINGSIDE_TEXT(LIBJPEG_TURBO_VERSION);
#else
    return {};
#endif
}

} // namespace ringside
