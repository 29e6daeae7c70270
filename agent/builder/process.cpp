// SPDX-License-Identifier: MIT
#include "agent/builder/process.h"

#include "core/base/text.h"

namespace ringside::builder {

Result<Answer> run(const std::vector<std::string>& command, const Deadline& deadline, runner::CommandOptions options)
{
    options.limit = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds(deadline.leftNs()));
    auto answer = runner::ask(command, options);
    if (!answer && answer.error().code == ErrorCode::timeout && deadline.leftNs() <= 0)
        return fail(ErrorCode::timeout, fmt::format("{} did not end in time.", command.front()),
                    "The machine may be busy; try again, or allow more time.");
    return answer;
}

std::string lastLines(std::string_view text, std::size_t count)
{
    std::size_t begin = text.size();
    if (begin > 0 && text.back() == '\n')
        --begin;
    const std::size_t end = begin;
    for (; count > 0 && begin != std::string::npos && begin > 0; --count)
        begin = text.rfind('\n', begin - 1);
    begin = begin == std::string::npos ? 0 : begin + (begin > 0);
    return plainText(text.substr(begin, end - std::min(begin, end)));
}

bool saysDiskFull(std::string_view output)
{
    return output.find("No space left on device") != output.npos || output.find("Disk quota exceeded") != output.npos;
}

std::string firstLineOf(const std::vector<std::string>& command, const Deadline& deadline)
{
    const auto answer = run(command, deadline, {});
    return answer && answer->good() ? plainText(answer->output.substr(0, answer->output.find('\n'))) : "";
}

} // namespace ringside::builder
