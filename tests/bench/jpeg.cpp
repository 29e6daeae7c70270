// SPDX-License-Identifier: MIT
// Pictures per second of processor time: the whole pipeline (read, decode, crop, resize, normalise into a batch)
// against libjpeg-turbo's own decode of the same files from memory to RGB with its default settings, in alternating
// rounds on one core. Processor time of all threads, not wall time, so that other load disturbs little.
// Usage: bench_jpeg [DATA_FOLDER] (default: that of the runs on this computer). Prints lines "name value unit target";
// a target of "-" is none.
#include "agent/worker/data/batchsource.h"
#include "agent/worker/data/filereader.h"
#include "agent/worker/data/syntheticfiles.h"
#include "core/base/files.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <sched.h>
#include <vector>

#include <jpeglib.h>

using namespace ringside;

namespace {

constexpr int kRounds = 7;
constexpr int kBatch = 20;
constexpr int kBatchesPerRound = 25; ///< 500 pictures

/// Both sides on one core, whichever the first allowed one is.
void bindToOneCore()
{
    cpu_set_t cores;
    sched_getaffinity(0, sizeof cores, &cores);
    int first = 0;
    while (!CPU_ISSET(first, &cores))
        ++first;
    CPU_ZERO(&cores);
    CPU_SET(first, &cores);
    sched_setaffinity(0, sizeof cores, &cores);
}

double processorSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double rate(double begin)
{
    return kBatch * kBatchesPerRound / (processorSeconds() - begin);
}

/// libjpeg-turbo as its example.c uses it. The files are our own, so its default of ending the program is right here.
void decodeWhole(const std::vector<std::uint8_t>& bytes, std::vector<std::uint8_t>& pixels)
{
    jpeg_decompress_struct picture{};
    jpeg_error_mgr errors{};
    picture.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&picture);
    jpeg_mem_src(&picture, bytes.data(), bytes.size());
    jpeg_read_header(&picture, TRUE);
    jpeg_start_decompress(&picture);
    const std::size_t stride = std::size_t(picture.output_width) * picture.output_components;
    pixels.resize(stride * picture.output_height);
    while (picture.output_scanline < picture.output_height) {
        JSAMPROW row = pixels.data() + stride * picture.output_scanline;
        jpeg_read_scanlines(&picture, &row, 1);
    }
    jpeg_finish_decompress(&picture);
    jpeg_destroy_decompress(&picture);
}

double decodeRound(const std::vector<std::vector<std::uint8_t>>& files, int round)
{
    std::vector<std::uint8_t> pixels;
    const double begin = processorSeconds();
    for (int i = 0; i < kBatch * kBatchesPerRound; ++i)
        decodeWhole(files[std::size_t(round * kBatch * kBatchesPerRound + i) % files.size()], pixels);
    return rate(begin);
}

Result<double> pipelineRound(BatchSource& source)
{
    const double begin = processorSeconds();
    for (int i = 0; i < kBatchesPerRound; ++i)
        TRY(source.next().map([](const Batch&) {}));
    return rate(begin);
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

Result<std::vector<std::vector<std::uint8_t>>> loadAll(const fs::path& folder)
{
    TRY_ASSIGN(const SyntheticFiles files, openSyntheticFiles(folder, {}));
    FileReader reader(false);
    std::vector<std::vector<std::uint8_t>> all;
    for (const Picture& picture : files.set.pictures) {
        TRY_ASSIGN(const auto bytes, reader.read(files.set.folder / picture.name));
        all.emplace_back(bytes.begin(), bytes.end());
    }
    return all;
}

/// With a ring of one batch nothing is read ahead, so a round does exactly the work of its own batches.
Result<void> compare(const fs::path& folder, int imageSize, const std::vector<std::vector<std::uint8_t>>& files)
{
    DataSettings settings;
    settings.source = "synthetic-files";
    settings.folder = folder;
    settings.batch = kBatch;
    settings.imageSize = imageSize;
    settings.channelsLast = true;
    settings.prefetch = 1;
    TRY_ASSIGN(const auto source, openBatchSource(settings));
    TRY(source->next().map([](const Batch&) {}));
    std::vector<double> pipeline, decode, ratio;
    for (int round = 0; round < kRounds; ++round) {
        decode.push_back(decodeRound(files, round));
        TRY_ASSIGN(const double own, pipelineRound(*source));
        pipeline.push_back(own);
        ratio.push_back(own / decode.back());
    }
    std::printf("jpeg.decode_%d %.0f pictures/s -\n", imageSize, median(decode));
    std::printf("jpeg.pipeline_%d %.0f pictures/s -\n", imageSize, median(pipeline));
    std::printf("jpeg.pipeline_vs_decode_%d %.3f 1 1.0\n", imageSize, median(ratio));
    return {};
}

Result<void> run(const fs::path& folder)
{
    bindToOneCore();
    TRY_ASSIGN(const auto files, loadAll(folder));
    TRY(compare(folder, 128, files));
    return compare(folder, 224, files);
}

} // namespace

int main(int argc, char** argv)
{
    const auto root = dataFolder();
    if (argc > 2 || (argc < 2 && !root)) {
        std::fprintf(stderr, "Usage: %s [DATA_FOLDER]\n", argv[0]);
        return 2;
    }
    const Result<void> done = run(argc == 2 ? fs::path(argv[1]) : layout::dataFolder(*root));
    if (!done)
        std::fprintf(stderr, "%s\n", done.error().text().c_str());
    return done ? 0 : 1;
}
