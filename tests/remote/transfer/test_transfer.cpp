// SPDX-License-Identifier: MIT
#include "core/base/sha256.h"
#include "core/remote/localhost.h"
#include "core/remote/transfer/transfer.h"
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/smalldisk.h"

#include <csignal>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <thread>

using namespace ringside;
using namespace ringside::test;

namespace {

std::string randomBytes(std::size_t size, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::string bytes(size, '\0');
    for (char& c : bytes)
        c = static_cast<char>(random());
    return bytes;
}

std::size_t filesIn(const fs::path& folder)
{
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

int modeOf(const fs::path& path)
{
    struct stat status
    {
    };
    ::stat(path.c_str(), &status);
    return status.st_mode & 07777;
}

/// Sends a file of these bytes.
Result<void> upload(Host& host, std::string_view bytes, const std::string& target, const TransferOptions& options = {})
{
    const TemporaryFolder here;
    std::ofstream(here / "file") << bytes;
    return uploadFile(host, here / "file", target, options);
}

/// The commands of a transfer with some tool hidden: a folder of links to all others is the only PATH.
class WithoutTools : public Host
{
public:
    WithoutTools(const fs::path& folder, const std::vector<std::string>& hidden)
        : m_folder(folder)
    {
        fs::create_directories(folder);
        for (const char* tool : {"sh", "rm", "mkdir", "cat", "dd", "chmod", "mv", "sync", "wc", "head", "zstd",
                                 "sha256sum", "shasum", "openssl"})
            if (std::find(hidden.begin(), hidden.end(), tool) == hidden.end() &&
                fs::exists(fs::path("/usr/bin") / tool))
                fs::create_symlink(fs::path("/usr/bin") / tool, folder / tool);
    }
    std::string name() const override { return "bare"; }
    Result<std::unique_ptr<Channel>> start(const CommandLine& command) override
    {
        CommandLine bare{{"env", "PATH=" + m_folder.string()}};
        bare.arguments.insert(bare.arguments.end(), command.arguments.begin(), command.arguments.end());
        return LocalHost().start(bare);
    }

private:
    fs::path m_folder;
};

} // namespace

TEST_CASE("files of every size arrive whole, plain and compressed, here and over SSH")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost far(sshd.address());
    LocalHost near;
    for (Host* host : {static_cast<Host*>(&near), static_cast<Host*>(&far)}) {
        for (const auto& [compress, channels] : {std::pair(false, 1), {false, 4}, {true, 1}, {true, 4}}) {
            for (const std::size_t size : {0u, 1u, 6'500'001u}) {
                CAPTURE(host->name());
                CAPTURE(size);
                CAPTURE(compress);
                CAPTURE(channels);
                TemporaryFolder folder;
                const std::string bytes = randomBytes(size / 2, 1) + std::string(size - size / 2, 'z');
                TransferOptions options;
                options.compress = compress;
                options.channels = channels;
                options.mode = 0700;
                std::uint64_t last = 0;
                options.progress = [&](std::uint64_t done, std::uint64_t total) {
                    CHECK(done >= last);
                    CHECK(total == size);
                    last = done;
                };
                const fs::path target = folder / "new/deep er/it's a $file";
                REQUIRE(textOf(upload(*host, bytes, target.string(), options)) == "");
                CHECK(last == size);
                CHECK(readFile(target) == bytes);
                CHECK(modeOf(target) == 0700);
                CHECK(modeOf(target.parent_path()) == 0700);
                CHECK(filesIn(target.parent_path()) == 1);
            }
        }
    }
}

TEST_CASE("a file goes up over an older one")
{
    TemporaryFolder folder;
    LocalHost host;
    const std::string bytes = randomBytes(5u << 20);
    std::ofstream(folder / "here") << bytes;
    REQUIRE(textOf(upload(host, "older", (folder / "there").string())) == "");
    REQUIRE(textOf(uploadFile(host, folder / "here", (folder / "there").string())) == "");
    CHECK(readFile(folder / "there") == bytes);
    CHECK(filesIn(folder.path()) == 2);
}

TEST_CASE("what is no file is not sent, nor waited for")
{
    TemporaryFolder folder;
    LocalHost host;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    for (const fs::path& path : {folder / "pipe", fs::path("/dev/zero")}) {
        const auto refused = uploadFile(host, path, (folder / "there").string());
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::damaged);
    }
    CHECK_FALSE(fs::exists(folder / "there"));
}

TEST_CASE("no space, read-only, no permission and no such file are told apart, and leave nothing behind")
{
    TemporaryFolder folder;
    fs::create_directories(folder / "small");
    LocalHost host;
    {
        SmallDisk disk(folder / "small", 1024);
        if (!disk.problem().empty()) {
            MESSAGE("skipped: no small disk: ", disk.problem());
        } else {
            for (const std::size_t size : {3u << 20, 12u << 20}) {
                const auto full = upload(host, randomBytes(size), (folder / "small/file").string());
                REQUIRE_FALSE(full);
                CHECK(full.error().code == ErrorCode::noSpace);
                CHECK(full.error().message.find("No space left") != std::string::npos);
                CHECK(filesIn(folder / "small") == 0);
            }
        }
    }
    std::ofstream(folder / "plain") << "x";
    const auto below = upload(host, "x", (folder / "plain/file").string());
    REQUIRE_FALSE(below);
    CHECK(below.error().message.find("plain") != std::string::npos);
    CHECK_FALSE(uploadFile(host, folder / "none", (folder / "up").string()));
    CHECK(filesIn(folder.path()) == 2);
}

