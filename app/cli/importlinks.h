// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of links as `import` shows them before they are stored.
#pragma once

#include "app/cli/output.h"
#include "core/imports/preview.h"

namespace ringside::cli {

Json linkJson(const imports::LogPreview& log, const imports::LinkPreview& link);
/// A row for each table; nothing where no log has any.
void printLinks(const imports::Previews& previews);

} // namespace ringside::cli
