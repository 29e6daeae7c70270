// SPDX-License-Identifier: MIT
#include "core/protocol/checksum.h"

#include <doctest/doctest.h>
#include <string>

namespace ringside {

TEST_CASE("crc32c of the published examples (RFC 3720, appendix B.4)")
{
    CHECK(crc32c("") == 0);
    CHECK(crc32c("123456789") == 0xe3069283);
    CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aa);
    CHECK(crc32c(std::string(32, '\xff')) == 0x62a8ab43);
}

TEST_CASE("crc32c of parts is that of the whole, wherever it is cut")
{
    const std::string whole = "a block is length, checksum, records";
    for (std::size_t cut = 0; cut <= whole.size(); ++cut)
        CHECK(crc32c(std::string_view(whole).substr(cut), crc32c(std::string_view(whole).substr(0, cut))) ==
              crc32c(whole));
}

} // namespace ringside
