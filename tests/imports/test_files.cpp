// SPDX-License-Identifier: MIT
// Files that are damaged, no text, too large, or written while they are read.
#include "tests/imports/logfixture.h"

#include <random>
#include <sstream>
#include <sys/stat.h>

using namespace ringside;
using namespace ringside::imports;
using namespace ringside::test;
using namespace std::string_literals;

TEST_CASE("logs that are damaged are read as far as they go, or refused")
{
    const LogFixture fixture;
    const std::string log = textOf(formatLog("mxnet.module"));
    const auto cut = LogFixture::preview({fixture.write("cut.log", log.substr(0, log.size() * 2 / 3))});
    REQUIRE(cut);
    REQUIRE(cut->logs.front().runs.size() == 1);
    CHECK(cut->logs.front().runs.front().figure.records < 12);

    std::mt19937 random(1);
    std::string bytes(3 << 20, '\0');
    std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
    const auto noise = LogFixture::preview({fixture.write("noise.log", bytes)});
    REQUIRE(noise);
    CHECK(!noise->logs.front().log.format);
    CHECK(LogFixture::notes(noise->logs.front(), "No line of it has a form"));
    const auto named = LogFixture::preview({fixture.folder / "noise.log"}, {}, "mxnet");
    CHECK(LogFixture::notes(named->logs.front(), "No line of it is one of MXNet"));
    CHECK(notesOf(named->logs.front()).front().gravity == Gravity::block);
    CHECK(notesOf(noise->logs.front()).front().gravity == Gravity::block);
    CHECK(LogFixture::preview({fixture.folder.path()})->passedOver == 1); // in a folder it is no log

    const auto both = LogFixture::preview({fixture.write("both.log", bytes + '\n' + log)});
    REQUIRE(both);
    CHECK(both->logs.front().runs.size() == 1);
    const auto empty = LogFixture::preview({fixture.write("empty.log", "")});
    CHECK(empty->logs.front().runs.empty());
    CHECK(notesOf(empty->logs.front()).front().text() == "It is empty.");
    CHECK(LogFixture::preview({fixture.folder / "none.log"}).error().code == ErrorCode::notFound);
    CHECK(LogFixture::preview({formatLog("mxnet.module")}, {}, "mxnte").error().hint.find("mxnet") !=
          std::string::npos);
}

TEST_CASE("a file without a form is given up, and has no hash unless another rank's file makes it part of a log")
{
    const LogFixture fixture;
    const auto writeNothing = [&](const std::string& name) {
        fixture.write(name, "");
        fs::resize_file(fixture.folder / name, kMostPrelude + (1u << 20));
        return fixture.folder / name;
    };
    const auto alone = LogFixture::preview({writeNothing("alone.log")});
    REQUIRE(alone);
    CHECK(!alone->logs.front().log.format);
    CHECK(alone->logs.front().log.files.front().bytes == kMostPrelude);
    CHECK(alone->logs.front().log.files.front().sha256.empty());
    CHECK(LogFixture::notes(alone->logs.front(), "No line of its first 64 MiB has a form"));

    const fs::path silent = writeNothing("ranks/rank-0.log");
    fixture.write("ranks/rank-1.log", textOf(formatLog("mxnet.module")));
    const auto ranks = LogFixture::preview({fixture.folder / "ranks"});
    REQUIRE(ranks);
    REQUIRE(ranks->logs.size() == 1);
    CHECK(ranks->logs.front().log.format->name == "mxnet");
    CHECK(ranks->logs.front().log.files.front().sha256 == sha256OfFile(silent).value());
}

TEST_CASE("a pipe or a device is refused, since its bytes cannot be read again")
{
    const LogFixture fixture;
    const fs::path pipe = fixture.folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0); // into which nothing is ever written
    for (const fs::path& path : {pipe, fs::path("/dev/zero")}) {
        const auto refused = LogFixture::preview({path});
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::usage);
        CHECK(refused.error().message.find("cannot be read again") != std::string::npos);
        CHECK(refused.error().hint.find("Write them to a file") != std::string::npos);
    }
    fixture.write("log.txt", textOf(formatLog("mxnet.module"))); // in a folder it is passed over, as what is no log is
    CHECK(LogFixture::preview({fixture.folder.path()})->logs.size() == 1);
}

TEST_CASE("of a compressed file is said what unpacks it")
{
    const LogFixture fixture;
    const auto packed = [&](std::string_view beginning) {
        return LogFixture::preview({fixture.write("packed.log", std::string(beginning) + "\3\1\2\n")})->logs.front();
    };
    CHECK(LogFixture::notes(packed("\x1f\x8b\x08"), "with gunzip"));
    CHECK(LogFixture::notes(packed("\x28\xb5\x2f\xfd"), "with unzstd"));
    CHECK(LogFixture::notes(packed("\xfd\x37zXZ"), "with unxz"));
    CHECK(LogFixture::notes(packed("BZh9"), "with bunzip2"));
    CHECK(LogFixture::notes(packed("BZ"), "No line of it has a form"));
    CHECK(notesOf(packed("BZh9")).size() == 1);
    const fs::path named = fixture.write("named.log", "BZh9\n");
    CHECK(LogFixture::notes(LogFixture::preview({named}, {}, "mxnet")->logs.front(), "with bunzip2"));
    const std::string log = textOf(formatLog("mxnet.module")); // whatever it begins with
    CHECK(LogFixture::preview({fixture.write("text.log", "BZh9\n" + log)})->logs.front().log.format);
}

