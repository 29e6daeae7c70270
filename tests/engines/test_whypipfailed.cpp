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

TEST_CASE("a folder of wheels that lacks a package is named, with the package and the version of Python")
{
    const std::string output = "ERROR: Could not find a version that satisfies the requirement six==1.16.0\n"
                               "ERROR: No matching distribution found for six==1.16.0\n";
    Installation installation;
    installation.packages = {"six==1.16.0", "toolz"};
    const Error error = whyPipFailed("Installing six==1.16.0", output, false, installation, "/w heels", "3.11.7");
    CHECK(error.message == "Installing six==1.16.0 failed: /w heels lacks six==1.16.0 for Python 3.11.7.");
    CHECK(error.hint.find("“pip download -d '/w heels' 'six==1.16.0' ") != std::string::npos);
    CHECK(whyPipFailed("Installing six==1.16.0", output, false, installation).message.find("lacks") ==
          std::string::npos);
}
