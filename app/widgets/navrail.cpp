// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/navrail.h"

#include "app/widgets/arrange.h"

#include <QButtonGroup>
#include <QKeyEvent>
#include <QPainter>
#include <QToolButton>

namespace ringside {

namespace {

constexpr QSize kButton{76, 58}; // at least
constexpr int kDot = 6;
constexpr int kPadding = 4; // of the text, more than that of the style sheet: widths of letters are rounded

class RailButton : public QToolButton
{
public:
    explicit RailButton(const ThemeController& theme)
        : m_theme(theme)
    {
    }

    /// Its width fits the name, also in the heavier letters of the current page.
    void setName(const QString& name)
    {
        m_name = name;
        refresh();
    }

    void setMark(Ink ink, const QString& words)
    {
        m_ink = ink;
        m_words = words;
        refresh();
        update();
    }

protected:
    void changeEvent(QEvent* event) override
    {
        QToolButton::changeEvent(event);
        if (event->type() == QEvent::FontChange)
            refresh();
    }

    void paintEvent(QPaintEvent* event) override
    {
        QToolButton::paintEvent(event);
        if (m_words.isEmpty())
            return;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.ink(m_ink));
        painter.drawEllipse(QRectF(width() / 2.0 + 12, 10, kDot, kDot));
    }

private:
    void refresh()
    {
        const QString spoken = m_words.isEmpty() ? m_name : QStringLiteral("%1, %2").arg(m_name, m_words);
        QFont heavy = font();
        heavy.setWeight(QFont::Medium);
        const QFontMetrics metrics(heavy);
        const int beside = 2 * (kPadding + metrics.horizontalAdvance(QLatin1Char(' '))); // QToolButton adds blanks
        setMinimumSize(kButton.expandedTo({metrics.size(Qt::TextShowMnemonic, m_name).width() + beside, 0}));
        setText(m_name);
        setAccessibleName(spoken);
        setToolTip(m_words);
    }

    const ThemeController& m_theme;
    QString m_name, m_words;
    Ink m_ink = Ink::running;
};

} // namespace

NavRail::NavRail(const ThemeController& theme)
    : m_theme(theme)
    , m_group(new QButtonGroup(this))
    , m_layout(fillColumn(this, {stretch()}, 4, {6, 8, 6, 8}))
{
    setObjectName(QStringLiteral("rail"));
    setAccessibleName(tr("Pages"));
    connect(m_group, &QButtonGroup::idClicked, this, &NavRail::chosen);
}

void NavRail::addPage(int id, const QString& icon, const QString& text, bool atFoot)
{
    auto* button = new RailButton(m_theme);
    button->setName(text);
    button->setIcon(m_theme.icon(icon, Ink::text2));
    button->setIconSize({22, 22});
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setSizePolicy(QSizePolicy::MinimumExpanding, QSizePolicy::Fixed);
    m_group->addButton(button, id);
    m_layout->insertWidget(atFoot ? m_layout->count() : m_atTop++, button);
}

void NavRail::setCurrent(int id)
{
    if (auto* button = m_group->button(id)) {
        button->setChecked(true);
        return;
    }
    m_group->setExclusive(false);
    for (auto* button : m_group->buttons())
        button->setChecked(false);
    m_group->setExclusive(true);
}

void NavRail::setMark(int id, Ink ink, const QString& words)
{
    if (auto* button = static_cast<RailButton*>(m_group->button(id)))
        button->setMark(ink, words);
}

QWidget* NavRail::focusTarget() const
{
    return m_group->checkedButton() ? m_group->checkedButton() : m_group->buttons().value(0);
}

void NavRail::step(int by)
{
    const auto buttons = m_group->buttons();
    for (qsizetype i = 0; i < buttons.size(); ++i)
        if (buttons[i]->hasFocus())
            return buttons[qBound<qsizetype>(0, i + by, buttons.size() - 1)]->setFocus(Qt::TabFocusReason);
}

void NavRail::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Up)
        step(-1);
    else if (event->key() == Qt::Key_Down)
        step(1);
    else
        QFrame::keyPressEvent(event);
}

} // namespace ringside
