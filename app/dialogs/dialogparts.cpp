// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/dialogparts.h"

#include "app/style/fonts.h"
#include "app/widgets/arrange.h"
#include "app/widgets/card.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QPushButton>
#include <QScreen>
#include <QTimer>
#include <algorithm>

namespace ringside {

namespace {
constexpr int kWidth = 520;
constexpr int kFrame = 40; // px of a window's title
} // namespace

QuestionDialog::QuestionDialog(QWidget* parent, const ThemeController& theme, const DialogHead& head)
    : QDialog(parent)
    , m_head(makeRow({}, space::kGap))
    , m_body(makeColumn({}, space::kGap))
    , m_box(new QDialogButtonBox)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(head.title);
    setMinimumWidth(kWidth);
    auto* sentence = makeParagraph(LabelKind::cardTitle, head.sentence);
    sentence->setProperty("alarm", head.ink == Ink::failed);
    addTo(*m_head, {new IconLabel(theme, head.icon, head.ink, 22), {sentence, 1}});
    // A dialog that is higher than it must be passes the rest to its contents.
    auto* layout = fillColumn(this, {m_head, {m_body, 1}}, space::kGap, {20, 16, 20, 16});
    layout->addSpacing(4);
    layout->addWidget(m_box);
    connect(m_box, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void QuestionDialog::addToHead(QWidget* widget)
{
    m_head->addWidget(widget);
}

QPushButton* QuestionDialog::addButton(const QString& text, QDialogButtonBox::ButtonRole role,
                                       std::function<void()> press)
{
    auto* button = m_box->addButton(text, role);
    if (press)
        connect(button, &QPushButton::clicked, this, std::move(press));
    button->setIcon({});
    return button;
}

void QuestionDialog::addBesideButtons(QAbstractButton* button)
{
    m_box->addButton(button, QDialogButtonBox::ResetRole); // which every desktop's order puts there
}

void QuestionDialog::setStandard(QPushButton* button)
{
    primary(button)->setDefault(true);
}

/// Wrapped text says how high it is only once its width is known.
void QuestionDialog::fitHeight()
{
    setMinimumWidth(std::max(minimumWidth(), layout()->minimumSize().width()));
    const int wanted = std::max(width(), minimumWidth());
    const int least = std::max(minimumHeight(), layout()->minimumSize().height());
    const int room = screen()->availableGeometry().height() - kFrame;
    resize(wanted, std::min(std::max(layout()->totalHeightForWidth(wanted), least), room));
}

void QuestionDialog::fitHeightSoon(std::function<void()> then)
{
    QTimer::singleShot(0, this, [this, then = std::move(then)] {
        if (!isVisible())
            return; // it is fitted, and finds its place, when it opens
        fitHeight();
        const QRect available = screen()->availableGeometry();
        if (const int below = frameGeometry().bottom() - available.bottom(); below > 0)
            move(x(), std::max(available.top(), y() - below));
        QTimer::singleShot(0, this, then); // the form has its new size by then
    });
}

void QuestionDialog::showEvent(QShowEvent* event)
{
    fitHeight();
    QDialog::showEvent(event);
}

QLabel* makeMonospace(const QString& text)
{
    auto* label = makeParagraph(LabelKind::text, text);
    label->setFont(monospaceFont(label->font()));
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

Card* makeQuote()
{
    auto* card = new Card;
    card->body()->setSpacing(4);
    return card;
}

} // namespace ringside
