// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/allowtorch.h"

#include "core/sites/sitebook.h"
#include "core/spec/experiment.h"

namespace ringside::cli {

Result<void> allowTorch(const std::string& site)
{
    if (site == spec::kLocalSite)
        return fail(ErrorCode::usage, "--install-torch is for sites elsewhere.",
                    "This computer's worker was built with Ringside.");
    TRY_ASSIGN(const SiteBook book, SiteBook::ofUser());
    TRY_ASSIGN(Site described, book.find(site));
    if (described.installTorch)
        return {};
    described.installTorch = true;
    return book.save(described);
}

} // namespace ringside::cli
