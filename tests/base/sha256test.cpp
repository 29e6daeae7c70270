// SPDX-License-Identifier: MIT
#include "core/base/sha256.h"
#include "core/base/sha256block.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <random>
#include <sys/stat.h>

namespace ringside {

TEST_CASE("SHA-256 is that of FIPS 180-4, whatever the pieces")
{
    CHECK(sha256Of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256Of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const std::string million(1'000'000, 'a');
    const std::string expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    CHECK(sha256Of(million) == expected);
    for (const std::size_t size : {1u, 55u, 63u, 64u, 65u, 1000u}) {
        Sha256 hash;
        for (std::size_t at = 0; at < million.size(); at += size)
            hash.add(std::string_view(million).substr(at, size));
        CHECK(hash.hex() == expected);
    }
}

TEST_CASE("the processor's instructions do what plain C++ does")
{
    const Sha256Blocks takeBlocks = sha256Instructions();
    if (!takeBlocks) {
        MESSAGE("skipped: this processor has none");
        return;
    }
    std::mt19937 random(1);
    Sha256State plain{}, other{};
    for (std::size_t i = 0; i < 1'000; ++i) {
        std::array<unsigned char, 3 * 64> blocks;
        std::generate(blocks.begin(), blocks.end(), [&] { return static_cast<unsigned char>(random()); });
        takeSha256Blocks(plain, blocks.data(), i % 4);
        takeBlocks(other, blocks.data(), i % 4);
        REQUIRE(plain == other);
    }
    CHECK(plain != Sha256State{});
}

TEST_CASE("a file's is that of its bytes, and a file that cannot be read has none")
{
    const test::TemporaryFolder folder;
    std::ofstream(folder / "file") << std::string(200'000, 'x');
    CHECK(sha256OfFile(folder / "file") == sha256Of(std::string(200'000, 'x')));
    CHECK(sha256OfFile(folder / "none").error().code == ErrorCode::notFound);
    fs::create_symlink("file", folder / "link");
    CHECK(sha256OfFile(folder / "link") == sha256Of(std::string(200'000, 'x')));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0); // into which nothing is ever written
    CHECK(sha256OfFile(folder / "pipe").error().code == ErrorCode::damaged);
    CHECK(sha256OfFile("/dev/zero").error().code == ErrorCode::damaged);
}

} // namespace ringside
