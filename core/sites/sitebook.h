// SPDX-License-Identifier: MIT
// The sites of this user: one file each in $XDG_CONFIG_HOME/ringside/sites, written by the window and the command line,
// or by hand. Shared by all stores. Each call reads or writes the files anew; blocking, milliseconds.
#pragma once

#include "core/sites/site.h"

#include <set>

namespace ringside {

class SiteBook
{
public:
    /// The folder of this user: below $XDG_CONFIG_HOME, else $HOME/.config. Made by the first save.
    static Result<SiteBook> ofUser();
    explicit SiteBook(fs::path folder)
        : m_folder(std::move(folder))
    {
    }

    struct Entry
    {
        std::string name;
        Result<Site> site; ///< a file that cannot be read stays in the list with its reason
    };
    /// In the order of their names; without "local".
    std::vector<Entry> all() const;
    static Result<std::vector<Entry>> allOfUser();

    /// Fails with notFound (and the known names) or with what is wrong with its file.
    Result<Site> find(const std::string& name) const;
    /// Names of the sites that are surely on the root of this one, its own included, whether it can be read or not:
    /// host, user, port, ssh configuration and root of both are written alike. Aliases of one host are not looked
    /// through.
    std::set<std::string> onRootOf(const std::string& name) const;
    /// Writes its file by rename, private to the user.
    Result<void> save(const Site& site) const;
    /// Fails with exists if a site has the new name.
    Result<void> rename(const std::string& name, const std::string& to) const;
    Result<void> remove(const std::string& name) const;

    const fs::path& folder() const { return m_folder; }

private:
    std::vector<std::string> names() const;
    fs::path file(const std::string& name) const;
    fs::path m_folder;
};

} // namespace ringside
