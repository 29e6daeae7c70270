// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/page.h"

#include "app/session/preferences.h"
#include "app/shell/pageheader.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/styled.h"

#include <QProgressBar>
#include <QSplitter>
#include <QTimer>
#include <chrono>

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kBusyDelay{200}; // a bar that only flashes is worse than none

} // namespace

QWidget* firstFocusable(QWidget* part)
{
    if (part->focusPolicy() & Qt::TabFocus)
        return part;
    for (auto* widget = part->nextInFocusChain(); widget && widget != part; widget = widget->nextInFocusChain())
        if (part->isAncestorOf(widget) && (widget->focusPolicy() & Qt::TabFocus) && widget->isVisible() &&
            widget->isEnabled())
            return widget;
    return nullptr;
}

Page::Page(const PageContext& context)
    : m_context(context)
    , m_header(new PageHeader(context.theme))
    , m_busy(new QProgressBar)
    , m_busyDelay(new QTimer(this))
    , m_standing(new MessageBar(context.theme))
    , m_messages(new MessageBar(context.theme))
    , m_contentArea(new QWidget)
    , m_content(new QVBoxLayout(m_contentArea))
{
    fillColumn(this, {m_header, m_busy, m_standing, m_messages, {m_contentArea, 1}}, space::kField,
               {space::kPageX, space::kPageY, space::kPageX, space::kPageY});
    m_content->setContentsMargins({});
    m_content->setSpacing(space::kGap);
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setAccessibleName(tr("Loading"));
    m_busy->hide();
    m_busyDelay->setSingleShot(true);
    m_busyDelay->setInterval(kBusyDelay);
    connect(m_busyDelay, &QTimer::timeout, m_busy, &QWidget::show);
}

QList<QWidget*> Page::focusParts() const
{
    QList<QWidget*> parts;
    for (QWidget* part : std::initializer_list<QWidget*>{m_header, m_standing, m_messages,
                                                         m_empty ? m_empty : m_contentArea, m_sidePanel})
        if (part && part->isVisible() && firstFocusable(part))
            parts.append(part);
    return parts;
}

void Page::focusContent()
{
    QList<QWidget*> parts = focusParts();
    parts.removeAll(m_sidePanel);
    if (!parts.isEmpty())
        firstFocusable(parts.last())->setFocus();
}

void Page::setTitle(const QString& title, const QString& contextLine)
{
    m_header->setTitle(title);
    m_header->setContextLine(contextLine);
    if (std::exchange(m_title, title) == title)
        return;
    dropOutcomeOfAnother();
    Q_EMIT titleChanged();
}

void Page::setWindowName(const QString& name)
{
    m_windowName = name;
    dropOutcomeOfAnother();
    Q_EMIT titleChanged();
}

void Page::dropOutcomeOfAnother()
{
    dropOutcomes([this](const QString& experiment) { return experiment == windowName(); });
}

void Page::dropOutcomes(const std::function<bool(const QString&)>& hasEnded)
{
    if (!m_messages->about().isEmpty() && !hasEnded(m_messages->about()))
        m_messages->clear();
}

void Page::setUnsavedChanges(bool modified)
{
    if (std::exchange(m_modified, modified) != modified)
        Q_EMIT titleChanged();
}

void Page::bind(ActionId id, std::function<void()> run)
{
    changeBinding(id, [&](ActionBinding& binding) { binding.run = std::move(run); });
}

void Page::setActionEnabled(ActionId id, bool enabled, const QString& whyNot)
{
    const QString why = enabled ? QString() : whyNot;
    if (const ActionBinding& now = m_bindings[id]; now.enabled == enabled && now.whyNot == why)
        return;
    changeBinding(id, [&](ActionBinding& binding) {
        binding.enabled = enabled;
        binding.whyNot = why;
    });
}

void Page::setActionText(ActionId id, const QString& text)
{
    changeBinding(id, [&](ActionBinding& binding) { binding.text = text; });
}

void Page::changeBinding(ActionId id, const std::function<void(ActionBinding&)>& change)
{
    change(m_bindings[id]);
    Q_EMIT bindingsChanged();
}

void Page::setStanding(const Message& message)
{
    if (message.text.isEmpty())
        m_standing->clear();
    else
        m_standing->setMessage(message);
}

void Page::showError(const Error& error)
{
    showMessage({.severity = Severity::error, .text = messageOf(error), .details = detailsOf(error)});
}

void Page::showFailure(const Error& error)
{
    setLoading(false);
    if (error.code != ErrorCode::unavailable)
        showError(error);
}

void Page::setLoading(bool loading)
{
    if (loading && !m_busyDelay->isActive() && !m_busy->isVisible())
        m_busyDelay->start();
    if (!loading) {
        m_busyDelay->stop();
        m_busy->hide();
    }
}

void Page::showEmpty(QWidget* empty)
{
    if (empty == m_empty)
        return; // or the focus would go to the first field with each refresh
    QWidget* before = m_empty ? m_empty : m_contentArea;
    const bool hadFocus = before->isAncestorOf(window()->focusWidget());
    if (m_empty && m_empty != empty)
        m_empty->deleteLater();
    m_empty = empty;
    m_contentArea->setVisible(!empty);
    if (empty) {
        static_cast<QVBoxLayout*>(layout())->addWidget(empty, 1);
        empty->show();
    }
    // A hidden widget would pass the focus to the next one, such as the status bar.
    if (auto* stop = hadFocus ? firstFocusable(empty ? empty : m_contentArea) : nullptr)
        stop->setFocus();
}

void Page::keepState(QSplitter& splitter, const QString& key)
{
    splitter.restoreState(m_context.preferences.windowValue(key).toByteArray());
    connect(&splitter, &QSplitter::splitterMoved, this,
            [this, key, &splitter] { m_context.preferences.setWindowValue(key, splitter.saveState()); });
}

void Page::setStale(const QString& text)
{
    m_header->setStale(text);
}

} // namespace ringside
