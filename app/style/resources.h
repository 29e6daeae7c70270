// SPDX-License-Identifier: GPL-3.0-or-later
// The files built into the program: icons, style, templates, help.
// Translations are loaded by app/session.
#pragma once

/// Makes ":/…" available. Call once before anything is shown; needed because the files live in a static library.
void initRingsideResources();
