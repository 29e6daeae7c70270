// SPDX-License-Identifier: MIT
#include "core/protocol/installedengine.h"

#include "core/base/findprogram.h"
#include "core/base/regularfile.h"
#include "core/protocol/either.h"
#include "core/protocol/installation.h"
#include "core/protocol/jsonfields.h"
#include "core/protocol/layout.h"

namespace ringside {

namespace {

constexpr int kFormat = 1;
constexpr std::uint64_t kMostBytes = 1u << 20;
constexpr std::size_t kMostPackages = 1'000, kMostEngines = 1'000;
constexpr const char* kFile = "engine.json";
constexpr std::size_t kLongestName = 40;

} // namespace

void membersOf(auto& json, Either<InstalledEngine> auto& engine)
{
    json.format(kFormat);
    json.text("version", engine.version);
    json.text("python", engine.python);
    json.texts("packages", kMostPackages, engine.packages);
    if (json.has("environment", !engine.environment.empty()))
        json.textMap("environment", engine.environment);
}

bool isEngineName(std::string_view name)
{
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    return !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
           name.find_first_not_of(kLetters) == std::string_view::npos;
}

bool isAsWanted(const InstalledEngine& engine, const Installation& installation)
{
    return !engine.isGone && engine.packages == packagesOf(installation);
}

InstalledEngines installedEngines(const fs::path& root)
{
    InstalledEngines engines;
    std::error_code none;
    for (auto entry = fs::directory_iterator(layout::enginesFolder(root), none);
         entry != fs::directory_iterator() && engines.size() < kMostEngines; entry.increment(none)) {
        const std::string name = entry->path().filename().string();
        if (!isEngineName(name))
            continue; // what is being deleted, say
        const auto text = readRegularFile(entry->path() / kFile, kMostBytes);
        const auto json = text ? parseJsonObject(*text, kMostBytes, kFile) : tl::unexpected(text.error());
        auto engine = json ? fromMembers<InstalledEngine>(*json, kFile) : tl::unexpected(json.error());
        if (!engine)
            continue;
        engine->folder = entry->path().string();
        engine->isGone = !engine->python.empty() && !isExecutable(engine->python);
        engines[name] = std::move(*engine);
    }
    return engines;
}

Result<void> writeInstalledEngine(const fs::path& folder, const InstalledEngine& engine)
{
    return writeFileAtomically(folder / kFile, dumpJson(JsonMembers::of(engine)));
}

std::string installedEnginesToJson(const InstalledEngines& engines)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, engine] : engines) {
        json[name] = JsonMembers::of(engine);
        json[name]["folder"] = engine.folder;
        if (engine.isGone)
            json[name]["gone"] = 1;
    }
    return dumpJson(json);
}

Result<InstalledEngines> installedEnginesFromJson(std::string_view text)
{
    TRY_ASSIGN(const nlohmann::json json, parseJsonObject(text, kMostBytes, "engines"));
    InstalledEngines engines;
    for (const auto& [name, member] : json.items()) {
        if (engines.size() == kMostEngines)
            break;
        TRY_ASSIGN(InstalledEngine engine, fromMembers<InstalledEngine>(member, "engines: " + name));
        JsonFields fields(member, "engines: " + name);
        fields.text("folder", engine.folder);
        if (fields.has("gone"))
            fields.bit("gone", engine.isGone);
        TRY(fields.result());
        engines[name] = std::move(engine);
    }
    return engines;
}

} // namespace ringside