TEST_CASE("a site without zstd, or with another tool for checksums, serves; one without any does not")
{
    TemporaryFolder folder;
    const std::string bytes = randomBytes(5'000'000);
    const fs::path target = folder / "target";
    for (const std::vector<std::string>& hidden :
         {std::vector<std::string>{"zstd"}, {"sha256sum"}, {"sha256sum", "shasum", "zstd"}}) {
        WithoutTools host(folder / ("path" + std::to_string(hidden.size()) + hidden[0]), hidden);
        REQUIRE(textOf(upload(host, bytes, target.string())) == "");
        CHECK(readFile(target) == bytes);
    }
    fs::remove(target);
    WithoutTools bare(folder / "bare", {"sha256sum", "shasum", "openssl", "zstd"});
    const auto unverified = upload(bare, bytes, target.string());
    REQUIRE_FALSE(unverified);
    CHECK(unverified.error().hint.find("sha256sum") != std::string::npos);
    CHECK_FALSE(fs::exists(target));
}

TEST_CASE("bytes that arrive otherwise than they were sent are no file: zstd notices, or their number does not agree")
{
    TemporaryFolder folder;
    const fs::path target = folder / "up" / "target";
    const std::string shrinking(3'000'000, 'a');
    const std::pair<const char*, const char*> damages[] = {
        {"changed on the way", "dd bs=1 count=60 2>/dev/null; printf X; head -c 1 >/dev/null; cat"},
        {"cut on the way", "dd bs=1 count=60 2>/dev/null"},
        {"changed at its end", "cat; printf X"},
    };
    for (const std::string& bytes : {randomBytes(3'000'000), shrinking})
        for (const auto& [name, damage] : damages) {
            CAPTURE(std::string(name));
            CAPTURE(bytes.size());
            const fs::path path = folder / (std::string(name) + std::to_string(bytes == shrinking));
            WithoutTools host(path, {"zstd"});
            std::ofstream(path / "zstd") << "#!/bin/sh\n{ " << damage << "; } | /usr/bin/zstd \"$@\"\n";
            fs::permissions(path / "zstd", fs::perms::owner_all);
            CHECK_FALSE(upload(host, bytes, target.string()));
            CHECK(filesIn(target.parent_path()) == 0);
        }
    WithoutTools host(folder / "losing", {"zstd"}); // and ends as if all were well
    std::ofstream(folder / "losing" / "zstd")
        << "#!/bin/sh\n/usr/bin/zstd \"$@\" | { head -c 1000; cat >/dev/null; }\n";
    fs::permissions(folder / "losing" / "zstd", fs::perms::owner_all);
    const auto lost = upload(host, shrinking, target.string());
    REQUIRE_FALSE(lost);
    CHECK(lost.error().code == ErrorCode::damaged);
    CHECK(filesIn(target.parent_path()) == 0);
}

TEST_CASE("what a login shell prints does not get into a file")
{
    class Chatty : public Host
    {
    public:
        explicit Chatty(const std::string& noise)
            : m_script(noise + "; exec \"$@\"")
        {
        }
        std::string name() const override { return "chatty"; }
        Result<std::unique_ptr<Channel>> start(const CommandLine& command) override
        {
            CommandLine chatty{{"sh", "-c", m_script, "sh"}};
            chatty.arguments.insert(chatty.arguments.end(), command.arguments.begin(), command.arguments.end());
            return LocalHost().start(chatty);
        }

    private:
        std::string m_script;
    };
    Chatty host("echo Welcome; echo ready zstd");
    TemporaryFolder folder;
    REQUIRE(textOf(upload(host, "content", (folder / "file").string())) == "");
    CHECK(readFile(folder / "file") == std::string("content"));
    Chatty endless("yes");
    CHECK(upload(endless, "content", (folder / "none").string()).error().message.find("did not answer") !=
          std::string::npos);
    CHECK(filesIn(folder.path()) == 1);
}

TEST_CASE("a transfer that is stopped or loses its connection removes what it had written")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    const std::string bytes = randomBytes(20'000'000);
    const fs::path target = sshd.file("home/target");
    const auto nothingIsLeft = [&] {
        for (int i = 0; i < 100 && filesIn(sshd.file("home")) > 0; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return filesIn(sshd.file("home")) == 0;
    };
    std::stop_source stop;
    TransferOptions options;
    options.stop = stop.get_token();
    options.progress = [&](std::uint64_t done, std::uint64_t) {
        if (done > 5'000'000)
            stop.request_stop();
    };
    CHECK(upload(host, bytes, target.string(), options).error().code == ErrorCode::cancelled);
    CHECK(nothingIsLeft());
    options = {};
    options.progress = [&](std::uint64_t done, std::uint64_t) {
        if (done > 5'000'000)
            sshd.signalSessions(SIGKILL);
    };
    const auto cut = upload(host, bytes, target.string(), options);
    REQUIRE_FALSE(cut);
    CHECK(cut.error().code == ErrorCode::unavailable);
    CHECK(nothingIsLeft());
    REQUIRE(textOf(upload(host, bytes, target.string())) == ""); // connects again
    CHECK(sha256OfFile(target) == sha256Of(bytes));
    CHECK(filesIn(sshd.file("home")) == 1);
}
