// SPDX-License-Identifier: GPL-3.0-or-later
// Describes a system and its needs before it is installed on a site.
#pragma once

#include "core/adapters/adapter.h"

#include <QString>
#include <functional>

class QWidget;

namespace ringside {

class ThemeController;

struct InstallQuestion
{
    const adapters::Adapter& adapter; ///< says how it is installed
    QString site;                     ///< in a sentence
};

/// The source of the installation, both on the site; empty: the package index, and an interpreter that is found.
struct InstallSource
{
    std::string python, wheels;
};

/// Returns at once; window-modal; deletes itself.
void askInstallation(QWidget* parent, const ThemeController& theme, const InstallQuestion& question,
                     std::function<void(const InstallSource&)> install);

} // namespace ringside