TEST_CASE("of a text in UTF-16 is said what converts it, and UTF-8 may begin with its mark")
{
    const LogFixture fixture;
    const std::string log = textOf(formatLog("mxnet.module"));
    const auto wide = [&](std::string_view mark, std::size_t at) {
        std::string text(mark);
        for (const char c : log)
            text += at == 0 ? std::string{c, '\0'} : std::string{'\0', c};
        return LogFixture::preview({fixture.write("wide.log", text)})->logs.front();
    };
    for (const LogPreview& read : {wide("\xff\xfe", 0), wide("\xfe\xff", 1)}) {
        CHECK(notesOf(read).size() == 1);
        CHECK(LogFixture::notes(read, "It is text in UTF-16"));
        CHECK(LogFixture::notes(read, "iconv -f UTF-16 -t UTF-8"));
    }
    const auto marked = LogFixture::preview({fixture.write("marked.log", "\xef\xbb\xbf" + log)});
    CHECK(marked->logs.front().log.files.front().linesRead == 22);
    CHECK_FALSE(marked->logs.front().log.files.front().isUtf16);
}

TEST_CASE("reading can be stopped, and reports how far it is")
{
    std::stop_source stop;
    std::uint64_t most = 0, all = 0;
    PreviewRequest request{.paths = {formatLog("mxnet.module")}, .stop = stop.get_token()};
    request.onBytes = [&](std::uint64_t done, std::uint64_t of) { most = done, all = of; };
    REQUIRE(previewLogs(request, adapters::usersLogFormats()));
    CHECK(most == fs::file_size(formatLog("mxnet.module")));
    CHECK(all == most);
    stop.request_stop();
    CHECK(previewLogs(request, adapters::usersLogFormats()).error().code == ErrorCode::cancelled);
}

namespace {

/// The most memory that this process has had since it was asked to forget.
std::uint64_t mostKib(bool forgets)
{
    if (forgets)
        std::ofstream("/proc/self/clear_refs") << 5;
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (std::uint64_t kib = 0; word == "VmHWM:" && status >> kib)
            return kib;
    return 0;
}

} // namespace

TEST_CASE("a line without an end is cut and counted, costs no memory, and hides no other")
{
    constexpr std::uint64_t kEndless = 100u << 20;
    const LogFixture fixture;
    const std::string log = textOf(formatLog("mxnet.module"));
    const fs::path path = fixture.write("endless.log", log);
    fs::resize_file(path, log.size() + kEndless); // of NUL bytes
    std::ofstream(path, std::ios::app) << '\n' << log;
    PreviewRequest request{.paths = {path}, .as = "mxnet"};
    const std::uint64_t before = mostKib(true);
    const auto previews = previewLogs(request, adapters::usersLogFormats());
    REQUIRE(previews);
    REQUIRE(before > 0);
    CHECK(mostKib(false) - before < 16u << 10);
    const ReadFile& file = previews->logs.front().log.files.front();
    CHECK(file.bytes == 2 * log.size() + kEndless + 1);
    CHECK(file.cutLines == 1);
    CHECK(file.linesRead == 2 * 22);
    CHECK(LogFixture::notes(previews->logs.front(), "1 line is too long and was cut."));
}

TEST_CASE("what is no text between the lines of a log changes nothing that is read of them")
{
    const LogFixture fixture;
    const std::string log = textOf(formatLog("mxnet.module"));
    const auto expected = LogFixture::preview({fixture.write("plain.log", log)});
    std::string hostile;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
        hostile += line + "\n\0\x1b[2J\x1b]0;title\x07\xff\xfe\xc3(\r\x9b\x31m\b\b\n\xf0\x9f\n"s;
    const auto previews = LogFixture::preview({fixture.write("hostile\x1b[31m\xff.log", hostile)});
    REQUIRE(expected);
    REQUIRE(previews);
    const LogPreview& plain = expected->logs.front();
    const LogPreview& read = previews->logs.front();
    REQUIRE(read.runs.size() == plain.runs.size());
    CHECK(read.log.files.front().linesRead == plain.log.files.front().linesRead);
    CHECK(read.runs.front().figure.records == plain.runs.front().figure.records);
    CHECK(read.runs.front().figure.itemsPerSecond == plain.runs.front().figure.itemsPerSecond);
    const auto isPlain = [](const std::string& text) { return text.find('\x1b') == std::string::npos; };
    CHECK(isPlain(nameOf(read)));
    CHECK(std::ranges::all_of(notesOf(read), isPlain, &Note::text));
}

TEST_CASE("a log that grows or shrinks while it is read is read as far as it goes")
{
    const LogFixture fixture;
    const std::string log = textOf(formatLog("mxnet.module"));
    std::string many;
    while (many.size() < 1u << 20)
        many += log;
    const fs::path path = fixture.write("log.txt", many);
    const auto readWhile = [&](auto change) {
        PreviewRequest request{.paths = {path}};
        request.onBytes = [&, isFirst = true](std::uint64_t, std::uint64_t) mutable {
            if (std::exchange(isFirst, false))
                change();
        };
        auto previews = previewLogs(request, adapters::usersLogFormats());
        REQUIRE(previews);
        return previews->logs.front().log.files.front();
    };
    const ReadFile grown = readWhile([&] { std::ofstream(path, std::ios::app) << log; });
    CHECK(grown.bytes == many.size() + log.size());
    CHECK(grown.sha256 == sha256Of(many + log));
    const ReadFile cut = readWhile([&] { fs::resize_file(path, many.size() / 2); });
    CHECK(cut.bytes == many.size() / 2);
    CHECK(cut.linesRead > 0);
    CHECK(cut.linesRead < grown.linesRead);
    const ReadFile emptied = readWhile([&] { fs::resize_file(path, 0); });
    CHECK(emptied.bytes > 0); // what had been read before
    CHECK(emptied.bytes < cut.bytes);
}
