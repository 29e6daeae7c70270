// SPDX-License-Identifier: MIT
#include "core/remote/ssh/askssh.h"

#include "core/base/findprogram.h"
#include "core/base/text.h"
#include "core/remote/localhost.h"
#include "core/remote/ssh/settings.h"

#include <algorithm>
#include <sstream>

namespace ringside::ssh {

namespace {

constexpr std::size_t kPieceBytes = 64u << 10;
constexpr std::size_t kMaxAnswerBytes = 1u << 20;
constexpr std::chrono::milliseconds kEndLimit{1'000};

/// Says nothing: the answer with it shows what ssh does by itself.
constexpr const char* kEmptyConfig = "/dev/null";

/// Among the files that ssh prints as they were written.
constexpr std::string_view kHashToken = "%C";

CommandLine questionAbout(const Target& target, const fs::path& configFile, const std::string& setting)
{
    CommandLine command{{"ssh", "-G", "-T"}};
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty())
            command.arguments.insert(command.arguments.end(), {option, value});
    };
    add("-F", configFile.string());
    add("-o", setting);
    add("-l", target.user);
    add("-p", target.port == 0 ? std::string() : std::to_string(target.port));
    add("--", target.host);
    return command;
}

/// Names that came so far without the grammar of target.h are no question for ssh.
Result<void> checkNames(const Target& target)
{
    TRY(checkHostName(target.host));
    return target.user.empty() ? Result<void>() : checkUserName(target.user);
}

Result<std::string> readAnswer(Channel& channel, const Deadline& deadline, const std::string& doing)
{
    std::string answer;
    while (!channel.atEnd()) {
        TRY(deadline.check(doing));
        TRY_ASSIGN(const std::string piece, channel.read(kPieceBytes));
        answer += piece;
        if (answer.size() > kMaxAnswerBytes)
            return fail(ErrorCode::damaged, Words::tr("{}: ssh prints without end.", doing));
        if (piece.empty() && !channel.atEnd())
            deadline.poll(channel.pollSet(false));
    }
    return answer;
}

/// ssh waits for nothing else here: the commands of “Match exec”, and the names that it completes.
Error withCause(Error error)
{
    if (error.code == ErrorCode::timeout)
        error.hint = Words::tr("Look in your ssh configuration for a “Match exec” whose command does not end, and for "
                               "“CanonicalizeHostname” while no name server answers.");
    return error;
}

Error refusal(const Target& target, const std::string& said)
{
    std::string line = said.substr(0, said.find_last_not_of("\r\n") + 1);
    std::ranges::replace(line, '\n', ' ');
    return {ErrorCode::usage, Words::tr("ssh does not accept its configuration for {}: {}", target.host, line),
            Words::tr("“ssh -G {}” says the same; correct the file that it names.", target.host)};
}

Result<std::string> answerOf(const Target& target, const fs::path& configFile, const std::string& setting,
                             const fs::path& folder, const Deadline& deadline)
{
    const std::string doing = Words::tr("Asking ssh for the configuration of {}", target.host);
    TRY_ASSIGN(const std::unique_ptr<Channel> channel,
               LocalHost(folder).start(questionAbout(target, configFile, setting)));
    channel->endInput();
    auto answer = readAnswer(*channel, deadline, doing);
    if (!answer)
        return tl::unexpected(withCause(answer.error()));
    if (channel->close(kEndLimit) != 0)
        return tl::unexpected(refusal(target, channel->errorText()));
    return answer;
}

/// ssh prints lists of files with blanks between and nothing around: a new one begins where a path does.
std::vector<std::string> filesOf(const std::string& text)
{
    std::vector<std::string> files;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ' ');)
        if (files.empty() || word.starts_with('/') || word.starts_with('~'))
            files.push_back(word);
        else
            files.back() += " " + word;
    return files;
}

std::vector<std::string> wordsOf(const std::string& keyword, const std::string& text)
{
    if (keyword == "userknownhostsfile" || keyword == "globalknownhostsfile")
        return filesOf(text);
    return keyword == "proxycommand" ? takeWords(text) : std::vector<std::string>{text};
}

Values valuesOf(const std::string& answer, const std::string& place)
{
    Values values;
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);) {
        const auto blank = line.find(' ');
        if (blank == std::string::npos || blank + 1 == line.size())
            continue;
        const std::string keyword = line.substr(0, blank);
        values.add(keyword, {wordsOf(keyword, line.substr(blank + 1)), place});
    }
    return values;
}

bool namesHash(const Values& values)
{
    const auto isIn = [](const Value& value) { return value.words[0].find(kHashToken) != std::string::npos; };
    return std::ranges::any_of(values.all("identityfile"), isIn) ||
           std::ranges::any_of(values.all("certificatefile"), isIn);
}

} // namespace

bool isSshInstalled()
{
    return !findProgram("ssh").empty();
}

Result<Values> askSsh(const Target& target, const fs::path& configFile, const ConfigPlaces& places,
                      const Deadline& deadline)
{
    TRY(checkNames(target));
    if (!configFile.empty())
        TRY(checkOnlyUserWrites(configFile));
    const std::string place = Words::tr("The ssh configuration of {}", target.host);
    std::error_code ignored;
    const fs::path folder = fs::is_directory(places.home, ignored) ? places.home : fs::path("/");
    const auto ask = [&](const fs::path& file, const std::string& setting = {}) {
        return answerOf(target, file, setting, folder, deadline).map([&](const std::string& answer) {
            return valuesOf(answer, place);
        });
    };
    TRY_ASSIGN(Values values, ask(configFile));
    if (namesHash(values)) {
        TRY_ASSIGN(const Values hashed, ask(configFile, fmt::format("ControlPath={}", kHashToken)));
        if (const Value* hash = hashed.find("controlpath"))
            values.add(kConnectionHash, *hash);
    }
    TRY_ASSIGN(const Values usual, ask(kEmptyConfig));
    for (const char* keyword : kAlgorithmKeywords)
        if (values.all(keyword) == usual.all(keyword))
            values.remove(keyword);
    return values;
}

} // namespace ringside::ssh
