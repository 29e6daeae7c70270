// SPDX-License-Identifier: MIT
#include "core/remote/ssh/shellline.h"

#include "core/base/shellquote.h"
#include "core/base/words.h"

#include <algorithm>

namespace ringside::ssh {

namespace {

/// Decodes its arguments with printf %b and becomes the command that they are. The dot protects newlines at a word's
/// end.
constexpr const char* kDecode = R"sh(for a do shift; v=$(printf "%b." "$a"); set -- "$@" "${v%.}"; done; exec "$@")sh";

std::string encoded(const std::string& word)
{
    std::string text;
    for (const char c : word) {
        if (c == '\n')
            text += "\\n";
        else if (c == '\\')
            text += "\\\\";
        else
            text += c;
    }
    return text;
}

bool contains(const CommandLine& command, char c)
{
    return std::any_of(command.arguments.begin(), command.arguments.end(),
                       [c](const std::string& word) { return word.find(c) != std::string::npos; });
}

CommandLine withoutNewlines(const CommandLine& command)
{
    if (!contains(command, '\n'))
        return command;
    CommandLine carrier{{"sh", "-c", kDecode, "sh"}};
    std::transform(command.arguments.begin(), command.arguments.end(), std::back_inserter(carrier.arguments), encoded);
    return carrier;
}

} // namespace

Result<std::string> shellLine(const CommandLine& command)
{
    if (command.arguments.empty() || contains(command, '\0'))
        return fail(ErrorCode::usage, Words::tr("A command without a program, or with a NUL byte, cannot be started."));
    std::string line;
    for (const std::string& word : withoutNewlines(command).arguments)
        line += fmt::format("{}{}", line.empty() ? "" : " ", shellQuote(word));
    if (line.size() > kMaxShellLineBytes)
        return fail(ErrorCode::usage, Words::tr("The command {} is {} bytes long; a shell accepts {}.",
                                                command.arguments[0].substr(0, 80), line.size(), kMaxShellLineBytes));
    return line;
}

} // namespace ringside::ssh
