// SPDX-License-Identifier: GPL-3.0-or-later
// One choice of a few, as joined buttons. Left and right move; Alt+1… jump where asked for.
#pragma once

#include <QWidget>

class QButtonGroup;

namespace ringside {

class SegmentedControl : public QWidget
{
    Q_OBJECT
public:
    explicit SegmentedControl(const QString& accessibleName, const QStringList& segments = {});
    /// Segments have the numbers 0, 1, … in the order in which they are added.
    void addSegment(const QString& text);
    /// Alt+1… choose the segments there are: for the one control of a page that is its main choice.
    void enableShortcuts();
    int current() const;
    /// Emits nothing.
    void setCurrent(int segment);

Q_SIGNALS:
    /// The user chose another segment.
    void chosen(int segment);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void choose(int segment);

    QButtonGroup* m_group;
};

} // namespace ringside
