// SPDX-License-Identifier: MIT
#include "core/adapters/adapterbook.h"

#include "core/adapters/builtintables.h"
#include "core/adapters/options.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/protocol/installedengine.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace ringside::adapters {

namespace {

/// Unreadable files stay in the list with their reason.
AdapterOutcome readTable(const fs::path& file)
{
    const auto text = readFile(file, kMaxAdapterBytes + 1);
    if (text)
        return readAdapter(*text);
    return {{}, {{spec::Severity::blocking, "", "", 0, 0, text.error().message, text.error().hint}}};
}

std::set<fs::path> tablesIn(const fs::path& folder)
{
    std::set<fs::path> files;
    std::error_code none;
    for (auto entry = fs::directory_iterator(folder, none); entry != fs::directory_iterator(); entry.increment(none))
        if (entry->path().extension() == ".toml")
            files.insert(entry->path());
    return files;
}

/// Neither is used: the order of files is no choice of the user.
AdapterOutcome refusalOfBoth(const std::string& name, const fs::path& other)
{
    return {{},
            {{spec::Severity::blocking, "", "", 0, 0, Words::tr("{} has the name “{}”, too.", other.string(), name),
              Words::tr("Change the name in one of the two files, or remove one.")}}};
}

spec::System systemOf(const Adapter& adapter)
{
    spec::System system{.name = adapter.name,
                        .title = adapter.title,
                        .batch = adapter.batch,
                        .versions = adapter.versions,
                        .needsInstallation = adapter.installation.has_value()};
    system.settings.insert(std::begin(spec::kSettingsOfAll), std::end(spec::kSettingsOfAll));
    for (const auto& [key, setting] : knownSettings(adapter))
        system.settings.insert(key);
    system.options = mapped(adapter.options, settingOf);
    for (const Option& option : adapter.options)
        if (option.effect != spec::Effect())
            system.effects.emplace(option.key, option.effect);
    system.levels = adapter.levels;
    system.isStarted = !adapter.engine.command.empty();
    system.gaps = adapter.gaps;
    if (!system.isStarted)
        system.gaps.push_back({{}, Words::noop("Ringside reads its logs, and does not start it.")});
    system.roles = adapter.roles;
    system.designs = adapter.designs;
    system.process = adapter.process;
    system.engine = adapter.engine;
    system.argumentNames = argumentNamesFor(adapter);
    for (const auto& [key, setting] : knownSettings(adapter))
        if (!setting.standard)
            system.engine.optional.push_back(key);
        else if (system.effects.contains(key))
            system.engine.standards.emplace(key, toText(*setting.standard));
    return system;
}

} // namespace

std::string AdapterBook::Entry::refusal() const
{
    return outcome.adapter ? std::string() : spec::toText(outcome.checks.front(), file.string());
}

AdapterBook::AdapterBook(const fs::path& folder)
{
    for (const std::string_view table : builtInTables()) {
        AdapterOutcome outcome = readAdapter(table);
        add({outcome.adapter ? outcome.adapter->name : "", {}, std::move(outcome)});
    }
    for (const fs::path& file : tablesIn(folder)) {
        AdapterOutcome outcome = readTable(file);
        const std::string name = isEngineName(outcome.name) ? outcome.name : file.stem().string();
        add({name, file, std::move(outcome)});
    }
    std::ranges::sort(m_entries, {}, &Entry::name);
}

Result<AdapterBook> AdapterBook::ofUser()
{
    TRY_ASSIGN(const fs::path folder, configFolder());
    return AdapterBook(folder / "adapters");
}

void AdapterBook::add(Entry entry)
{
    const auto same = std::ranges::find(m_entries, entry.name, &Entry::name);
    if (same == m_entries.end())
        m_entries.push_back(std::move(entry));
    else if (same->file.empty())
        *same = std::move(entry);
    else
        same->outcome = refusalOfBoth(same->name, entry.file);
}

const Adapter* AdapterBook::find(std::string_view name) const
{
    const auto found = std::ranges::find(m_entries, name, &Entry::name);
    return found != m_entries.end() && found->outcome.adapter ? &*found->outcome.adapter : nullptr;
}

std::vector<std::string> AdapterBook::refusals() const
{
    std::vector<std::string> refusals = mapped(m_entries, &Entry::refusal);
    std::erase(refusals, std::string());
    return refusals;
}

void AdapterBook::use() const
{
    std::vector<spec::System> systems;
    std::map<std::string, std::string> refused;
    for (const Entry& entry : m_entries)
        if (!entry.outcome.adapter)
            refused[entry.name] = entry.refusal();
        else
            systems.push_back(systemOf(*entry.outcome.adapter));
    spec::setSystems(std::move(systems), std::move(refused));
}

const AdapterBook& usersAdapters()
{
    static const AdapterBook kBook = [] {
        auto book = AdapterBook::ofUser();
        return book ? std::move(*book) : AdapterBook({}); // without a home folder there are Ringside's own
    }();
    [[maybe_unused]] static const bool isUsed = (kBook.use(), true);
    return kBook;
}

} // namespace ringside::adapters
