// SPDX-License-Identifier: MIT
#include "tests/support/built.h"

namespace ringside::test {

namespace {

const char* const kBuild = RINGSIDE_BUILD;

} // namespace

fs::path builtPrograms()
{
    return fs::path(kBuild) / "bin";
}

std::string builtProgram(const std::string& name)
{
    return builtPrograms() / name;
}

std::string testProgram(const std::string& name)
{
    return fs::path(kBuild) / "tests" / name;
}

fs::path screenshotFolder()
{
    return fs::path(kBuild) / "screenshots";
}

fs::path sourceFolder()
{
    return RINGSIDE_SOURCE;
}

} // namespace ringside::test
