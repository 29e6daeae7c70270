// SPDX-License-Identifier: MIT
// What a reviewer would look for: cut texts, buttons without a name, widgets that cannot be reached.
#pragma once

#include <QStringList>

class QWidget;

namespace ringside::test {

/// A line for every visible label, button, box or field whose text does not fit into it. Elided labels that carry their
/// text as a tooltip are right as they are.
QStringList clippedTexts(const QWidget& root);

/// A line for every visible focusable widget without text whose accessible name is empty.
QStringList namelessControls(const QWidget& root);

/// Buttons below 28 px in height or width.
QStringList smallHitAreas(const QWidget& root);

/// Saves `widget` as <build>/screenshots/<name>.png; "-200" is added at twice the scale. False if it could not be
/// written.
bool saveScreenshot(QWidget& widget, const QString& name);

} // namespace ringside::test
