// SPDX-License-Identifier: MIT
// Real logs of tests/logs/formats, and others made of them, in a folder of their own.
#pragma once

#include "core/adapters/logformats.h"
#include "core/base/sha256.h"
#include "core/imports/findings.h"
#include "tests/support/built.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>

namespace ringside::test {

inline fs::path formatLog(const std::string& name)
{
    return sourceFolder() / "tests" / "logs" / "formats" / (name + ".log");
}

inline fs::path linkLog(const std::string& name)
{
    return sourceFolder() / "tests" / "logs" / "links" / (name + ".log");
}

inline std::string textOf(const fs::path& file)
{
    return readFile(file).value();
}

/// Twelve records of Caffe, of 10 s for 100 iterations each, that begin at this hour. With a rate other than 10 they
/// contradict themselves, and no rate of them is used.
inline std::string caffeLog(int iterationsPerSecond, int hour = 8)
{
    std::string text;
    for (int step = 1; step <= 12; ++step)
        text += fmt::format("I20261121 {:02}:{:02}:{:02}.000000 1 solver.cpp:239] Iteration {} ({} iter/s, 10s/100 "
                            "iters), loss = 2.3\n",
                            hour, step / 6, step % 6 * 10, 100 * step, iterationsPerSecond);
    return text;
}

struct LogFixture
{
    fs::path write(const std::string& name, std::string_view text) const
    {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
        return folder / name;
    }

    static Result<imports::Previews> preview(const std::vector<fs::path>& paths,
                                             const std::vector<std::string>& answers = {}, const std::string& as = {})
    {
        imports::PreviewRequest request{.paths = paths, .as = as};
        for (const std::string& text : answers)
            TRY(addAnswer(request.answers, text));
        return previewLogs(request, adapters::usersLogFormats());
    }

    static bool notes(const imports::LogPreview& log, std::string_view text)
    {
        return std::ranges::any_of(
            notesOf(log), [&](const imports::Note& note) { return note.text().find(text) != std::string::npos; });
    }

    TemporaryFolder folder;
};

} // namespace ringside::test
