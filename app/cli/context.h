// SPDX-License-Identifier: GPL-3.0-or-later
// Common to every command of ringside-cli: options in, exit status out, errors to standard error.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/conductor/conductor.h"
#include "core/store/database.h"

#include <memory>
#include <optional>
#include <string>

namespace ringside::cli {

/// Exit status of ringside-cli (CONTRACTS, "Programs").
enum class Exit : int
{
    done = 0,
    internal = 1,
    usage = 2,
    someFailed = 3,
    damaged = 65,
    unavailable = 69,
    cannotWrite = 73,
    busy = 75,
    detached = 130,
};

/// The data that all commands share.
struct Context
{
    std::string store; ///< empty: ringside.db in the data folder
    bool json = false;
};

/// With which status an error ends the program.
Exit exitOf(ErrorCode code);

/// Prints "ringside-cli: what happened. What to do." to standard error and returns the exit status.
Exit report(const Error& error);

/// A named input cannot be read: the request is wrong (exit status 2), which is not a failure to write.
Error unreadable(Error error);
/// A target is missing or does not accept files: it cannot be written (exit status 73).
Error unwritable(Error error);

/// A command of this program on the same store, to be copied into a shell. `rest` stands for itself: quote what is a
/// value.
std::string commandLine(const Context& context, const std::string& command, const std::string& rest = {});

Result<fs::path> storePath(const Context& context);
/// notFound with a hint if there is no store yet, or only an empty file.
Result<void> requireStore(const Context& context);
/// The store for reading; as requireStore.
Result<store::Database> openStore(const Context& context);
/// Ready for commands; unavailable if a program of this build is missing. As Conductor::open otherwise.
Result<std::unique_ptr<Conductor>> openConductor(const ConductorOptions& options, Sink& sink);
/// Store, data folder and the programs of this build, for a conductor.
Result<ConductorOptions> conductorOptions(const Context& context);

} // namespace ringside::cli

/// In a function that returns Exit: binds the value or reports the error and returns its status.
#define TRY_OR_EXIT(declaration, expression)                                                                           \
    auto RINGSIDE_JOIN(tryExit_, __LINE__) = (expression);                                                             \
    if (!RINGSIDE_JOIN(tryExit_, __LINE__))                                                                            \
        return ::ringside::cli::report(RINGSIDE_JOIN(tryExit_, __LINE__).error());                                     \
    declaration = std::move(*RINGSIDE_JOIN(tryExit_, __LINE__))
