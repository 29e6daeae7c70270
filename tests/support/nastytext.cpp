// SPDX-License-Identifier: MIT
#include "tests/support/nastytext.h"

#include <iterator>

namespace ringside::test {

namespace {

constexpr const char* kPieces[] = {"'",
                                   "\"",
                                   "$(touch pwned)",
                                   "`touch pwned`",
                                   ";touch pwned;",
                                   "|tee pwned|",
                                   "&",
                                   "|",
                                   ">",
                                   "<",
                                   ">pwned",
                                   "*",
                                   "?",
                                   "[a]",
                                   "{a,b}",
                                   "~",
                                   "!",
                                   "!!",
                                   "\\",
                                   "\\n",
                                   "%s",
                                   "%n",
                                   " ",
                                   "  ",
                                   "#",
                                   "$HOME",
                                   "${x}",
                                   "ä",
                                   "日本",
                                   "é",
                                   "-rf",
                                   "=",
                                   "a",
                                   "\\'",
                                   "$'\\n'",
                                   "\\u0041",
                                   "$(<x)",
                                   "^",
                                   ":",
                                   ",",
                                   "--",
                                   "@"};

} // namespace

std::string nastyText(std::mt19937& random, std::size_t bytes)
{
    std::string text = "x";
    for (;;) {
        const std::string piece = kPieces[random() % std::size(kPieces)];
        if (text.size() + piece.size() > bytes)
            return text;
        text += piece;
    }
}

} // namespace ringside::test
