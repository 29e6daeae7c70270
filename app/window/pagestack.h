// SPDX-License-Identifier: GPL-3.0-or-later
// The pages behind the rail: built on first visit, one shown at a time.
#pragma once

#include "app/shell/page.h"

#include <QStackedWidget>
#include <map>
#include <vector>

namespace ringside {

/// The entry by which a page joins the window: see app/pages/pages.cpp.
struct PageEntry
{
    PageId id;
    QString icon;
    QString railText; ///< empty: no button of its own
    bool atFoot = false;
    PageId railId; ///< the button that is lit while the page is shown
    std::function<Page*(const PageContext&)> make;
};

class PageStack : public QStackedWidget
{
    Q_OBJECT
public:
    PageStack(const PageContext& context, std::vector<PageEntry> entries);

    /// Shows the page of the target and passes it the target; a target without such a page is ignored.
    void go(const Target& target);
    Page* currentPage() const { return m_current; }
    const PageEntry* currentEntry() const { return m_currentEntry; }
    bool has(PageId id) const { return find(id) != nullptr; }
    const std::vector<PageEntry>& entries() const { return m_entries; }
    /// Shown on the current page and on every later one.
    void setStanding(const Message& message);

    /// On all pages: see Page::dropOutcomes().
    void dropOutcomes(const std::function<bool(const QString&)>& hasEnded);

Q_SIGNALS:
    void pageChanged();

private:
    const PageEntry* find(PageId id) const;
    Page* built(const PageEntry& entry);
    void keepFocus(Page& page, bool wasOnPage);
    void restoreFocus();

    const PageContext& m_context;
    std::vector<PageEntry> m_entries;
    std::map<PageId, Page*> m_pages;
    Page* m_current = nullptr;
    const PageEntry* m_currentEntry = nullptr;
    Message m_standing;
};

} // namespace ringside
