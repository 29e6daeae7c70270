// SPDX-License-Identifier: GPL-3.0-or-later
// Base of all pages. A page is built on its first visit, holds no SQL and no I/O, and shows the states that every page
// has: loading, empty, error, stale. It binds the window's actions to what they do here. GUI thread.
#pragma once

#include "app/shell/actions.h"
#include "app/shell/shell.h"

#include <QWidget>

class QProgressBar;
class QSplitter;
class QTimer;
class QVBoxLayout;

namespace ringside {

class PageHeader;

/// The first widget of a part that accepts the focus now, in the order of Tab; nullptr if none does.
QWidget* firstFocusable(QWidget* part);

class Page : public QWidget
{
    Q_OBJECT
public:
    explicit Page(const PageContext& context);

    /// The page comes to the front; a target that names something says what to show.
    virtual void activate(const Target& target) { Q_UNUSED(target) }
    /// Another page comes to the front: stop drawing.
    virtual void deactivate() {}
    /// Esc with nothing else to close: clear a filter, a selection. False if there was nothing.
    virtual bool escape() { return false; }

    /// The name in the window's title: the experiment, else the page's title.
    QString windowName() const { return m_windowName.isEmpty() ? m_title : m_windowName; }
    bool hasUnsavedChanges() const { return m_modified; }
    const ActionBindings& bindings() const { return m_bindings; }
    /// The window's message on every page, such as that the database can only be read. Empty text: none.
    void setStanding(const Message& message);
    /// One message at a time; it stays until replaced, cleared or closed. One with a topic comes back after what
    /// replaced it.
    void showMessage(const Message& message) { m_messages->setMessage(message); }
    /// An experiment has not ended, or not as reported: drops messages that say so. `hasEnded` by name.
    void dropOutcomes(const std::function<bool(const QString&)>& hasEnded);
    /// The parts that F6 goes through, in its order: those that are visible and have a widget that accepts the focus.
    /// The side panel lies in the content and comes after it.
    QList<QWidget*> focusParts() const;
    /// Puts the focus into the content, or where it is empty into what is above it.
    void focusContent();

Q_SIGNALS:
    /// windowName() or hasUnsavedChanges() changed.
    void titleChanged();
    void bindingsChanged();

protected:
    const PageContext& context() const { return m_context; }
    PageHeader& header() { return *m_header; }
    /// Everything below the message bar goes in here.
    QVBoxLayout* content() { return m_content; }
    /// A part of the content, in the right column of most pages, that F6 goes to as well.
    void setSidePanel(QWidget* panel) { m_sidePanel = panel; }

    void setTitle(const QString& title, const QString& contextLine = {});
    void setWindowName(const QString& name);
    void setUnsavedChanges(bool modified);

    void bind(ActionId id, std::function<void()> run);
    /// `whyNot`: what its button and menu say while it is disabled; empty: nothing.
    void setActionEnabled(ActionId id, bool enabled, const QString& whyNot = {});
    void setActionText(ActionId id, const QString& text);
    QAction* action(ActionId id) const { return m_context.actions[id]; }

    void showError(const Error& error);
    /// The page could not be loaded. That no database is open is shown on every page already.
    void showFailure(const Error& error);
    void clearMessage() { m_messages->clear(); }
    /// Drops the message on this topic; other messages stay.
    void dropMessage(const QString& topic) { m_messages->drop(topic); }
    /// After 200 ms without setLoading(false) a thin bar appears below the header; what was shown stays.
    void setLoading(bool loading);
    /// Shows `empty` (owned by the page from now on) instead of the content; nullptr shows the content again.
    void showEmpty(QWidget* empty);
    /// Restores the border where the user left it, also after a restart.
    void keepState(QSplitter& splitter, const QString& key);
    /// "as of 09:14" beside the title; empty: live again.
    void setStale(const QString& text);

private:
    void dropOutcomeOfAnother();
    void changeBinding(ActionId id, const std::function<void(ActionBinding&)>& change);

    const PageContext& m_context;
    PageHeader* m_header;
    QProgressBar* m_busy;
    QTimer* m_busyDelay;
    MessageBar* m_standing;
    MessageBar* m_messages;
    QWidget* m_contentArea;
    QVBoxLayout* m_content;
    QWidget* m_empty = nullptr;
    QWidget* m_sidePanel = nullptr;
    ActionBindings m_bindings;
    QString m_title;
    QString m_windowName; ///< empty: the title
    bool m_modified = false;
};

} // namespace ringside
