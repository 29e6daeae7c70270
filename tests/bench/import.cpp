// SPDX-License-Identifier: MIT
// A folder of logs to what a user is shown of them, by a core's own time: found, hashed, recognised, read, and their
// figures made. Every line is a record, which is the worst case.
#include "core/adapters/logformats.h"
#include "core/imports/preview.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>

using namespace ringside;

namespace {

constexpr int kLogs = 500;
constexpr std::size_t kLogBytes = 200'000;
constexpr int kTries = 5;

/// The n-th line of a log, in the forms of five systems.
std::string lineOf(int form, int n)
{
    const double jitter = n * 7 % 13 * 0.001;
    const double seconds = 0.25 * (1 + jitter), mean = 0.25 * (1 + 6 * 0.001);
    switch (form) {
    case 0:
        return fmt::format("INFO:root:Epoch[0] Batch [{}-{}]\tSpeed: {:.2f} samples/sec\taccuracy={:.6f}\n", n * 20,
                           n * 20 + 20, 640 / seconds / 20, 0.1 + jitter);
    case 1:
        return fmt::format("Epoch: [0][{:5}/99999]\tTime {:6.3f} ({:6.3f})\tData  0.001 ( 0.002)\tLoss {:.4e} "
                           "(6.9000e+00)\tAcc@1   0.78 (  0.12)\tAcc@5   1.56 (  0.55)\n",
                           n * 10, seconds, mean, 6.9 - jitter);
    case 2:
        return fmt::format("[1,{}]<stdout>:Iter #{}: {:.1f} img/sec per GPU\n", n % 4, n / 4, 108 / (1 + jitter));
    case 3:
        return fmt::format(
            " [2026-11-21 08:43:44] iteration {:8}/ 500000 | consumed samples: {:12} | elapsed time per iteration "
            "(ms): "
            "{:.1f} | throughput per GPU (TFLOP/s/GPU): 123.4 | learning rate: 6.000000E-04 | global batch size:   256 "
            "| lm loss: {:.6E} | loss scale: 1.0 | grad norm: 1.234 | number of skipped iterations:   0 |\n",
            n + 1, (n + 1) * 256, seconds * 1000, 6.9 - jitter);
    default:
        return fmt::format("I20261121 {:02}:{:02}:{:02}.891835 21179 solver.cpp:239] Iteration {} ({:.4f} iter/s, "
                           "{:.5f}s/20 iters), loss = {:.4f}\n",
                           n * 5 / 3600 % 24, n * 5 / 60 % 60, n * 5 % 60, n * 20, 20 / (5 + jitter), 5 + jitter,
                           6.9 - jitter);
    }
}

/// Time of this thread: other work on the machine does not count.
std::int64_t processorNs()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::uint64_t makeLogs(const fs::path& folder)
{
    std::uint64_t bytes = 0;
    for (int log = 0; log < kLogs; ++log) {
        std::string text;
        for (int n = 0; text.size() < kLogBytes; ++n)
            text += lineOf(log % 5, n);
        std::ofstream(folder / fmt::format("log-{}.txt", log)) << text << "# log " << log << '\n';
        bytes += text.size();
    }
    return bytes;
}

} // namespace

int main()
{
    const test::TemporaryFolder folder;
    const std::uint64_t bytes = makeLogs(folder.path());
    const auto& formats = adapters::usersLogFormats();
    double fastest = 0;
    std::uint64_t records = 0;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const std::int64_t begin = processorNs();
        const auto previews = imports::previewLogs({.paths = {folder.path()}}, formats);
        const double seconds = static_cast<double>(processorNs() - begin) / 1e9;
        if (!previews || previews->logs.size() != kLogs) {
            fmt::print(stderr, "{}\n", previews ? "not all logs were read" : previews.error().text());
            return EXIT_FAILURE;
        }
        records = 0;
        for (const imports::LogPreview& log : previews->logs)
            for (const imports::RunPreview& run : log.runs)
                records += run.figure.records;
        fastest = std::max(fastest, static_cast<double>(bytes) / 1e6 / seconds);
    }
    fmt::print("import {:.0f} MB/s 200  # {} logs of {:.0f} MB in all, {} records, fastest of {} readings\n", fastest,
               kLogs, static_cast<double>(bytes) / 1e6, records, kTries);
    return EXIT_SUCCESS;
}
