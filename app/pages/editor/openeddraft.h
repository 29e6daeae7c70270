// SPDX-License-Identifier: GPL-3.0-or-later
// The origin of the draft in the form, and whether it was left there unsaved before. GUI thread.
#pragma once

#include "app/drafts/drafts.h"

namespace ringside {

class OpenedDraft
{
public:
    explicit OpenedDraft(Preferences& preferences)
        : m_drafts(preferences)
    {
    }

    /// False until something was opened.
    bool isAny() const { return m_origin.has_value(); }
    /// As the database knows it; empty: it does not.
    QString storedName() const { return m_origin && m_origin->isStored() ? m_origin->name : QString(); }
    bool isEdited(const Draft& shown) const { return !(shown == m_base); }

    /// Returns what is to be shown: what was opened, or the draft that was made of it before.
    Draft begin(const DraftOrigin& origin, const Draft& base);
    /// Leaving with changes asks nothing: the draft is there again when its experiment is opened.
    void leave(const Draft& shown);
    /// The store has `saved` now; what is in the form may be more.
    void setSaved(const Draft& saved);

private:
    Drafts m_drafts;
    std::optional<DraftOrigin> m_origin; ///< nullopt: nothing was opened yet
    Draft m_base;                        ///< as the store, the file or the template has it
    Draft m_left;                        ///< what was shown, or left, last
    DraftEntry m_entry;                  ///< what m_drafts has of this form
};

} // namespace ringside
