// SPDX-License-Identifier: MIT
#include "core/sites/shortcommand.h"

#include "core/base/words.h"
#include "core/remote/localhost.h"

#include <poll.h>

namespace ringside {

namespace {

constexpr std::size_t kMaxBytes = 256u << 10;

} // namespace

Result<ShortAnswer> answerOf(const CommandLine& command, std::chrono::milliseconds limit)
{
    LocalHost host;
    TRY_ASSIGN(const std::unique_ptr<Channel> channel, host.start(command));
    const auto end = std::chrono::steady_clock::now() + limit;
    ShortAnswer answer;
    while (!channel->atEnd() && answer.output.size() < kMaxBytes) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return fail(ErrorCode::timeout, Words::tr("{} did not answer.", command.arguments.front()));
        std::vector<pollfd> set = channel->pollSet(false);
        ::poll(set.data(), set.size(), static_cast<int>(left.count()));
        TRY_ASSIGN(const std::string piece, channel->read(kMaxBytes));
        answer.output += piece;
    }
    answer.exitCode = channel->close(std::chrono::seconds(1));
    answer.errors = channel->errorText();
    return answer;
}

} // namespace ringside
