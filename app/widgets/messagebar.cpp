// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/messagebar.h"

#include "app/style/fonts.h"
#include "app/widgets/arrange.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>

namespace ringside {

namespace {

constexpr int kDetailLines = 6; // more scroll: the page below is not to go away

struct Look
{
    const char* name; ///< in the style sheet
    const char* icon;
    Ink ink;
};

constexpr Look kLooks[] = {{"info", "info", Ink::accent},
                           {"done", "tick", Ink::done},
                           {"warning", "warning", Ink::warning},
                           {"error", "octagon", Ink::failed}};
static_assert(std::size(kLooks) == std::size_t(Severity::error) + 1);

} // namespace

MessageShape shapeOf(Severity severity)
{
    const Look& look = kLooks[std::size_t(severity)];
    return {QString::fromLatin1(look.icon), look.ink};
}

MessageBar::MessageBar(const ThemeController& theme)
    : m_icon(new IconLabel(theme, QStringLiteral("info"), Ink::accent, 16))
    , m_text(makeParagraph(LabelKind::text))
    , m_button(new QPushButton)
    , m_more(link(new QPushButton(tr("Details"))))
    , m_close(new QToolButton)
    , m_details(new QWidget)
    , m_detailText(new QPlainTextEdit)
{
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins({});
    rows->setSpacing(0);
    auto* layout = new QHBoxLayout;
    addTo(*rows, {layout, makeDetails()});
    layout->setContentsMargins(16, 8, 8, 8);
    layout->setSpacing(space::kGap);
    addTo(*layout, {m_icon, {m_text, 1}, m_more, m_button, m_close});
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_close->setProperty("flat", true);
    m_close->setIcon(theme.icon(QStringLiteral("cross"), Ink::text2));
    m_close->setIconSize({12, 12});
    m_close->setAccessibleName(tr("Close message"));
    m_close->setToolTip(tr("Close"));
    connect(m_close, &QToolButton::clicked, this, [this] { clear(), Q_EMIT dismissed(); });
    m_more->setCheckable(true);
    connect(m_more, &QPushButton::toggled, this, &MessageBar::showDetails);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (const auto act = m_message.act)
            act();
    });
    hide();
}

QWidget* MessageBar::makeDetails()
{
    m_detailText->setReadOnly(true);
    m_detailText->setFont(monospaceFont(font()));
    m_detailText->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_detailText->setTabChangesFocus(true);
    m_detailText->setAccessibleName(tr("Details"));
    m_detailText->setFixedHeight(kDetailLines * m_detailText->fontMetrics().lineSpacing());
    auto* copy = new QPushButton(tr("Copy"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_detailText->toPlainText()); });
    auto* row = new QHBoxLayout(m_details);
    row->setContentsMargins(16, 0, 8, 8);
    addTo(*row, {{m_detailText, 1}, {copy, 0, Qt::AlignTop}});
    m_details->hide();
    return m_details;
}

void MessageBar::showDetails(bool shown)
{
    m_details->setVisible(shown);
    if (shown)
        m_detailText->setFocus(Qt::OtherFocusReason);
}

void MessageBar::setMessage(const Message& message)
{
    forget(message.topic);
    if (!message.topic.isEmpty())
        m_holding.push_back(message);
    present(message);
}

void MessageBar::forget(const QString& topic)
{
    std::erase_if(m_holding, [&](const Message& held) { return held.topic == topic; });
}

void MessageBar::present(const Message& message)
{
    m_message = message;
    const auto shape = shapeOf(message.severity);
    m_icon->setIcon(shape.icon, shape.ink);
    m_text->setText(message.text);
    m_detailText->setPlainText(message.details);
    m_more->setVisible(!message.details.isEmpty());
    m_more->setChecked(false);
    m_button->setText(message.button);
    m_button->setVisible(!message.button.isEmpty());
    setStyled(*this, "message", QString::fromLatin1(kLooks[std::size_t(message.severity)].name));
    setAccessibleName(message.text);
    show();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageBar::clear()
{
    forget(m_message.topic);
    if (!m_holding.empty())
        return present(m_holding.back());
    m_message = {};
    hide();
}

void MessageBar::drop(const QString& topic)
{
    forget(topic);
    if (m_message.topic == topic)
        clear();
}

QString MessageBar::text() const
{
    return m_message.text;
}

} // namespace ringside
