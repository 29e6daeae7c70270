// SPDX-License-Identifier: MIT
#include "tests/support/privileges.h"

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::test {

namespace {

constexpr unsigned kNobody = 65534;

bool becomeNobody()
{
    return ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
}

} // namespace

bool withoutPrivileges(const std::function<bool()>& check)
{
    if (::geteuid() != 0)
        return check();
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(becomeNobody() && check() ? 0 : 1);
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace ringside::test
