// SPDX-License-Identifier: MIT
#include "tests/remote/deployment/shellhost.h"

#include "core/base/shellquote.h"
#include "core/remote/ssh/shellline.h"

#include <fstream>
#include <unistd.h>

namespace ringside::test {

namespace {

class MeddledChannel : public Channel
{
public:
    MeddledChannel(std::unique_ptr<Channel> inner, Meddler meddler)
        : m_inner(std::move(inner))
        , m_meddler(std::move(meddler))
    {
    }
    Result<std::string> read(std::size_t limit) override { return m_inner->read(limit); }
    bool atEnd() const override { return m_inner->atEnd(); }
    Result<std::size_t> write(std::string_view bytes) override
    {
        TRY_ASSIGN(const std::string changed, m_meddler(m_sent, bytes.substr(0, 4096)));
        TRY_ASSIGN(const std::size_t taken, m_inner->write(changed));
        m_sent += taken;
        return taken;
    }
    void endInput() override { m_inner->endInput(); }
    std::vector<pollfd> pollSet(bool wantWrite) const override { return m_inner->pollSet(wantWrite); }
    std::string errorText() override { return m_inner->errorText(); }
    int close(std::chrono::milliseconds grace) override { return m_inner->close(grace); }

private:
    std::unique_ptr<Channel> m_inner;
    Meddler m_meddler;
    std::uint64_t m_sent = 0;
};

/// The commands of core/remote/transfer that get the file's bytes end with how they are packed.
bool isPieceOfUpload(const CommandLine& command)
{
    return command.arguments.back() == "zstd" || command.arguments.back() == "plain";
}

} // namespace

std::string programPath(const std::string& name)
{
    for (const char* folder : {"/bin/", "/usr/bin/", "/usr/sbin/", "/sbin/"})
        if (::access((folder + name).c_str(), X_OK) == 0)
            return folder + name;
    return {};
}

ShellHost::ShellHost(std::string shell, fs::path home)
    : environment{{"PATH", "/usr/bin:/bin"}}
    , m_shell(std::move(shell))
    , m_home(std::move(home))
{
}

void ShellHost::greetWith(const std::string& text) const
{
    startWith("echo " + shellQuote(text) + "\necho to-the-error-stream >/dev/stderr\n");
}

void ShellHost::startWith(const std::string& lines) const
{
    std::error_code ignored;
    fs::create_directories(m_home / ".config/fish", ignored);
    for (const char* file : {".bashrc", ".cshrc", ".zshenv", ".config/fish/config.fish", ".profile"})
        std::ofstream(m_home / file) << lines;
}

Result<std::unique_ptr<Channel>> ShellHost::start(const CommandLine& command)
{
    started.push_back(command);
    TRY_ASSIGN(const std::string text, ssh::shellLine(command));
    CommandLine whole;
    if (unprivileged && ::geteuid() == 0)
        whole.arguments = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    for (const char* argument : {"env", "-i", "-C"})
        whole.arguments.emplace_back(argument);
    whole.arguments.push_back(m_home.string());
    auto variables = environment;
    variables.merge(std::map<std::string, std::string>{
        {"HOME", m_home.string()}, {"USER", "tester"}, {"SHELL", m_shell}, {"SSH_CLIENT", "::1 1 22"}});
    for (const auto& [name, value] : variables)
        whole.arguments.push_back(name + "=" + value);
    whole.arguments.insert(whole.arguments.end(), {m_shell, "-c", text});
    TRY_ASSIGN(auto channel, LocalHost().start(whole));
    if (meddler && isPieceOfUpload(command))
        channel = std::make_unique<MeddledChannel>(std::move(channel), meddler);
    return channel;
}

} // namespace ringside::test
