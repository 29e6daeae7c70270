// SPDX-License-Identifier: MIT
#include "agent/relay/longrequest.h"

#include "agent/builder/builder.h"
#include "agent/builder/installtorch.h"
#include "agent/cleaner/inventory.h"
#include "agent/cleaner/removal.h"
#include "agent/engines/install.h"
#include "core/protocol/layout.h"
#include "core/wire/frames.h"

#include <cerrno>
#include <csignal>
#include <unistd.h>

namespace ringside::relay {

namespace {

constexpr int kBuildNiceness = 10;

class Process
{
public:
    explicit Process(const RelayOptions& options)
        : m_options(options)
    {
    }

    Result<void> operator()(const wire::InventoryRequest& request)
    {
        answer(wire::InventoryReply{request.requestId, cleaner::inventory(m_options.root)});
        return {};
    }

    Result<void> operator()(const wire::DeleteRequest& request)
    {
        answer(cleaner::remove(m_options.root, m_options.agent, request));
        return {};
    }

    Result<void> operator()(const wire::BuildRequest& request)
    {
        (void)!::nice(kBuildNiceness);
        const auto built = build(request);
        if (built)
            answer(wire::BuildReply{request.requestId, built->program.string(), built->key, built->features});
        else
            answer(wire::ErrorReply{request.requestId, built.error()});
        return {};
    }

    Result<void> operator()(const wire::EngineRequest& request)
    {
        const auto done = carryOut(request);
        if (done)
            answer(wire::EngineReply{request.requestId, *done});
        else
            answer(wire::ErrorReply{request.requestId, done.error()});
        return {};
    }

    template <class Other> Result<void> operator()(const Other&)
    {
        return fail(ErrorCode::usage, "This is not a long request.");
    }

private:
    Result<builder::BuiltWorker> build(const wire::BuildRequest& request)
    {
        builder::BuildOptions options;
        options.root = m_options.root;
        options.source = layout::sourceFile(m_options.root, request.source);
        options.sourceHash = request.source;
        options.torch = request.torch;
        options.modules = request.modules;
        options.installTorch = request.installTorch;
        options.jobs = request.jobs;
        options.limit = std::chrono::seconds(request.limitSeconds);
        return builder::build(options, reportTo(request.requestId));
    }

    /// Returns the installed engines as JSON.
    Result<std::string> carryOut(const wire::EngineRequest& request)
    {
        if (request.action == wire::EngineAction::cancel)
            return engines::cancelInstallation(m_options.root, request.name).map([] { return std::string(); });
        engines::InstallOptions options{m_options.root, request.name,   {},
                                        request.python, request.wheels, request.modules, request.whyKept};
        TRY_ASSIGN(options.installation, installationFromJson(request.installation));
        const auto deadline = builder::Deadline::in(std::chrono::seconds(request.limitSeconds));
        auto engine = request.action == wire::EngineAction::verify
                          ? engines::verify(options, deadline)
                          : engines::install(options, deadline, reportTo(request.requestId));
        return std::move(engine).map([&](InstalledEngine&& installed) {
            return installedEnginesToJson({{request.name, std::move(installed)}});
        });
    }

    builder::Report reportTo(std::uint32_t requestId)
    {
        return [this, requestId](const builder::Progress& progress) {
            answer(wire::BuildProgress{requestId, progress.phase, progress.percent, progress.text, progress.log});
        };
    }

    /// The reader may be gone; the request is carried out all the same.
    void answer(const wire::Message& message)
    {
        const auto bytes = m_writer.write(message);
        std::string_view rest = bytes ? std::string_view(*bytes) : std::string_view();
        while (!rest.empty()) {
            const ssize_t n = ::write(STDOUT_FILENO, rest.data(), rest.size());
            if (n < 0 && errno != EINTR)
                return;
            rest.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
        }
    }

    RelayOptions m_options;
    wire::FrameWriter m_writer;
};

} // namespace

Result<void> carryOutLongRequest(const RelayOptions& options)
{
    ::signal(SIGPIPE, SIG_IGN);
    wire::FrameReader reader;
    std::optional<wire::Message> request;
    char buffer[1 << 16];
    for (ssize_t n; !request && (n = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;)
        TRY(reader.feed({buffer, static_cast<std::size_t>(n)},
                        [&](wire::Message&& message) { request = std::move(message); }));
    if (!request)
        return fail(ErrorCode::usage, "There is no request on standard input.", "The relay starts this by itself.");
    return std::visit(Process(options), *request);
}

} // namespace ringside::relay
