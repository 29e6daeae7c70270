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
    return m_left = kept ? kept->draft : base;
}

void OpenedDraft::leave(const Draft& shown)
{
    if (!m_origin || shown == m_left)
        return; // its draft may have been removed since, with its experiment
    m_left = shown;
    if (isEdited(shown))
        m_drafts.keep(m_entry, *m_origin, m_base, shown);
    else
        m_drafts.forget(m_entry);
}

void OpenedDraft::setSaved(const Draft& saved)
{
    m_drafts.forget(std::exchange(m_entry, {}));
    m_origin = m_drafts.stored(toQt(saved.experiment.name));
    m_base = m_left = saved;
}

} // namespace ringside
