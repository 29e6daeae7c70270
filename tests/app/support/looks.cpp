// SPDX-License-Identifier: MIT
#include "tests/app/support/looks.h"

#include "app/text/text.h"
#include "app/widgets/elidedlabel.h"
#include "tests/support/built.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPixmap>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSet>
#include <QStackedLayout>
#include <QStyle>
#include <QStyleOptionHeader>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

namespace ringside::test {

namespace {

QString describe(const QWidget& widget, const QString& text, const QSize& wanted)
{
    return QStringLiteral("%1 “%2” has %3×%4, wants %5×%6")
        .arg(QLatin1String(widget.metaObject()->className()), text)
        .arg(widget.width())
        .arg(widget.height())
        .arg(wanted.width())
        .arg(wanted.height());
}

bool isShown(const QWidget& widget)
{
    return widget.isVisible() && !widget.visibleRegion().isEmpty();
}

/// A paragraph is broken between words only. What a language made by machine is stretched by is no word.
int widestWord(const QLabel& label)
{
    int widest = 0;
    if (label.textFormat() == Qt::PlainText)
        for (const QString& word : label.text().split(QRegularExpression(QStringLiteral("\\s+"))))
            if (!word.startsWith(QLatin1Char('~')))
                widest = std::max(widest, label.fontMetrics().horizontalAdvance(word));
    return widest;
}

void checkLabel(const QLabel& label, QStringList& found)
{
    if (label.text().isEmpty() || dynamic_cast<const ElidedLabel*>(&label))
        return;
    QSize wanted = label.sizeHint();
    if (label.wordWrap())
        wanted = {widestWord(label), label.heightForWidth(label.width())};
    if (label.width() < wanted.width() || label.height() < wanted.height())
        found << describe(label, label.text(), wanted);
}

void checkButton(const QAbstractButton& button, QStringList& found)
{
    const QSize wanted = button.minimumSizeHint().isValid() ? button.minimumSizeHint() : button.sizeHint();
    if (!button.text().isEmpty() && (button.width() < wanted.width() || button.height() < wanted.height()))
        found << describe(button, button.text(), wanted);
}

void checkCombo(const QComboBox& combo, QStringList& found)
{
    constexpr int kArrowAndPadding = 38;
    const int wanted = combo.fontMetrics().horizontalAdvance(combo.currentText()) + kArrowAndPadding;
    if (combo.width() < wanted && combo.toolTip().isEmpty())
        found << describe(combo, combo.currentText(), {wanted, combo.height()});
}

/// True if a section or item has a tooltip, where its text can be read although it is cut.
bool speaks(const QVariant& toolTip)
{
    return !toolTip.toString().isEmpty();
}

/// The style measures in bold and draws in medium.
constexpr int kWeightSlack = 4;

/// Returns the width in which the style draws a section's text: its hint less the margin that it adds and does not
/// draw.
int wantedWidth(const QHeaderView& header, int section, const QString& text)
{
    const bool sorts = header.isSortIndicatorShown() && header.sortIndicatorSection() == section;
    QStyleOptionHeader option;
    option.initFrom(&header);
    option.text = text;
    option.sortIndicator = sorts ? QStyleOptionHeader::SortDown : QStyleOptionHeader::None;
    return header.style()->sizeFromContents(QStyle::CT_HeaderSection, &option, {}, &header).width() -
           2 * header.style()->pixelMetric(QStyle::PM_HeaderMargin, &option, &header) - kWeightSlack;
}

void checkHeader(const QHeaderView& header, QStringList& found)
{
    if (header.orientation() != Qt::Horizontal || !header.model())
        return;
    for (int section = 0; section < header.count(); ++section) {
        const auto data = [&](int role) { return header.model()->headerData(section, header.orientation(), role); };
        const QString text = data(Qt::DisplayRole).toString();
        const int wanted = wantedWidth(header, section, text), width = header.sectionSize(section);
        if (!header.isSectionHidden(section) && !text.isEmpty() && width < wanted && !speaks(data(Qt::ToolTipRole)))
            found << QStringLiteral("header “%1” has %2, wants %3").arg(text).arg(width).arg(wanted);
    }
}

void checkItem(const QAbstractItemView& view, const QModelIndex& index, QStringList& found)
{
    const QRect shown = view.visualRect(index);
    const int wanted = view.sizeHintForIndex(index).width();
    const QString text = index.data().toString();
    if (shown.intersects(view.viewport()->rect()) && !text.isEmpty() && shown.width() < wanted &&
        !speaks(index.data(Qt::ToolTipRole)))
        found << QStringLiteral("item “%1” has %2, wants %3").arg(text).arg(shown.width()).arg(wanted);
}

void checkItems(const QAbstractItemView& view, const QModelIndex& parent, QStringList& found)
{
    if (!view.model())
        return;
    for (int row = 0; row < view.model()->rowCount(parent); ++row) {
        for (int column = 0; column < view.model()->columnCount(parent); ++column)
            checkItem(view, view.model()->index(row, column, parent), found);
        checkItems(view, view.model()->index(row, 0, parent), found);
    }
}

const QScrollArea* scrollAreaOf(const QWidget& widget)
{
    for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget())
        if (const auto* area = qobject_cast<const QScrollArea*>(parent))
            return area;
    return nullptr;
}

/// Something to read or to press that a scroll area shows a vertical slice of.
void checkCutOff(const QWidget& widget, QStringList& found)
{
    const bool says = qobject_cast<const QLabel*>(&widget) || qobject_cast<const QAbstractButton*>(&widget) ||
                      qobject_cast<const QComboBox*>(&widget) || qobject_cast<const QLineEdit*>(&widget) ||
                      qobject_cast<const QAbstractSpinBox*>(&widget);
    const QRect seen = widget.visibleRegion().boundingRect();
    if (says && scrollAreaOf(widget) && (seen.left() > 0 || seen.right() < widget.width() - 1))
        found << QStringLiteral("cut off: ") + describe(widget, widget.accessibleName(), seen.size());
}

QList<const QWidget*> widgetsIn(const QLayout& layout)
{
    QList<const QWidget*> found;
    for (int i = 0; i < layout.count(); ++i) {
        if (const QWidget* widget = layout.itemAt(i)->widget(); widget && isShown(*widget))
            found << widget;
        else if (const QLayout* inner = layout.itemAt(i)->layout())
            found += widgetsIn(*inner);
    }
    return found;
}

/// Pages of a stack lie on each other as they should.
bool laysSideBySide(const QLayout& layout)
{
    return !qobject_cast<const QStackedLayout*>(&layout);
}

QString nameOf(const QWidget& widget)
{
    const auto* label = qobject_cast<const QLabel*>(&widget);
    return QStringLiteral("%1 “%2”").arg(QLatin1String(widget.metaObject()->className()),
                                         label ? label->text() : widget.accessibleName());
}

} // namespace

