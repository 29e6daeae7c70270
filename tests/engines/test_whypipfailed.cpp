// SPDX-License-Identifier: MIT
#include "agent/engines/whypipfailed.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::engines;

TEST_CASE("a disk is full, too, where this user may have no more of it")
{
    for (const char* said : {"[Errno 28] No space left on device", "[Errno 122] Disk quota exceeded"})
        CHECK(whyPipFailed("Installing it", said, false, {}).code == ErrorCode::noSpace);
}

TEST_CASE("without a network the command to fetch the packages means them to a shell, too")
{
    Installation installation;
    installation.packages = {"numpy<1.24", "tiny==1"};
    const Error error = whyPipFailed("Installing numpy<1.24", "Name or service not known", false, installation);
    CHECK(error.hint.find("“pip download -d FOLDER 'numpy<1.24' 'tiny==1'”") != std::string::npos);
}
