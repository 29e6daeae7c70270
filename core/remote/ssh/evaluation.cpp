// SPDX-License-Identifier: MIT
#include "core/remote/ssh/evaluation.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>

namespace ringside::ssh {

namespace {

bool addsUp(const std::string& keyword)
{
    return keyword == "identityfile" || keyword == "certificatefile";
}

/// Of these two, only the one said first holds.
const char* rivalOf(const std::string& keyword)
{
    return keyword == "proxyjump" ? "proxycommand" : keyword == "proxycommand" ? "proxyjump" : nullptr;
}

std::vector<std::string> splitAtCommas(std::string_view text)
{
    std::vector<std::string> parts;
    while (true) {
        const auto comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        if (comma == std::string_view::npos)
            return parts;
        text.remove_prefix(comma + 1);
    }
}

std::string replaceAll(std::string text, std::string_view what, std::string_view by)
{
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

} // namespace

bool matchesWildcard(std::string_view pattern, std::string_view text)
{
    std::size_t p = 0, t = 0;
    std::size_t star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matchesPatterns(const std::vector<std::string>& patterns, std::string_view text)
{
    bool matched = false;
    for (const std::string& pattern : patterns) {
        if (pattern.starts_with('!') && matchesWildcard(std::string_view(pattern).substr(1), text))
            return false;
        matched = matched || matchesWildcard(pattern, text);
    }
    return matched;
}

Evaluation::Evaluation(Subject subject)
    : m_subject(std::move(subject))
{
}

const Directive* Evaluation::find(const std::string& keyword) const
{
    const auto& values = all(keyword);
    return values.empty() ? nullptr : values.front();
}

const std::vector<const Directive*>& Evaluation::all(const std::string& keyword) const
{
    static const std::vector<const Directive*> kNone;
    const auto found = m_values.find(keyword);
    return found == m_values.end() ? kNone : found->second;
}

std::string Evaluation::hostName() const
{
    const Directive* said = find("hostname");
    return said ? replaceAll(said->words[0], "%h", m_subject.target.host) : m_subject.target.host;
}

std::string Evaluation::user() const
{
    if (!m_subject.target.user.empty())
        return m_subject.target.user;
    const Directive* said = find("user");
    return said ? said->words[0] : m_subject.localUser;
}

void Evaluation::apply(const ConfigFile& file, bool outer)
{
    bool active = outer;
    for (const Directive& directive : file.directives) {
        if (directive.keyword == "host")
            active = outer && matchesPatterns(directive.words, m_subject.target.host);
        else if (directive.keyword == "match")
            active = outer && matches(directive);
        else if (directive.keyword == "include")
            for (const ConfigFile& included : directive.included)
                apply(included, active);
        else if (active && !directive.words.empty())
            set(directive);
    }
}

void Evaluation::set(const Directive& directive)
{
    const char* rival = rivalOf(directive.keyword);
    if (rival && find(rival))
        return;
    auto& values = m_values[directive.keyword];
    if (values.empty() || addsUp(directive.keyword))
        values.push_back(&directive);
}

bool Evaluation::matches(const Directive& match)
{
    bool matched = !match.words.empty();
    for (std::size_t i = 0; matched && i < match.words.size(); ++i) {
        std::string criterion = match.words[i];
        const bool wanted = !criterion.starts_with('!');
        criterion.erase(0, wanted ? 0 : 1);
        const bool alone = criterion == "all" || criterion == "final" || criterion == "canonical";
        const std::string patterns = alone || i + 1 == match.words.size() ? std::string() : match.words[++i];
        const auto held = holds(criterion, patterns);
        if (!held)
            m_notes.push_back(Words::tr("{}: “Match {}” is not evaluated; its block is left out.", match.place(),
                                        plainText(criterion)));
        matched = held && *held == wanted;
    }
    return matched;
}

/// Nullopt: Ringside does not decide this one ("exec" above all: nothing in a configuration is executed).
std::optional<bool> Evaluation::holds(const std::string& criterion, const std::string& patterns) const
{
    const auto in = [&](std::string_view text) { return matchesPatterns(splitAtCommas(patterns), text); };
    if (criterion == "all")
        return true;
    if (criterion == "final" || criterion == "canonical") // these hold in a second reading, which there is none of
        return false;
    if (criterion == "host")
        return in(hostName());
    if (criterion == "originalhost")
        return in(m_subject.target.host);
    if (criterion == "user")
        return in(user());
    if (criterion == "localuser")
        return in(m_subject.localUser);
    return std::nullopt;
}

} // namespace ringside::ssh
