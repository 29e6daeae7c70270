// SPDX-License-Identifier: MIT
#include "core/remote/ssh/configfile.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>
#include <array>
#include <glob.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::ssh {

namespace {

constexpr std::uint64_t kMaxConfigBytes = 1u << 20;
constexpr int kMaxIncludeDepth = 16; // as in ssh

constexpr std::string_view kBlanks = " \t\r\f";

void skip(std::string_view& text, std::string_view what)
{
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(what)));
}

/// The next word: quotes group, a backslash makes a quote or backslash literal.
std::string takeWord(std::string_view& text)
{
    std::string word;
    char quote = '\0';
    std::size_t i = 0;
    for (; i < text.size() && (quote != '\0' || kBlanks.find(text[i]) == std::string_view::npos); ++i) {
        const char c = text[i];
        if (c == '\\' && i + 1 < text.size() && std::string_view("\"'\\ ").find(text[i + 1]) != std::string_view::npos)
            word += text[++i];
        else if (quote == '\0' && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = '\0';
        else
            word += c;
    }
    text.remove_prefix(i);
    return word;
}

Directive parseLine(std::string_view text)
{
    Directive directive;
    skip(text, kBlanks);
    if (text.empty() || text[0] == '#')
        return directive;
    const auto end = std::min(text.size(), text.find_first_of(" \t\r\f="));
    directive.keyword = lowerCase(std::string(text.substr(0, end)));
    text.remove_prefix(end);
    skip(text, kBlanks);
    if (text.starts_with('='))
        text.remove_prefix(1);
    directive.words = takeWords(text);
    return directive;
}

class Reader
{
public:
    Reader(const ConfigPlaces& places, fs::path includeFolder, bool strict)
        : m_places(places)
        , m_includeFolder(std::move(includeFolder))
        , m_strict(strict)
    {
    }

    Result<ConfigFile> read(const fs::path& path, int depth = 0) const
    {
        if (m_strict)
            TRY(checkOnlyUserWrites(path));
        TRY_ASSIGN(const std::string text, readFile(path, kMaxConfigBytes));
        ConfigFile file;
        std::string_view rest = text;
        for (int line = 1; !rest.empty(); ++line) {
            const auto end = std::min(rest.size(), rest.find('\n'));
            Directive directive = parseLine(rest.substr(0, end));
            rest.remove_prefix(std::min(rest.size(), end + 1));
            directive.file = path;
            directive.line = line;
            if (directive.keyword == "include")
                TRY(include(directive, depth));
            if (!directive.keyword.empty())
                file.directives.push_back(std::move(directive));
        }
        return file;
    }

private:
    Result<void> include(Directive& directive, int depth) const
    {
        if (depth >= kMaxIncludeDepth)
            return fail(ErrorCode::usage, Words::tr("{}: files include each other too deeply.", directive.place()));
        for (const std::string& pattern : directive.words) {
            for (const fs::path& path : filesNamed(pattern)) {
                TRY_ASSIGN(ConfigFile file, read(path, depth + 1));
                directive.included.push_back(std::move(file));
            }
        }
        return {};
    }

    std::vector<fs::path> filesNamed(const std::string& pattern) const
    {
        const fs::path whole =
            pattern.starts_with("~/") ? m_places.home / pattern.substr(2) : m_includeFolder / pattern;
        glob_t found{};
        std::vector<fs::path> paths;
        if (::glob(whole.c_str(), 0, nullptr, &found) == 0)
            paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
        ::globfree(&found);
        std::erase_if(paths, [](const fs::path& path) {
            std::error_code ignored;
            return fs::is_directory(path, ignored);
        });
        return paths;
    }

    const ConfigPlaces& m_places;
    fs::path m_includeFolder; ///< where relative names in Include begin
    bool m_strict;
};

Result<void> readIfThere(const Reader& reader, const fs::path& path, std::vector<ConfigFile>& files)
{
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        return {};
    TRY_ASSIGN(ConfigFile file, reader.read(path));
    files.push_back(std::move(file));
    return {};
}

} // namespace

std::vector<std::string> takeWords(std::string_view text)
{
    std::vector<std::string> words;
    for (skip(text, kBlanks); !text.empty() && text[0] != '#'; skip(text, kBlanks))
        words.push_back(takeWord(text));
    return words;
}

Result<void> checkOnlyUserWrites(const fs::path& path)
{
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) // reading says what is wrong
        return {};
    if ((status.st_uid == 0 || status.st_uid == ::getuid()) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return {};
    return fail(ErrorCode::permission, Words::tr("{} may be written by others.", path.string()),
                Words::tr("“chmod go-w {}” fixes it.", path.string()));
}

Result<ConfigPlaces> ConfigPlaces::ofThisUser()
{
    std::array<char, 16'384> buffer{};
    passwd user{};
    passwd* entry = nullptr;
    ::getpwuid_r(::getuid(), &user, buffer.data(), buffer.size(), &entry); // each site has a thread
    if (!entry)
        return fail(ErrorCode::unavailable, Words::tr("User {} has no entry in the password database.", ::getuid()),
                    Words::tr("Sign in to this computer as a named user."));
    ConfigPlaces places;
    places.home = entry->pw_dir;
    places.localUser = entry->pw_name;
    return places;
}

Result<std::vector<ConfigFile>> readConfigFiles(const ConfigPlaces& places, const fs::path& explicitFile)
{
    const fs::path userFolder = places.home / ".ssh";
    std::vector<ConfigFile> files;
    if (!explicitFile.empty()) {
        TRY_ASSIGN(ConfigFile file, Reader(places, userFolder, true).read(explicitFile));
        files.push_back(std::move(file));
        return files;
    }
    TRY(readIfThere(Reader(places, userFolder, true), userFolder / "config", files));
    TRY(readIfThere(Reader(places, places.systemConfig.parent_path(), false), places.systemConfig, files));
    return files;
}

} // namespace ringside::ssh
