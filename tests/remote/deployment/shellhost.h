// SPDX-License-Identifier: MIT
// This computer as sshd would offer it: every command goes as one text through an account's login shell, in the
// account's home folder, behind whatever its start-up files print.
#pragma once

#include "core/remote/localhost.h"
#include "tests/support/temporaryfolder.h"

#include <functional>
#include <map>

namespace ringside::test {

/// Does to the bytes of an upload what a bad line does. Called with what was sent so far and the next bytes.
using Meddler = std::function<Result<std::string>(std::uint64_t sent, std::string_view bytes)>;

class ShellHost : public Host
{
public:
    explicit ShellHost(std::string shell, fs::path home);

    std::string name() const override { return "testhost"; }
    Result<std::unique_ptr<Channel>> start(const CommandLine& command) override;

    /// Start-up files of all shells print this, to standard output and error.
    void greetWith(const std::string& text) const;
    /// Start-up files of all shells are these lines.
    void startWith(const std::string& lines) const;
    std::map<std::string, std::string> environment; ///< of the account
    bool unprivileged = false;                      ///< run as an unprivileged user, if we are root
    Meddler meddler;                                ///< of uploads
    std::vector<CommandLine> started;               ///< for counting

private:
    std::string m_shell;
    fs::path m_home;
};

/// The first program of that name in the usual folders; empty if there is none.
std::string programPath(const std::string& name);

} // namespace ringside::test
