// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/experiments/draftsbutton.h"

#include "app/text/text.h"
#include "app/widgets/styled.h"

#include "core/spec/toml.h"

#include <QMenu>
#include <algorithm>

namespace ringside {

namespace {

Target targetOf(const KeptDraft& kept)
{
    Target target{.page = PageId::editor};
    if (kept.origin.isStored())
        target.experiment = kept.origin.name;
    else if (kept.origin.kind == DraftOrigin::Kind::text)
        target.toml = toQt(kept.base.toml.value_or(spec::writeExperiment(readDraft(kept.base).experiment)));
    return target;
}

QString textOf(const KeptDraft& kept)
{
    const std::string& typed = kept.draft.experiment.name;
    const QString name = typed.empty() ? DraftsButton::tr("New experiment") : toQt(typed);
    return kept.origin.isStored() ? DraftsButton::tr("%1: changed and not saved").arg(name)
                                  : DraftsButton::tr("%1: never saved").arg(name);
}

} // namespace

DraftsButton::DraftsButton(Preferences& preferences)
    : m_drafts(preferences)
    , m_menu(new QMenu(this))
{
    link(this);
    setMenu(m_menu);
    setToolTip(tr("Experiments with unsaved changes"));
    hide();
}

void DraftsButton::refresh(const std::vector<store::ExperimentRow>& stored)
{
    m_menu->clear();
    for (const KeptDraft& kept : m_drafts.all()) {
        const auto isIt = [&](const store::ExperimentRow& row) { return toQt(row.name) == kept.origin.name; };
        const bool isThere = !kept.origin.isStored() || std::ranges::any_of(stored, isIt);
        if (isThere && m_drafts.isOfOpenDatabase(kept.origin))
            connect(m_menu->addAction(textOf(kept).replace(QLatin1Char('&'), QStringLiteral("&&"))),
                    &QAction::triggered, this, [this, target = targetOf(kept)] { Q_EMIT chosen(target); });
    }
    const int drafts = int(m_menu->actions().size());
    setText(tr("%n not saved", "drafts", drafts));
    setVisible(drafts > 0);
}

} // namespace ringside
