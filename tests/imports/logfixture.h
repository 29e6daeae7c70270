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
            notesOf(log), [&](const imports::Note& note) { return note.text.find(text) != std::string::npos; });
    }

    TemporaryFolder folder;
};

} // namespace ringside::test
