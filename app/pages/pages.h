// SPDX-License-Identifier: GPL-3.0-or-later
// The list of all pages.
#pragma once

#include "app/window/pagestack.h"

namespace ringside {

std::vector<PageEntry> allPages();

} // namespace ringside
