// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline.h"

#include "app/text/text.h"

#include <CLI/CLI.hpp>

namespace ringside {

StartRequest readCommandLine(int argc, char** argv)
{
    constexpr int kUsage = 2;
    CLI::App app("Set up, launch, watch and compare distributed training experiments.", "ringside");
    app.set_version_flag("--version", "Ringside " RINGSIDE_VERSION);
    std::string store, run, file;
    bool example = false;
    app.add_option("--store", store, "database file (default: as chosen in Settings)")->type_name("DB");
    auto* exampleFlag = app.add_flag("--example", example, "load the bundled example and run it");
    auto* runOption = app.add_option("--run", run, "store this experiment, launch it and watch")->type_name("FILE");
    auto* fileOption = app.add_option("FILE", file, "open this experiment in the editor");
    exampleFlag->excludes(runOption)->excludes(fileOption);
    runOption->excludes(fileOption);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return {{}, app.exit(error) == 0 ? 0 : kUsage};
    }
    const bool runs = !run.empty();
    return {{.store = toQt(store), .file = toQt(runs ? run : file), .runFile = runs, .runExample = example}, {}};
}

} // namespace ringside
