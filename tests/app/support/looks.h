// SPDX-License-Identifier: MIT
// Searches for faults that a reviewer would find: cut texts, buttons without a name, widgets that cannot be reached.
#pragma once

#include <QStringList>

class QWidget;

namespace ringside::test {

/// A line for every visible label, button, box or field whose text does not fit into it; for every column header and
/// every item of a tree or table that is too narrow; for everything of which a scroll area shows only a part of the
/// width. What is elided and carries a tooltip is right as it is.
QStringList clippedTexts(const QWidget& root);

/// A line for every two visible widgets of one layout that lie on each other.
QStringList overlaps(const QWidget& root);

/// A line for every visible focusable widget without text whose accessible name is empty.
QStringList namelessControls(const QWidget& root);

/// Buttons below 28 px in height or width.
QStringList smallHitAreas(const QWidget& root);

/// All of these, each line with the name of the picture.
QStringList faultsIn(const QWidget& widget, const QString& picture);

/// Saves the picture once what came last is laid out, and says what is wrong with it.
QStringList lookAt(QWidget& widget, const QString& picture);

/// Saves `widget` as <build>/screenshots/<name>.png; "-125", "-200" is added where the scale is not 1. False if it
/// could not be written.
bool saveScreenshot(QWidget& widget, const QString& name);

} // namespace ringside::test
