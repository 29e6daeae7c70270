// SPDX-License-Identifier: MIT
#include "core/base/text.h"

#include <doctest/doctest.h>

namespace ringside {

TEST_CASE("suggestions are close words only")
{
    const std::vector<std::string> known = {"model", "ranks", "batch_per_rank", "plan"};
    CHECK(closestWord("mode", known) == "model");
    CHECK(closestWord("rank", known) == "ranks");
    CHECK(closestWord("batch_per_ranks", known) == "batch_per_rank");
    CHECK_FALSE(closestWord("colour", known));
    CHECK_FALSE(closestWord("", {}));
}

TEST_CASE("small letters are made of A to Z alone")
{
    CHECK(lowerCase("[AZaz09@Ä]") == "[azaz09@Ä]");
}

TEST_CASE("text from elsewhere becomes safe text")
{
    CHECK(plainText("plain\ttext\nwith ä and 日本 and 😀") == "plain\ttext\nwith ä and 日本 and 😀");
    CHECK(plainText("\x1b[2J\r\x07") == "?[2J??");
    CHECK(plainText("as ssh says it\r\n\r\nand on\r\r\n") == "as ssh says it\n\nand on?\n");
    CHECK(plainText("\xff\xfe") == "??");
    CHECK(plainText("\xc0\xaf") == "??");           // overlong "/"
    CHECK(plainText("\xed\xa0\x80") == "???");      // a surrogate
    CHECK(plainText("\xf4\x90\x80\x80") == "????"); // beyond Unicode
    CHECK(plainText("cut off: \xe6\x97") == "cut off: ??");
    CHECK(plainText("\xc2\x9b") == "?"); // a control sequence introducer in one character
    CHECK(plainText("\u202Eevil\u202C \u2066a\u2069") == "?evil? ?a?"); // what turns the direction of text
    CHECK(plainText("a\u2028b") == "a?b");                              // a line's end
    CHECK(plainText("“…” – ‰ עברית") == "“…” – ‰ עברית");               // neighbours, and text from right to left
}

TEST_CASE("sizes as in experiment files")
{
    CHECK(parseSize("25 MiB") == 25u << 20);
    CHECK(parseSize("1KiB") == 1024);
    CHECK(parseSize("7 B") == 7);
    for (const char* bad : {"", "MiB", "25", "25 MB", "-1 B", "1.5 GiB", "25 MiB ", "18446744073709551615 KiB"})
        CHECK_FALSE(parseSize(bad));
    for (const std::uint64_t bytes : {0u, 1u, 1023u, 1024u, 25u << 20, 3u << 30})
        CHECK(parseSize(formatSize(bytes)) == bytes);
    CHECK(formatSize(26214400) == "25 MiB");
}

TEST_CASE("sizes and durations for people")
{
    CHECK(humanBytes(0) == "0 B");
    CHECK(humanBytes(999) == "999 B");
    CHECK(humanBytes(1000) == "1.00 kB");
    CHECK(humanBytes(110'000'000) == "110 MB");
    CHECK(humanBytes(999'999) == "1.00 MB");
    CHECK(humanDuration(42) == "42 s");
    CHECK(humanDuration(59.6) == "1 min");
    CHECK(humanDuration(720) == "12 min");
    CHECK(humanDuration(17'280) == "4.8 h");
}

TEST_CASE("times are UTC")
{
    CHECK(isoTime(0) == "1970-01-01T00:00:00Z");
    CHECK(isoTime(1'795'262'400'999'999'999) == "2026-11-21T12:00:00Z");
}

} // namespace ringside
