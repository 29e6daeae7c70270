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

/// Only the one of these two that is set first holds.
const char* rivalOf(const std::string& keyword)
{
    return keyword == "proxyjump" ? "proxycommand" : keyword == "proxycommand" ? "proxyjump" : nullptr;
}

std::string replaceAll(std::string text, std::string_view what, std::string_view by)
{
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

/// ssh reads everything a second time for it, whether its block holds or not.
bool asksForFinal(const Directive& directive)
{
    return directive.keyword == "match" && std::ranges::any_of(directive.words, [](const std::string& word) {
               return word == "final" || word == "!final";
           });
}

/// "*" and "?", case-sensitive.
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

} // namespace

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

std::string Evaluation::hostName() const
{
    if (m_isFinal)
        return m_finalName;
    const Value* said = m_values.find("hostname");
    return said ? replaceAll(said->words[0], "%h", m_subject.target.host) : m_subject.target.host;
}

std::string Evaluation::user() const
{
    if (!m_subject.target.user.empty())
        return m_subject.target.user;
    const Value* said = m_values.find("user");
    return said ? said->words[0] : m_subject.localUser;
}

void Evaluation::apply(const std::vector<ConfigFile>& files)
{
    for (const ConfigFile& file : files)
        apply(file, true);
    if (!m_wantsFinal)
        return;
    m_values.notes.clear();
    m_finalName = lowerCase(hostName());
    m_values.replace("hostname", {{m_finalName}, {}});
    m_isFinal = true;
    for (const ConfigFile& file : files)
        apply(file, true);
}

void Evaluation::apply(const ConfigFile& file, bool outer)
{
    bool active = outer;
    for (const Directive& directive : file.directives) {
        m_wantsFinal |= asksForFinal(directive);
        if (directive.keyword == "host")
            active = outer && matchesPatterns(directive.words, m_isFinal ? m_finalName : m_subject.target.host);
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
    if (rival && m_values.find(rival))
        return;
    const auto& said = m_values.all(directive.keyword);
    const bool isSaid = std::ranges::find(said, directive.words, &Value::words) != said.end();
    if (said.empty() || (addsUp(directive.keyword) && !isSaid))
        m_values.add(directive.keyword, {directive.words, directive.place()});
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
            m_values.notes.push_back(Words::tr("{}: “Match {}” is not evaluated; its block is left out.", match.place(),
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
    if (criterion == "final" || criterion == "canonical") // names are not made canonical here
        return criterion == "final" && m_isFinal;
    if (criterion == "host" || criterion == "originalhost") // in either case, unlike users
        return matchesPatterns(splitAtCommas(lowerCase(patterns)),
                               lowerCase(criterion == "host" ? hostName() : m_subject.target.host));
    if (criterion == "user")
        return in(user());
    if (criterion == "localuser")
        return in(m_subject.localUser);
    return std::nullopt;
}

} // namespace ringside::ssh
