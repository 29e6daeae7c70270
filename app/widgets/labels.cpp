// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/labels.h"

#include "app/widgets/arrange.h"
#include "app/widgets/styled.h"

#include <QComboBox>
#include <QEvent>
#include <QTextDocument>
#include <algorithm>

namespace ringside {

namespace {

constexpr const char* kNames[] = {"h1", "h2", "h3", "text", "cap", "num", "error", "warning"}; // in the style sheet
static_assert(std::size(kNames) == std::size_t(LabelKind::warning) + 1);

} // namespace

QLabel* makeLabel(LabelKind kind, const QString& text)
{
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("kind", QLatin1String(kNames[std::size_t(kind)]));
    return label;
}

QLabel* makeParagraph(LabelKind kind, const QString& text)
{
    auto* label = makeLabel(kind, text);
    label->setWordWrap(true);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::MinimumExpanding);
    return label;
}

QString plainToolTip(const QString& text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

KeyNumber::KeyNumber(const QString& caption)
    : m_number(makeLabel(LabelKind::number))
    , m_note(makeParagraph(LabelKind::caption))
{
    fillColumn(this, {makeLabel(LabelKind::caption, caption), m_number, m_note}, 2);
}

void KeyNumber::setNumber(const QString& number, const QString& note)
{
    m_number->setText(number);
    m_note->setText(note);
    fitNote();
}

void KeyNumber::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fitNote();
}

/// A note is broken between words only, so that it needs the width of its longest word; but a very long word must not
/// push a page apart.
void KeyNumber::fitNote()
{
    m_note->ensurePolished();
    int widest = 0;
    for (const QString& word : m_note->text().split(QLatin1Char(' ')))
        widest = std::max(widest, m_note->fontMetrics().horizontalAdvance(word));
    constexpr int kMostDigits = 6;
    m_note->setMinimumWidth(std::min(widest, kMostDigits * m_note->fontMetrics().horizontalAdvance(QLatin1Char('0'))));
}

QWidget* captioned(QComboBox* box, const QString& caption, int letters)
{
    auto* label = makeLabel(LabelKind::caption, caption);
    box->setMinimumContentsLength(letters);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->setAccessibleName(caption);
    label->setBuddy(box);
    auto* entry = new QWidget;
    fillRow(entry, {label, box}, space::kField);
    return entry;
}

QFrame* makeRule()
{
    auto* rule = new QFrame;
    rule->setProperty("rule", true);
    return rule;
}

} // namespace ringside
