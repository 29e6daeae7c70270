// SPDX-License-Identifier: MIT
#include "core/sites/sitebook.h"

#include "core/base/words.h"
#include "core/protocol/layout.h"
#include "core/spec/experiment.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <unistd.h>

namespace ringside {

namespace {

constexpr std::uint64_t kMaxFileBytes = 64u << 10;
constexpr const char* kSuffix = ".toml";

bool haveSameRoot(const Site& one, const Site& other)
{
    const auto root = [](const Site& site) {
        return fs::path(layout::checkedRoot(site.root).value_or(site.root)) / ""; // with or without a slash at its end
    };
    return one.host == other.host && one.user == other.user && one.port == other.port &&
           one.sshConfig == other.sshConfig && root(one) == root(other);
}

} // namespace

Result<SiteBook> SiteBook::ofUser()
{
    return configFolder().map([](const fs::path& folder) { return SiteBook(folder / "sites"); });
}

Result<std::vector<SiteBook::Entry>> SiteBook::allOfUser()
{
    return ofUser().map([](const SiteBook& book) { return book.all(); });
}

std::vector<SiteBook::Entry> SiteBook::all() const
{
    std::vector<Entry> entries;
    for (const std::string& name : names())
        entries.push_back({name, find(name)});
    return entries;
}

std::vector<std::string> SiteBook::names() const
{
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& each : fs::directory_iterator(m_folder, ignored))
        if (each.path().extension() == kSuffix)
            names.push_back(each.path().stem().string());
    std::ranges::sort(names);
    return names;
}

Result<Site> SiteBook::find(const std::string& name) const
{
    std::error_code unreadable; // is no absence: a home that is away for a moment, say
    if (fs::status(file(name), unreadable).type() == fs::file_type::not_found) {
        std::vector<std::string> known = names();
        known.insert(known.begin(), spec::kLocalSite);
        return fail(ErrorCode::notFound, Words::tr("There is no site “{}”.", name), spec::suggestion(name, known));
    }
    TRY_ASSIGN(const std::string text, readFile(file(name), kMaxFileBytes));
    TRY_ASSIGN(Site site, siteFromToml(text, file(name).string()));
    if (site.name != name)
        return fail(ErrorCode::usage, Words::tr("{}: the name in it is “{}”.", file(name).string(), site.name),
                    Words::tr("Rename the file, or the site in it."));
    return site;
}

std::set<std::string> SiteBook::onRootOf(const std::string& name) const
{
    std::set<std::string> names{name};
    const auto site = find(name);
    if (!site)
        return names;
    for (const Entry& entry : all())
        if (entry.site && haveSameRoot(*entry.site, *site))
            names.insert(entry.name);
    return names;
}

Result<void> SiteBook::save(const Site& site) const
{
    TRY(checkSite(site));
    TRY(makePrivateFolder(m_folder));
    return writeFileAtomically(file(site.name), siteToToml(site));
}

Result<void> SiteBook::rename(const std::string& name, const std::string& to) const
{
    TRY_ASSIGN(Site site, find(name));
    std::error_code ignored;
    if (fs::exists(file(to), ignored))
        return fail(ErrorCode::exists, Words::tr("There is a site “{}” already.", to),
                    Words::tr("Choose another name."));
    site.name = to;
    TRY(save(site));
    return remove(name);
}

Result<void> SiteBook::remove(const std::string& name) const
{
    if (::unlink(file(name).c_str()) != 0)
        return tl::unexpected(systemError(Words::noop("cannot remove"), file(name), errno));
    return {};
}

/// A name that is no site's names no file: it cannot lead out of the folder.
fs::path SiteBook::file(const std::string& name) const
{
    return m_folder / (fs::path(name).filename().string() + kSuffix);
}

} // namespace ringside
