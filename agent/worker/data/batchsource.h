// SPDX-License-Identifier: MIT
// The source of the training loop's batches. No torch here: the loop wraps the floats without copying.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace ringside {

struct LoadedPicture
{
    std::int64_t label = 0;
    std::int64_t readNs = 0;
    std::int64_t decodeNs = 0;
    bool replaced = false;
};

/// Called on a decode thread: loads the item of this number in the rank's stream into `out`.
using LoadPicture = std::function<Result<LoadedPicture>(std::uint64_t item, float* out)>;

struct DataSettings
{
    std::string source = "synthetic"; ///< "synthetic", "synthetic-files" or "folder"
    fs::path folder; ///< synthetic-files: the site's data folder; folder: class folders of JPEG files, or their records
    int batch = 1;   ///< pictures or sequences of this rank in an iteration
    int sequenceLength = 0; ///< tokens; 0: batches are of pictures
    int imageSize = 224;    ///< pixels, width and height
    int channels = 3;       ///< 3 (RGB) or 1 (luminance)
    int classes = 1000;     ///< outputs of the model; every label and every token is below it
    int rank = 0;
    int worldSize = 1;
    int rankOnHost = 0; ///< place among the ranks of its host, which warm its page cache together
    int ranksOnHost = 1;
    int decodeThreads = 1;
    int prefetch = 4;                ///< batches in the ring, the one in use included; 1: nothing is read ahead
    bool channelsLast = false;       ///< memory order of a batch: NHWC instead of NCHW
    bool packed = false;             ///< pictures from one file of packed records, see records.h
    fs::path nodeFolder;             ///< pictures from a copy in it, see nodecopy.h; empty: from where they are
    bool coldCache = false;          ///< read every picture past the page cache, see filereader.h
    std::uint64_t seed = 1;          ///< order, crops and flips; for `synthetic` the numbers themselves
    int pictures = 1000;             ///< synthetic-files: size of the set, which all runs with this size share
    std::chrono::seconds limit{120}; ///< longest wait for a picture
    /// Puts something around what a decode thread does; tests do.
    std::function<LoadPicture(LoadPicture)> around = [](LoadPicture load) { return load; };
};

/// Normalised pictures (zero mean and unit deviation over ImageNet) and their labels, or sequences of tokens and which
/// token follows each; owned by the source.
struct Batch
{
    const float* images = nullptr; ///< n × channels × imageSize × imageSize, in the memory order asked for; or
    const std::int64_t* tokens = nullptr; ///< n × sequenceLength
    const std::int64_t* labels = nullptr; ///< n, or n × sequenceLength
    int n = 0;
    std::uint64_t number = 0;   ///< counts batches of next() from 0; a repeated batch has the same number
    std::int64_t readNs = 0;    ///< reading the files, summed over decode threads
    std::int64_t decodeNs = 0;  ///< decoding, cropping, resizing, normalising; summed over decode threads
    std::uint32_t badItems = 0; ///< pictures that could not be decoded and were replaced by another
};

/// An endless stream of batches. One thread calls next(); the destructor joins the source's own threads.
class BatchSource
{
public:
    virtual ~BatchSource() = default;

    /// Blocks until a batch is ready, at most `DataSettings::limit` (then timeout). Invalidates the previous call's
    /// batch. Fails with damaged when no picture of the folder can be decoded.
    virtual Result<Batch> next() = 0;
    /// True if next() would not wait.
    virtual bool isReady() { return true; }

    /// For Facts::data: source, files, bytes, checksum, cache …
    virtual std::map<std::string, std::string> facts() const = 0;
};

/// Writes or packs what openBatchSource would, if anything; nothing else. One rank does it while the others wait:
/// locks, by which they would wait for each other, are often missing on shared file systems. Errors as below.
Result<void> prepareBatchSource(const DataSettings& settings);

/// Blocks while pictures are written or the cache is warmed, with progress lines on stdout. Decode threads inherit the
/// caller's affinity. Errors: usage (a setting), notFound (no pictures), unavailable (built without libjpeg),
/// noSpace, permission, io. Throws std::bad_alloc where the ring does not fit into memory.
Result<std::unique_ptr<BatchSource>> openBatchSource(const DataSettings& settings);

/// True if sources that read JPEG files were built in.
bool canReadPictures();
/// "libjpeg-turbo 2.1.5"; empty: without it.
std::string jpegVersion();

} // namespace ringside
