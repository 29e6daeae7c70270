// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/draft.h"

#include "core/base/words.h"
#include "core/spec/plans.h"
#include "core/spec/schema.h"

namespace ringside {

Draft draftOf(const spec::Experiment& experiment)
{
    Draft draft{experiment, {}};
    for (const spec::Factor& factor : experiment.factors)
        draft.factors.push_back({factor.key, spec::levelsToText(factor.levels)});
    draft.experiment.factors.clear();
    return draft;
}

ReadDraft readDraft(const Draft& draft)
{
    ReadDraft read{draft.experiment, {}, {}};
    for (const DraftFactor& factor : draft.factors) {
        const spec::Setting* setting = spec::findSetting(factor.key);
        if (!setting)
            continue;
        const spec::LevelList list = spec::parseLevels(*setting, factor.text, spec::planNames(draft.experiment));
        for (const spec::LevelError& error : list.errors) {
            spec::Check check;
            check.field = "factors." + factor.key;
            check.value = error.text;
            check.message = Words::tr("{}: {}", spec::shownLabelOf(factor.key), error.message);
            read.checks.push_back(check);
            read.notCounted.push_back(error.text);
        }
        if (!list.levels.empty())
            read.experiment.factors.push_back({factor.key, list.levels});
    }
    return read;
}

} // namespace ringside
