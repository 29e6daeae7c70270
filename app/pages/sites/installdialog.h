// SPDX-License-Identifier: GPL-3.0-or-later
// Describes a system and its needs before it is installed on a site.
#pragma once

#include "core/adapters/adapter.h"

#include <QString>
#include <functional>
#include <string>
#include <vector>

class QWidget;

namespace ringside {

class ThemeController;

struct InstallQuestion
{
    const adapters::Adapter& adapter; ///< says how it is installed
    QString site;                     ///< in a sentence
};

/// The source of the installation, all of it on the site; empty: the package index, and an interpreter that is found.
struct InstallSource
{
    std::string python, wheels;
    std::vector<std::string> modules; ///< loaded first; without `python`, theirs is used
};

/// Returns at once; window-modal; deletes itself.
void askInstallation(QWidget* parent, const ThemeController& theme, const InstallQuestion& question,
                     std::function<void(const InstallSource&)> install);

} // namespace ringside
