// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/context.h"

#include "app/cli/terminal.h"
#include "core/base/environment.h"
#include "core/base/findprogram.h"
#include "core/base/say.h"
#include "core/base/shellquote.h"

namespace ringside::cli {

Exit exitOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::usage:
    case ErrorCode::notFound:
    case ErrorCode::exists:
        return Exit::usage;
    case ErrorCode::damaged:
    case ErrorCode::newerVersion:
        return Exit::damaged;
    case ErrorCode::io:
    case ErrorCode::noSpace:
    case ErrorCode::permission:
        return Exit::cannotWrite;
    case ErrorCode::busy:
        return Exit::busy;
    case ErrorCode::timeout:
    case ErrorCode::unavailable:
    case ErrorCode::needsUser:
        return Exit::unavailable;
    case ErrorCode::cancelled:
        return Exit::someFailed;
    case ErrorCode::internal:
        break;
    }
    return Exit::internal;
}

Exit report(const Error& error)
{
    sayError("ringside-cli: {}", error.text());
    return exitOf(error.code);
}

Error unreadable(Error error)
{
    if (error.code == ErrorCode::io || error.code == ErrorCode::permission)
        error.code = ErrorCode::usage;
    return error;
}

Error unwritable(Error error)
{
    if (error.code == ErrorCode::notFound || error.code == ErrorCode::exists)
        error.code = ErrorCode::io;
    return error;
}

std::string commandLine(const Context& context, const std::string& command, const std::string& rest)
{
    const std::string store = context.store.empty() ? "" : " --store " + shellQuote(context.store);
    return "ringside-cli " + command + store + (rest.empty() ? "" : " " + rest);
}

Result<fs::path> storePath(const Context& context)
{
    if (!context.store.empty())
        return fs::path(context.store);
    TRY_ASSIGN(const fs::path folder, dataFolder());
    return folder / "ringside.db";
}

Result<void> requireStore(const Context& context)
{
    TRY_ASSIGN(const fs::path path, storePath(context));
    const std::string hint = fmt::format("“{}” makes one; --store names another.", commandLine(context, "run", "FILE"));
    std::error_code ignored; // a path that may not be looked at is reported when it is opened
    if (fs::status(path, ignored).type() == fs::file_type::not_found)
        return fail(ErrorCode::notFound, fmt::format("There is no database {} yet.", path.string()), hint);
    if (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) == 0)
        return fail(ErrorCode::notFound, fmt::format("{} is empty, no database yet.", path.string()), hint);
    return {};
}

Result<store::Database> openStore(const Context& context)
{
    TRY(requireStore(context));
    TRY_ASSIGN(const fs::path path, storePath(context));
    return store::Database::openForReading(path).map_error(unreadable);
}

Result<std::unique_ptr<Conductor>> openConductor(const ConductorOptions& options, Sink& sink)
{
    if (!isExecutable(options.agent))
        return fail(ErrorCode::unavailable,
                    fmt::format("{} is not there, or may not be executed.", options.agent.string()),
                    "Install or build ringside-agent beside this program.");
    return Conductor::open(options, sink).map_error(unwritable);
}

Result<ConductorOptions> conductorOptions(const Context& context)
{
    ConductorOptions options;
    TRY_ASSIGN(options.store, storePath(context));
    TRY_ASSIGN(const fs::path folder, programFolder());
    options.agent = folder / "ringside-agent";
    static Terminal terminal;
    options.interaction = &terminal;
    const char* worker = environment("RINGSIDE_WORKER");
    std::error_code none; // in a working folder that is gone there is no worker
    options.worker = worker ? fs::absolute(worker, none) : folder / "ringside-worker";
    return options;
}

} // namespace ringside::cli