QStringList overlaps(const QWidget& root)
{
    QStringList found;
    for (const auto* parent : root.findChildren<QWidget*>()) {
        if (!isShown(*parent) || !parent->layout() || !laysSideBySide(*parent->layout()))
            continue;
        const auto widgets = widgetsIn(*parent->layout());
        for (qsizetype i = 0; i < widgets.size(); ++i)
            for (qsizetype j = i + 1; j < widgets.size(); ++j)
                if (const QRect both = widgets[i]->geometry() & widgets[j]->geometry(); !both.isEmpty())
                    found << QStringLiteral("%1 and %2 share %3×%4")
                                 .arg(nameOf(*widgets[i]), nameOf(*widgets[j]))
                                 .arg(both.width())
                                 .arg(both.height());
    }
    return found;
}

QStringList clippedTexts(const QWidget& root)
{
    QStringList found;
    for (const auto* widget : root.findChildren<QWidget*>()) {
        if (!isShown(*widget))
            continue;
        checkCutOff(*widget, found);
        if (const auto* label = qobject_cast<const QLabel*>(widget))
            checkLabel(*label, found);
        else if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
            checkButton(*button, found);
        else if (const auto* combo = qobject_cast<const QComboBox*>(widget))
            checkCombo(*combo, found);
        else if (const auto* header = qobject_cast<const QHeaderView*>(widget))
            checkHeader(*header, found);
        else if (qobject_cast<const QTreeView*>(widget) || qobject_cast<const QTableView*>(widget))
            checkItems(*qobject_cast<const QAbstractItemView*>(widget), {}, found);
    }
    return found;
}

QStringList namelessControls(const QWidget& root)
{
    QStringList found;
    QSet<const QWidget*> buddies;
    for (const auto* label : root.findChildren<QLabel*>())
        buddies << label->buddy();
    for (const auto* widget : root.findChildren<QWidget*>()) {
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool speaks = button && !button->text().isEmpty();
        const bool isField = qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QComboBox*>(widget) ||
                             qobject_cast<const QAbstractSpinBox*>(widget);
        const bool needsName = button || (isField && !buddies.contains(widget));
        const QWidget* parent = widget->parentWidget(); // the line edit within a combo or spin box speaks by its parent
        const bool isInner = qobject_cast<const QComboBox*>(parent) || qobject_cast<const QAbstractSpinBox*>(parent);
        if (isShown(*widget) && needsName && !isInner && !speaks && widget->accessibleName().isEmpty() &&
            (widget->focusPolicy() & Qt::TabFocus))
            found << QStringLiteral("%1 in %2")
                         .arg(QLatin1String(widget->metaObject()->className()),
                              QLatin1String(widget->parentWidget()->metaObject()->className()));
    }
    return found;
}

QStringList smallHitAreas(const QWidget& root)
{
    constexpr int kSmallest = 28;
    QStringList found;
    for (const auto* button : root.findChildren<QAbstractButton*>()) {
        const bool ownArea = qobject_cast<const QPushButton*>(button) || qobject_cast<const QToolButton*>(button);
        const bool isInner = button->parentWidget() && qobject_cast<const QLineEdit*>(button->parentWidget());
        if (ownArea && !isInner && isShown(*button) && (button->height() < kSmallest || button->width() < kSmallest))
            found << describe(*button, button->text(), {kSmallest, kSmallest});
    }
    return found;
}

QStringList faultsIn(const QWidget& widget, const QString& picture)
{
    QStringList faults;
    for (const QStringList& found :
         {clippedTexts(widget), overlaps(widget), namelessControls(widget), smallHitAreas(widget)})
        for (const QString& line : found)
            faults << picture + QStringLiteral(": ") + line;
    return faults;
}

bool saveScreenshot(QWidget& widget, const QString& name)
{
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest); // else texts are new and places old
    const QString folder = toQt(screenshotFolder());
    const QPixmap picture = widget.grab();
    const QString suffix = picture.devicePixelRatio() > 1
                               ? QStringLiteral("-%1").arg(qRound(100 * picture.devicePixelRatio()))
                               : QString();
    return QDir().mkpath(folder) && picture.save(QStringLiteral("%1/%2%3.png").arg(folder, name, suffix));
}

QStringList lookAt(QWidget& widget, const QString& picture)
{
    QStringList faults;
    (void)QTest::qWaitFor([&] { return (faults = faultsIn(widget, picture)).isEmpty(); }, 3'000);
    if (!saveScreenshot(widget, picture))
        faults << picture + QStringLiteral(": cannot be written");
    return faults;
}

} // namespace ringside::test
