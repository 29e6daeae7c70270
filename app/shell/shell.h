// SPDX-License-Identifier: GPL-3.0-or-later
// A page's interface to the window around it. The window implements it; pages get it by their context.
#pragma once

#include "app/widgets/messagebar.h"

#include "core/base/ids.h"

#include <QString>
#include <optional>

namespace ringside {

class Actions;
class Preferences;
class Session;
class ThemeController;

enum class PageId
{
    welcome,
    experiments,
    editor,
    monitor,
    compare,
    sites,
    settings
};

/// Page to go to, and what to show there; empty fields leave the page as it was.
struct Target
{
    PageId page = PageId::experiments;
    QString experiment = {}; ///< by name; in the editor: empty makes a new one
    std::optional<RunId> run = {};
    QString show = {}; ///< compare: "speedup", …; editor: "launch" asks whether to, "field:repeats" focuses it
    QString toml = {}; ///< editor: text of a new experiment, from a file or template
};

class Shell
{
public:
    virtual ~Shell() = default;
    virtual void go(const Target& target) = 0;
    /// Stores the message in the bell list; `asToast` also shows it for some seconds ("experiment done", "run failed",
    /// "files exported" only).
    virtual void notify(const Message& message, bool asToast) = 0;
    /// Stores the bundled example, launches it and goes to Monitor.
    virtual void runExample() = 0;
    virtual void showHelp() = 0;
};

/// Arguments for making every page. All outlive the pages.
struct PageContext
{
    Shell& shell;
    Session& session;
    Preferences& preferences;
    ThemeController& theme;
    Actions& actions;
};

} // namespace ringside
