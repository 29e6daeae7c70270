// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/openeddraft.h"

#include "app/text/text.h"

#include <utility>

namespace ringside {

Draft OpenedDraft::begin(const DraftOrigin& origin, const Draft& base)
{
    m_origin = origin.isStored() ? m_drafts.stored(origin.name) : origin;
    m_base = base;
    const std::optional<KeptDraft> kept = m_drafts.find(*m_origin, base);
    m_entry = kept ? kept->entry : DraftEntry();
    return kept ? kept->draft : base;
}

void OpenedDraft::leave(const Draft& shown)
{
    if (!m_origin)
        return;
    if (isEdited(shown))
        m_drafts.keep(m_entry, *m_origin, m_base, shown);
    else
        m_drafts.forget(m_entry);
}

void OpenedDraft::setSaved(const Draft& saved)
{
    m_drafts.forget(std::exchange(m_entry, {}));
    m_origin = m_drafts.stored(toQt(saved.experiment.name));
    m_base = saved;
}

} // namespace ringside
