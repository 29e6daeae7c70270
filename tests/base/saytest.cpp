// SPDX-License-Identifier: MIT
// A line for a log is written at once, and one that cannot be written does no harm.
#include "core/base/say.h"
#include "core/base/files.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

using namespace ringside;

namespace {

/// Standard error goes to this file while it lives.
class ErrorsTo
{
public:
    explicit ErrorsTo(const fs::path& file)
        : m_before(::dup(STDERR_FILENO))
    {
        const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(fd, STDERR_FILENO);
        ::close(fd);
    }
    ~ErrorsTo()
    {
        ::dup2(m_before, STDERR_FILENO);
        ::close(m_before);
    }
    ErrorsTo(const ErrorsTo&) = delete;
    ErrorsTo& operator=(const ErrorsTo&) = delete;

private:
    int m_before;
};

} // namespace

TEST_CASE("a line is in the log when the call returns")
{
    const test::TemporaryFolder folder;
    bool isWhole = false;
    {
        const ErrorsTo log(folder / "log");
        isWhole = sayError("{} of {}", 3, 4) && sayErrorLine("the end");
    }
    CHECK(isWhole);
    CHECK(readFile(folder / "log").value() == "3 of 4\nthe end\n");
}

TEST_CASE("a line that finds no room is lost, and the program goes on")
{
    bool isWhole = true;
    {
        const ErrorsTo full("/dev/full");
        CHECK_NOTHROW(isWhole = sayError("{} of {}", 3, 4));
    }
    CHECK_FALSE(isWhole);
}
