// SPDX-License-Identifier: MIT
#include "core/remote/ssh/tokens.h"

#include "core/base/environment.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <array>
#include <climits>
#include <pwd.h>
#include <unistd.h>

namespace ringside::ssh {

namespace {

std::string localHostName()
{
    std::array<char, HOST_NAME_MAX + 1> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

/// Empty for a user who is not known.
fs::path homeOf(const std::string& user)
{
    std::array<char, 16'384> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
    return found ? fs::path(found->pw_dir) : fs::path();
}

Result<std::string> withVariables(const Value& value, std::string text)
{
    for (std::size_t begin = 0; (begin = text.find("${", begin)) != std::string::npos;) {
        const auto end = text.find('}', begin);
        const std::string name = text.substr(begin + 2, end == std::string::npos ? end : end - begin - 2);
        const char* known = end == std::string::npos ? nullptr : environment(name.c_str());
        if (!known)
            return fail(
                ErrorCode::usage,
                Words::tr("{}: the variable {} in “{}” has no value.", value.place, plainText(name), plainText(text)),
                Words::tr("Set it before Ringside starts, or write the path out."));
        text.replace(begin, end + 1 - begin, known);
        begin += std::string_view(known).size();
    }
    return text;
}

} // namespace

Tokens::Tokens(const TokenNames& names, const ConfigPlaces& places)
    : m_home(places.home)
{
    const std::string here = localHostName();
    m_tokens = {{'%', "%"},
                {'d', places.home.string()},
                {'h', names.hostName},
                {'i', std::to_string(::getuid())},
                {'j', names.jumpHost},
                {'k', names.hostKeyAlias.empty() ? names.alias : names.hostKeyAlias},
                {'L', here.substr(0, here.find('.'))},
                {'l', here},
                {'n', names.alias},
                {'p', std::to_string(names.port)},
                {'r', names.user},
                {'u', places.localUser}};
    if (!names.connectionHash.empty())
        m_tokens['C'] = names.connectionHash;
}

Result<fs::path> Tokens::path(const Value& value, const std::string& word) const
{
    TRY_ASSIGN(std::string text, withTokens(value, word));
    TRY_ASSIGN(text, withVariables(value, std::move(text)));
    return withHome(text, m_home);
}

Result<std::string> Tokens::withTokens(const Value& value, const std::string& word) const
{
    std::string text;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (word[i] != '%') {
            text += word[i];
            continue;
        }
        const auto token = i + 1 < word.size() ? m_tokens.find(word[++i]) : m_tokens.end();
        if (token == m_tokens.end())
            return fail(ErrorCode::usage,
                        Words::tr("{}: “{}” has a % that Ringside does not know.", value.place, plainText(word)),
                        Words::tr("Write the path out."));
        text += token->second;
    }
    return text;
}

fs::path withHome(const std::string& path, const fs::path& home)
{
    if (!path.starts_with('~'))
        return home / path; // an absolute path replaces the home
    const auto slash = path.find('/');
    const std::string user = path.substr(1, slash == std::string::npos ? slash : slash - 1);
    const fs::path folder = user.empty() ? home : homeOf(user);
    const std::string rest = slash == std::string::npos ? std::string() : path.substr(slash + 1);
    return folder.empty() ? home / path : folder / rest;
}

} // namespace ringside::ssh
