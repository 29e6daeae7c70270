// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/openeddraft.h"

#include "app/text/text.h"

#include <utility>

namespace ringside {

Draft OpenedDraft::begin(const DraftOrigin& origin, const Draft& base)
{
    m_origin = origin.isStored() ? m_drafts.stored(origin.name) : origin;
    m_base = base;
    const std::optional<Draft> kept = m_drafts.find(*m_origin, base);
    m_isKept = kept.has_value();
    return kept.value_or(base);
}

void OpenedDraft::leave(const Draft& shown)
{
    if (!m_origin)
        return;
    if (isEdited(shown))
        m_drafts.keep(*m_origin, m_base, shown);
    else if (m_isKept)
        m_drafts.forget(*m_origin);
    m_isKept = isEdited(shown);
}

void OpenedDraft::setSaved(const Draft& saved)
{
    if (std::exchange(m_isKept, false))
        m_drafts.forget(*m_origin);
    m_origin = m_drafts.stored(toQt(saved.experiment.name));
    m_drafts.forget(*m_origin); // what is saved is newer
    m_base = saved;
}

} // namespace ringside
