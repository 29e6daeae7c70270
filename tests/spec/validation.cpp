// SPDX-License-Identifier: MIT
#include "tests/spec/validation.h"

#include "core/base/environment.h"
#include "core/base/files.h"
#include "tests/support/built.h"

#include <doctest/doctest.h>
#include <map>
#include <sstream>
#include <string_view>

namespace ringside::spec {

namespace {

/// "== what" begins each of them; its findings follow, one a line.
constexpr std::string_view kTitle = "== ";

using Sentences = std::map<std::string, std::string>;

Sentences readSentences(const fs::path& path)
{
    Sentences sentences;
    std::string* current = nullptr;
    std::istringstream text(readFile(path).value_or(""));
    for (std::string line; std::getline(text, line);)
        if (line.starts_with(kTitle))
            current = &sentences[line.substr(kTitle.size())];
        else if (current)
            *current += line + "\n";
    return sentences;
}

std::vector<std::string> fieldsOf(const std::vector<Check>& checks)
{
    std::vector<std::string> fields;
    for (const Check& check : checks)
        fields.push_back(std::string(nameOf(check.severity)) + " " + check.field);
    return fields;
}

std::vector<Check> findingsOf(const Case& row)
{
    Experiment experiment = smallExperiment();
    SiteLimits site = twoCores();
    row.change(experiment, site);
    return validate(experiment, site);
}

} // namespace

void check(const std::string& golden, const std::vector<Case>& cases)
{
    const fs::path path = test::sourceFolder() / "tests/spec/golden" / golden;
    Sentences said;
    std::string text;
    for (const Case& row : cases) {
        CAPTURE(row.what);
        const auto checks = findingsOf(row);
        CHECK(fieldsOf(checks) == row.findings);
        said[row.what] = printed(checks);
        text += std::string(kTitle) + row.what + "\n" + said[row.what];
    }
    if (const char* mode = environment("RINGSIDE_GOLDEN"); mode && std::string_view(mode) == "write")
        REQUIRE(writeFileAtomically(path, text));
    const Sentences expected = readSentences(path);
    for (const auto& [what, sentences] : expected) {
        CAPTURE(what);
        CHECK(said[what] == sentences);
    }
    CHECK(expected.size() == cases.size());
}

} // namespace ringside::spec
