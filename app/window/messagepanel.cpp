// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/messagepanel.h"

#include "app/style/icons.h"
#include "app/style/themecontroller.h"
#include "app/widgets/arrange.h"
#include "app/widgets/card.h"
#include "app/widgets/emptystate.h"
#include "app/widgets/enterkey.h"
#include "app/window/messagelog.h"

#include <QListView>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

namespace ringside {

namespace {

constexpr QSize kPanel{480, 320};
constexpr int kIcon = 16, kPad = 12, kReach = 6; // px

class MessageDelegate : public QStyledItemDelegate
{
public:
    /// Called when the button of a message is clicked.
    using Press = std::function<void(const QModelIndex&)>;

    MessageDelegate(const ThemeController& theme, Press press, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
        , m_press(std::move(press))
    {
    }

    bool editorEvent(QEvent* event, QAbstractItemModel*, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override
    {
        if (event->type() != QEvent::MouseButtonRelease)
            return false;
        const auto* mouse = static_cast<const QMouseEvent*>(event);
        if (mouse->button() != Qt::LeftButton || !buttonBox(option, index).contains(mouse->position().toPoint()))
            return false;
        return m_press(index), true;
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = m_theme.theme();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, theme.selection);
        const auto shape = shapeOf(Severity(index.data(MessageLog::kSeverityRole).toInt()));
        const QRect first(option.rect.left() + kPad, option.rect.top() + 8, kIcon, kIcon);
        drawIcon(*painter, first, shape.icon, kIcon, theme.ink(shape.ink));
        painter->setFont(option.font);
        painter->setPen(theme.text);
        painter->drawText(textBox(option, index, option.rect), Qt::TextWordWrap, index.data().toString());
        painter->setFont(sized(option.font, kCaptionSize));
        painter->setPen(theme.text2);
        painter->drawText(option.rect.adjusted(0, 8, -kPad, 0), Qt::AlignRight,
                          index.data(MessageLog::kTimeRole).toString());
        painter->setPen(theme.accent);
        painter->drawText(buttonRow(option), kButtonAt, index.data(MessageLog::kButtonRole).toString());
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const QRect box = textBox(option, index, {0, 0, kPanel.width() - 2 * kPad, 1000});
        const int text = option.fontMetrics.boundingRect(box, Qt::TextWordWrap, index.data().toString()).height();
        const bool hasButton = !index.data(MessageLog::kButtonRole).toString().isEmpty();
        return {box.width(), text + 16 + (hasButton ? option.fontMetrics.height() + 4 : 0)};
    }

private:
    static constexpr int kButtonAt = Qt::AlignRight | Qt::AlignBottom;

    static QRect buttonRow(const QStyleOptionViewItem& option) { return option.rect.adjusted(0, 0, -kPad, -8); }
    /// Empty without a button.
    static QRect buttonBox(const QStyleOptionViewItem& option, const QModelIndex& index)
    {
        const QString text = index.data(MessageLog::kButtonRole).toString();
        if (text.isEmpty())
            return {};
        const QFontMetrics caption(sized(option.font, kCaptionSize));
        return caption.boundingRect(buttonRow(option), kButtonAt, text).adjusted(-kReach, -kReach, kReach, kReach);
    }
    /// Left of the time, whose letters grow with the others.
    static QRect textBox(const QStyleOptionViewItem& option, const QModelIndex& index, const QRect& row)
    {
        const QFontMetrics caption(sized(option.font, kCaptionSize));
        const int time = caption.horizontalAdvance(index.data(MessageLog::kTimeRole).toString());
        return row.adjusted(2 * kPad + kIcon, 8, -2 * kPad - time, 0);
    }

    const ThemeController& m_theme;
    Press m_press;
};

} // namespace

MessagePanel::MessagePanel(MessageLog& log, const ThemeController& theme, QWidget* parent)
    : QFrame(parent, Qt::Popup)
    , m_log(log)
    , m_list(new QListView)
    , m_empty(new EmptyState(theme, QStringLiteral("bell"),
                             QCoreApplication::translate("ringside::MessagePanel", "No messages.")))
{
    auto* card = new Card(QCoreApplication::translate("ringside::MessagePanel", "Messages"));
    fillColumn(this, {card});
    addTo(*card->body(), {{m_list, 1}, {m_empty, 1}});
    m_list->setModel(&log);
    m_list->setItemDelegate(new MessageDelegate(
        theme, [this](const QModelIndex& index) { act(index); }, m_list));
    m_list->setAccessibleName(QCoreApplication::translate("ringside::MessagePanel", "Messages"));
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    onEnter(*m_list, [this] { act(m_list->currentIndex()); });
}

void MessagePanel::openAt(const QPoint& corner)
{
    const bool any = m_log.rowCount() > 0;
    m_list->setVisible(any);
    m_empty->setVisible(!any);
    resize(kPanel);
    move(corner - QPoint(kPanel.width(), kPanel.height()));
    show();
    m_list->setFocus();
    if (any)
        m_list->setCurrentIndex(m_log.index(0));
    m_log.markRead();
}

void MessagePanel::act(const QModelIndex& index)
{
    if (!index.isValid())
        return;
    const auto act = m_log.at(index.row()).act;
    hide();
    if (act)
        act();
}

} // namespace ringside
