// SPDX-License-Identifier: MIT
#include "core/protocol/installation.h"

#include "core/protocol/either.h"
#include "core/protocol/jsonfields.h"

namespace ringside {

namespace {

constexpr std::size_t kMostBytes = 1u << 20, kMostWords = 1'000;
constexpr int kMostSeconds = 1'000'000;

/// As VersionRange reads it.
void rangeIn(JsonFields& json, const char* key, VersionRange& range)
{
    std::string text;
    json.text(key, text);
    if (auto read = VersionRange::parse(text))
        range = std::move(*read);
    else
        json.refuse(key, Words::tr("“{}” is no range of versions", text));
}
void rangeIn(JsonMembers& json, const char* key, const VersionRange& range)
{
    json.text(key, range.text());
}

} // namespace

void membersOf(auto& json, Either<Installation> auto& installation)
{
    rangeIn(json, "python", installation.python);
    rangeIn(json, "versions", installation.versions);
    json.texts("packages", kMostWords, installation.packages);
    json.texts("pip_options", kMostWords, installation.pipOptions);
    json.textMap("environment", installation.environment);
    json.text("module", installation.module);
    json.texts("imports", kMostWords, installation.imports);
    json.text("source", installation.source);
    json.text("build", installation.build);
    json.text("program", installation.program);
    json.textMap("libraries", installation.libraries);
    json.texts("needs", kMostWords, installation.needs);
    json.integer("bytes", installation.bytes, 0, UINT64_MAX);
    json.integer("seconds", installation.seconds, 0, kMostSeconds);
    json.text("from", installation.from);
}

std::vector<std::string> packagesOf(const Installation& installation)
{
    std::vector<std::string> packages = installation.packages;
    if (!installation.source.empty())
        packages.push_back(installation.source);
    return packages;
}

std::string installationToJson(const Installation& installation)
{
    return dumpJson(JsonMembers::of(installation));
}

Result<Installation> installationFromJson(std::string_view text)
{
    TRY_ASSIGN(const nlohmann::json json, parseJsonObject(text, kMostBytes, "installation"));
    return fromMembers<Installation>(json, "installation");
}

} // namespace ringside
