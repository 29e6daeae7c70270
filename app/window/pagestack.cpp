// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/pagestack.h"

#include <QApplication>
#include <algorithm>

namespace ringside {

PageStack::PageStack(const PageContext& context, std::vector<PageEntry> entries)
    : m_context(context)
    , m_entries(std::move(entries))
{
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget* old, const QWidget* now) {
        if (!now && old && isAncestorOf(old)) // hidden or disabled under the focus, not left by the user
            QMetaObject::invokeMethod(this, &PageStack::restoreFocus, Qt::QueuedConnection);
    });
}

void PageStack::restoreFocus()
{
    if (m_current && isActiveWindow() && !QApplication::focusWidget())
        keepFocus(*m_current, true);
}

const PageEntry* PageStack::find(PageId id) const
{
    const auto found =
        std::find_if(m_entries.begin(), m_entries.end(), [id](const auto& entry) { return entry.id == id; });
    return found == m_entries.end() ? nullptr : &*found;
}

Page* PageStack::built(const PageEntry& entry)
{
    auto& page = m_pages[entry.id];
    if (!page) {
        page = entry.make(m_context);
        addWidget(page);
        connect(page, &Page::titleChanged, this, &PageStack::pageChanged);
        connect(page, &Page::bindingsChanged, this, [this, page] {
            if (page == m_current)
                m_context.actions.bindPage(page->bindings());
        });
    }
    return page;
}

void PageStack::go(const Target& target)
{
    const auto* entry = find(target.page);
    if (!entry)
        return;
    const bool isFirstVisit = m_pages.count(entry->id) == 0;
    Page* page = built(*entry);
    const bool hadFocus = !m_current || m_current->isAncestorOf(window()->focusWidget());
    if (m_current && m_current != page)
        m_current->deactivate();
    m_current = page;
    m_currentEntry = entry;
    page->setStanding(m_standing);
    setCurrentWidget(page);
    if (hadFocus && isFirstVisit)
        page->focusContent(); // Qt would focus the header's first button
    m_context.actions.bindPage(page->bindings());
    page->activate(target);
    keepFocus(*page, hadFocus);
    Q_EMIT pageChanged();
}

/// The focus is never lost: it may have been on the page that went (`wasOnPage`), and Qt then focuses whatever is next.
void PageStack::keepFocus(Page& page, bool wasOnPage)
{
    const auto* focus = isActiveWindow() ? QApplication::focusWidget() : window()->focusWidget();
    const bool isLost = !focus || !focus->isVisible() || !focus->isEnabled();
    if (isLost || (wasOnPage && !page.isAncestorOf(focus)))
        page.focusContent();
}

void PageStack::setStanding(const Message& message)
{
    m_standing = message;
    if (m_current)
        m_current->setStanding(message);
}

void PageStack::dropOutcomes(const std::function<bool(const QString&)>& hasEnded)
{
    for (const auto& [id, page] : m_pages)
        page->dropOutcomes(hasEnded);
}

} // namespace ringside
